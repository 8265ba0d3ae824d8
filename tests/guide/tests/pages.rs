//! Excerpts agree with their files, links have targets, and lists are complete.

use std::error::Error;
use std::fs;
use std::path::{Component, Path, PathBuf};

use guide_tests::{all_pages, blocks::blocks, links, pages, root};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn read(page: impl AsRef<Path>) -> Result<String> {
    let page = page.as_ref();
    fs::read_to_string(root().join(page)).map_err(|e| format!("{}: {e}", page.display()).into())
}

#[test]
fn excerpts_match_their_files() -> Result {
    let mut count = 0;
    for page in pages()? {
        for block in blocks(&read(&page)?) {
            let Some(from) = &block.from else {
                continue;
            };
            let place = format!("{}:{}", page.display(), block.line);
            let file = read(from)?;
            let lines = |text: &'_ str| -> Vec<String> {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                lines.map(str::to_owned).collect()
            };
            let (of_file, of_block) = (lines(&file), lines(&block.text));
            let mut rest = &of_file[..];
            for part in of_block
                .split(|line| line == "…")
                .filter(|part| !part.is_empty())
            {
                let found = rest.windows(part.len()).position(|lines| lines == part);
                let Some(at) = found else {
                    panic!(
                        "{place}: {from} does not have these lines here:\n{}",
                        part.join("\n")
                    );
                };
                rest = &rest[at + part.len()..];
            }
            count += 1;
        }
    }
    assert!(count > 0, "no page has an excerpt");
    Ok(())
}

#[test]
fn all_rust_is_compiled() -> Result {
    for page in pages()? {
        for block in blocks(&read(&page)?) {
            let is_known = matches!(
                block.language.as_str(),
                "rust" | "rust,no_run" | "toml" | "sh" | "text" | "cpp" | "python"
            );
            assert!(
                is_known,
                "{}:{}: a block of `{}`",
                page.display(),
                block.line,
                block.language
            );
        }
    }
    Ok(())
}

#[test]
fn links_lead_to_files_and_headings() -> Result {
    let mut count = 0;
    let mut dead = Vec::new();
    for page in all_pages()? {
        let text = read(&page)?;
        for target in links::links(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            // Links that rustdoc resolves are not paths.
            if target.contains("::") || page.ends_with("cells.md") {
                continue;
            }
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() {
                page.clone()
            } else {
                page.with_file_name("").join(path)
            };
            let is_there = root().join(&file).exists()
                && (anchor.is_empty()
                    || links::anchors(&read(&file)?)
                        .iter()
                        .any(|found| found == anchor));
            if !is_there {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(
        dead.is_empty(),
        "these links lead nowhere:\n{}",
        dead.join("\n")
    );
    assert!(count > 100, "only {count} links were found");
    Ok(())
}

#[test]
fn the_summary_lists_the_guide() -> Result {
    let folder = Path::new("docs/guide");
    let mut listed: Vec<PathBuf> = links::links(&read(folder.join("SUMMARY.md"))?)
        .iter()
        .map(|target| folder.join(target))
        .filter(|path| !path.components().any(|part| part == Component::ParentDir))
        .collect();
    listed.sort();
    let mut there = pages()?;
    there.retain(|page| page.starts_with(folder) && !page.ends_with("SUMMARY.md"));
    assert_eq!(listed, there);
    Ok(())
}

#[test]
fn readme_is_short() -> Result {
    let lines = read("README.md")?.lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
    Ok(())
}

/// The rows of a page's table below this heading row.
fn rows<'a>(page: &'a str, heading: &str) -> Result<impl Iterator<Item = &'a str>> {
    let (_, table) = page
        .split_once(heading)
        .ok_or_else(|| format!("no table `{heading}`"))?;
    Ok(table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|')))
}

/// The names between backticks in the first cell of a row.
fn names(row: &str) -> impl Iterator<Item = &str> {
    let first = row.split('|').nth(1).unwrap_or_default();
    first.split('`').skip(1).step_by(2)
}

#[test]
fn every_variable_of_the_virtual_gpu_is_listed() -> Result {
    let page = read("docs/guide/testing.md")?;
    let mut listed: Vec<_> = rows(&page, "| variable | value | without it |")?
        .flat_map(names)
        .collect();
    let mut there = virtual_gpu::VARIABLES.map(|variable| variable.name);
    listed.sort_unstable();
    there.sort_unstable();
    assert_eq!(listed, there);
    Ok(())
}

#[test]
fn every_error_is_listed() -> Result {
    let source = read("host/src/error.rs")?;
    let (_, variants) = source.split_once("pub enum Error {").ok_or("no enum")?;
    let (variants, _) = variants.split_once("\n}").ok_or("no end of the enum")?;
    let mut there: Vec<_> = variants
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()))
        .map(|line| line.split([' ', ',', '(']).next().unwrap_or_default())
        .collect();
    let page = read("docs/guide/errors.md")?;
    let mut listed = Vec::new();
    for (at, heading) in page.match_indices("| error | cause | what to do |") {
        listed.extend(rows(&page[at..], heading)?.flat_map(names));
    }
    listed.sort_unstable();
    there.sort_unstable();
    assert_eq!(listed, there);
    Ok(())
}

