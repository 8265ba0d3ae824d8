//! Exact edits of a text.

/// Replaces one occurrence of a pattern.
///
/// In a pattern, `*` matches a word, such as a register's name. In the replacement, the first `*` stands for the word that the pattern's
/// first `*` matched, and so on.
#[derive(Debug, Clone, Copy)]
pub struct Edit {
    from: &'static str,
    to: &'static str,
    /// The number of the occurrence that is replaced, counted from 0.
    index: usize,
    /// How many occurrences there must be.
    count: usize,
}

/// A pattern, and names for its occurrences in a kernel's text, in the order of the text.
///
/// If a change of a kernel adds or removes an occurrence, only `names` must be adapted.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    pub pattern: &'static str,
    /// A name for each occurrence. An occurrence that no edit needs may be called [`Places::OTHER`].
    pub names: &'static [&'static str],
}

impl Places {
    /// A name for occurrences that no edit needs.
    pub const OTHER: &'static str = "";

    /// Names for `N` occurrences, of which only a few have a name of their own: those in the list, with their numbers.
    pub const fn few<const N: usize>(named: &[(usize, &'static str)]) -> [&'static str; N] {
        let mut names = [Self::OTHER; N];
        let mut index = 0;
        while index < named.len() {
            let (place, name) = named[index];
            names[place] = name;
            index += 1;
        }
        names
    }

    /// Removes the occurrence called `name`.
    pub fn remove(self, name: &str) -> Edit {
        self.replace(name, "")
    }

    /// Replaces the occurrence called `name`.
    pub fn replace(self, name: &str, to: &'static str) -> Edit {
        assert_ne!(name, Self::OTHER);
        let mut named = (0..self.names.len()).filter(|&index| self.names[index] == name);
        let index = named.next().expect("a place of this name");
        assert_eq!(named.next(), None, "a second place called {name}");
        Edit {
            from: self.pattern,
            to,
            index,
            count: self.names.len(),
        }
    }

    /// The same names for the occurrences of another pattern.
    pub const fn of(self, pattern: &'static str) -> Self {
        Self { pattern, ..self }
    }

    /// Other names, for the occurrences of the same pattern in another kernel.
    pub const fn named(self, names: &'static [&'static str]) -> Self {
        Self { names, ..self }
    }
}

impl Edit {
    /// Removes the only occurrence of `from`.
    pub const fn remove(from: &'static str) -> Self {
        Self::replace(from, "")
    }

    /// Replaces the only occurrence of `from`.
    pub const fn replace(from: &'static str, to: &'static str) -> Self {
        Self {
            from,
            to,
            index: 0,
            count: 1,
        }
    }

    /// The changed text. The pattern must occur as often as the edit says.
    pub fn apply(self, text: &str) -> String {
        let found = occurrences(text, self.from);
        assert_eq!(found.len(), self.count, "occurrences of {:?}", self.from);
        let found = &found[self.index];
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

/// If the text starts with a match of the pattern: the length of the match, and the words that each `*` matches.
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
fn an_edit_finds_its_occurrence_and_keeps_the_words() {
    let text = "st.b32 [%r1+8], %r2; st.b32 [%r3+8], %r4; st.b32 [%r5+4], %r6;";
    let stores = Places {
        pattern: "st.b32 [*+8], *;",
        names: &[Places::OTHER, "second"],
    };
    assert_eq!(
        stores.replace("second", "st.u8 [*], *;").apply(text),
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
