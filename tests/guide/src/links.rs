//! The links of a page, and their possible targets.

/// The targets of a page's links, except those in code blocks and in code between backticks.
pub fn links(page: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(page) {
        let line = without_code(line);
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            if let Some(end) = target.find(')') {
                targets.push(target[..end].to_owned());
            }
        }
        // A target may also stand on a line of its own: `[name]: target`.
        if let Some((_, target)) = line
            .strip_prefix('[')
            .and_then(|line| line.split_once("]: "))
        {
            targets.push(target.trim().to_owned());
        }
    }
    targets
}

/// The anchors of a page's headings, as GitHub and mdBook make them if no two headings are equal.
pub fn anchors(page: &str) -> Vec<String> {
    prose(page)
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ => character.is_alphanumeric().then_some(character),
        })
        .collect()
}

/// The lines outside of code blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_inside && !is_fence
    })
}

/// A line without the code between backticks, since code may look like a link.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_prose_are_found_and_those_in_code_are_not() {
        let page = "See [one](a.md#b) and [`two`](c.md), not `x[0](y)`.\n```\n[no](d.md)\n```\n[three]: e.md\n";
        assert_eq!(links(page), ["a.md#b", "c.md", "e.md"]);
    }

    #[test]
    fn anchors_match_the_renderers() {
        let page =
            "# With rust-cuda's compiler\n```sh\n# not a heading\n```\n## `Sum`, and 2 more\n";
        assert_eq!(
            anchors(page),
            ["with-rust-cudas-compiler", "sum-and-2-more"]
        );
    }
}
