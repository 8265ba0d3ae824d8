//! Exact changes of a text.

/// Replaces one occurrence of a pattern.
///
/// In a pattern, `*` stands for a word, such as a register's name; in the replacement, each `*` for the word that the
/// pattern's did.
#[derive(Debug, Clone, Copy)]
pub struct Edit {
    pub from: &'static str,
    pub to: &'static str,
    /// Which occurrence, counted from 1, of how many there must be.
    pub occurrence: (usize, usize),
}

impl Edit {
    /// Removes the only occurrence.
    pub const fn remove(from: &'static str) -> Self {
        Self::replace(from, "")
    }

    /// Replaces the only occurrence.
    pub const fn replace(from: &'static str, to: &'static str) -> Self {
        Self {
            from,
            to,
            occurrence: (1, 1),
        }
    }

    /// The same for one of several occurrences: the first of two is `nth(1, 2)`.
    pub const fn nth(self, occurrence: usize, of: usize) -> Self {
        Self {
            occurrence: (occurrence, of),
            ..self
        }
    }

    /// The changed text. The pattern must occur as often as the edit says.
    pub fn apply(self, text: &str) -> String {
        let found = occurrences(text, self.from);
        let (occurrence, of) = self.occurrence;
        assert_eq!(found.len(), of, "occurrences of {:?}", self.from);
        let found = &found[occurrence - 1];
        let mut words = found.words.iter();
        let mut to = String::new();
        for (index, part) in self.to.split('*').enumerate() {
            if index > 0 {
                to += words.next().expect("a word for each `*`");
            }
            to += part;
        }
        let end = found.start + found.bytes;
        [&text[..found.start], &to, &text[end..]].concat()
    }
}

struct Occurrence<'t> {
    start: usize,
    bytes: usize,
    words: Vec<&'t str>,
}

fn occurrences<'t>(text: &'t str, pattern: &str) -> Vec<Occurrence<'t>> {
    let (head, _) = pattern.split_once('*').unwrap_or((pattern, ""));
    text.match_indices(head)
        .filter_map(|(start, _)| {
            let (bytes, words) = occurrence(&text[start..], pattern)?;
            Some(Occurrence {
                start,
                bytes,
                words,
            })
        })
        .collect()
}

/// How many bytes at the text's start the pattern covers, and the words in them.
fn occurrence<'t>(text: &'t str, pattern: &str) -> Option<(usize, Vec<&'t str>)> {
    let (mut rest, mut words) = (text, Vec::new());
    for (index, part) in pattern.split('*').enumerate() {
        if index > 0 {
            let in_word = |c: char| c.is_ascii_alphanumeric() || c == '%' || c == '_';
            let (word, behind) = rest.split_at(rest.find(|c| !in_word(c))?);
            if word.is_empty() {
                return None;
            }
            words.push(word);
            rest = behind;
        }
        rest = rest.strip_prefix(part)?;
    }
    Some((text.len() - rest.len(), words))
}

#[test]
fn an_edit_finds_its_place_and_keeps_the_words() {
    let text = "st.b32 [%r1+8], %r2; st.b32 [%r3+8], %r4; st.b32 [%r5+4], %r6;";
    let edit = Edit::replace("st.b32 [*+8], *;", "st.u8 [*], *;").nth(2, 2);
    assert_eq!(
        edit.apply(text),
        "st.b32 [%r1+8], %r2; st.u8 [%r3], %r4; st.b32 [%r5+4], %r6;"
    );
    assert_eq!(
        Edit::remove("st.b32 [*+4], *;").apply("st.b32 [a+4], b;"),
        ""
    );
}

#[test]
#[should_panic(expected = "occurrences of \"ret;\"")]
fn an_edit_that_does_not_fit_fails() {
    Edit::remove("ret;").apply("ret; ret;");
}