#[test]
fn messages_match_the_compilers() -> Result {
    let mut messages = String::new();
    for entry in fs::read_dir(root().join("tests/messages/refused"))? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "stderr")
        {
            messages += &fs::read_to_string(path)?;
        }
    }
    let page = read("docs/guide/errors.md")?;
    for row in rows(&page, "| message | what to do |")? {
        let message = row.split('|').nth(1).unwrap_or_default().trim();
        assert!(
            messages.contains(message),
            "no refused program gets the message: {message}"
        );
    }
    Ok(())
}

macro_rules! kernels {
    ($($kind:ident $operator:ident $item:ident => $symbol:ident;)*) => {
        &[$((stringify!($kind), stringify!($operator), stringify!($item))),*]
    };
}

/// The kinds, operators and item types of all kernels.
const KERNELS: &[(&str, &str, &str)] = warpfold_kernels::for_each_row!(kernels);

/// The kinds that the tables of operators list. Each entry has the verb, the kind, and the name of the kind's shape.
const SHAPES: &[(&str, &str, &str)] = &[
    ("reduce", "reduce", "whole"),
    ("reduce", "reduce_pairs", "whole, of two inputs"),
    ("reduce", "segmented_reduce", "segments"),
    ("reduce", "columns_reduce", "columns"),
    ("scan", "inclusive_scan", "whole"),
    ("scan", "segmented_scan", "segments"),
    ("scan", "columns_scan", "columns"),
];

/// The table of operators, as text for a page. The operators have the same order as in the table of kernels.
fn operators() -> String {
    let mut operators: Vec<&str> = Vec::new();
    for (kind, operator, _) in KERNELS {
        let is_new = !operators.contains(operator);
        if is_new && SHAPES.iter().any(|(_, of_shape, _)| of_shape == kind) {
            operators.push(operator);
        }
    }
    let mut table = String::from("| operator | items | `reduce` | `scan` |\n|---|---|---|---|\n");
    for operator in operators {
        let kernels = || {
            KERNELS
                .iter()
                .filter(|(_, of_kernel, _)| *of_kernel == operator)
        };
        let shapes = |verb| {
            let of_verb = SHAPES.iter().filter(|(of_shape, ..)| *of_shape == verb);
            let there =
                of_verb.filter(|(_, kind, _)| kernels().any(|(of_kernel, ..)| of_kernel == kind));
            let shapes: Vec<_> = there.map(|(.., shape)| *shape).collect();
            if shapes.is_empty() {
                "–".to_owned()
            } else {
                shapes.join(", ")
            }
        };
        let mut items: Vec<&str> = Vec::new();
        for (.., item) in kernels() {
            if !items.contains(item) {
                items.push(item);
            }
        }
        table += &format!(
            "| `{operator}` | {} | {} | {} |\n",
            summarised(&items),
            shapes("reduce"),
            shapes("scan")
        );
    }
    table
}

/// A short description of item types.
fn summarised(items: &[&str]) -> String {
    let has = |all: &[&str]| all.iter().all(|item| items.contains(item));
    let floats = ["f32", "f64", "f16", "bf16"];
    let integers = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];
    let group = |all: &[&str], name: &str| match has(all) {
        true => name.to_owned(),
        false => {
            let some: Vec<_> = items
                .iter()
                .filter(|item| all.contains(item))
                .map(|item| format!("`{item}`"))
                .collect();
            some.join(", ")
        }
    };
    let others: Vec<_> = items
        .iter()
        .filter(|item| !floats.contains(item) && !integers.contains(item))
        .map(|item| format!("`{item}`"))
        .collect();
    let groups = [
        group(&floats, "floats"),
        group(&integers, "integers"),
        others.join(", "),
    ];
    let groups: Vec<_> = groups
        .into_iter()
        .filter(|group| !group.is_empty())
        .collect();
    groups.join("; ")
}

/// Compares a page's table of operators with the kernels. If `WARPFOLD_WRITE` is set, writes the table instead. The table stands between
/// two comments.
fn check_operators(path: &str) -> Result<String> {
    let page = read(path)?;
    let (before, rest) = page
        .split_once("<!-- operators -->\n")
        .ok_or("no table of operators")?;
    let (table, after) = rest
        .split_once("<!-- end -->")
        .ok_or("no end of the table")?;
    let expected = operators();
    if std::env::var_os("WARPFOLD_WRITE").is_some() {
        fs::write(
            root().join(path),
            format!("{before}<!-- operators -->\n{expected}<!-- end -->{after}"),
        )?;
    } else {
        assert_eq!(
            table, expected,
            "{path}: `WARPFOLD_WRITE=1 cargo test -p guide-tests` writes this table"
        );
    }
    Ok(page)
}

#[test]
fn every_operator_is_listed() -> Result {
    const PAGE: &str = "docs/guide/operators.md";
    // The table in the documentation of `Kernel`.
    check_operators("host/src/kernel/operators.md")?;
    let page = check_operators(PAGE)?;
    let described: Vec<_> = rows(&page, "| operator | floats | integers | empty input |")?
        .flat_map(names)
        .collect();
    for row in operators().lines().skip(2) {
        for operator in names(row) {
            assert!(
                described.contains(&operator),
                "{PAGE} does not say what {operator} does"
            );
        }
    }
    Ok(())
}
