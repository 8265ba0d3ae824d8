//! The parts that the kernels come in: each a PTX text of its own, so that what one of them needs is not asked of all.

/// Which kernels a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Those of the library.
    Library,
    /// Those of the ladder.
    Ladder,
    /// Those of the ladder that launch kernels, and call functions that are in no text.
    Nested,
}

impl Part {
    /// The part that an entry belongs to, by its name.
    pub fn of(entry: &str) -> Self {
        let begins_with = |start| entry.starts_with(start);
        if begins_with("ladder_recursive_") || begins_with("ladder_nested_") {
            Part::Nested
        } else if begins_with("ladder_") {
            Part::Ladder
        } else {
            Part::Library
        }
    }
}
