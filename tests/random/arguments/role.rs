//! The role of an argument in a call.

/// Which lengths an argument may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    /// The call takes the number of items from the argument's length.
    Given,
    /// An argument of fewer than `items` items is refused.
    Needed,
    /// An argument of fewer than `items` items is filled to its end.
    Any,
}

/// The requirements for an argument of a call.
#[derive(Debug, Clone, Copy)]
pub struct Role {
    pub item_bytes: usize,
    /// The most items that the call accesses.
    pub items: usize,
    pub is_written: bool,
    /// Whether it may be the same memory as the first argument.
    pub is_in_place: bool,
    pub length: Length,
    pub contents: Contents,
}

/// The contents of an argument before the call.
#[derive(Debug, Clone, Copy)]
pub enum Contents {
    /// The arena's random bytes.
    Arena,
    /// Offsets that divide this many items into segments. They may be wrong.
    Offsets(usize),
    /// A number of items, rows or segments. It may be too large.
    Count,
}

impl Role {
    pub const fn read(item_bytes: usize, items: usize) -> Self {
        Self {
            item_bytes,
            items,
            is_written: false,
            is_in_place: false,
            length: Length::Given,
            contents: Contents::Arena,
        }
    }

    pub fn written(item_bytes: usize, items: usize) -> Self {
        Self {
            is_written: true,
            length: Length::Needed,
            ..Self::read(item_bytes, items)
        }
    }

    pub fn any_length(self) -> Self {
        Self {
            length: Length::Any,
            ..self
        }
    }

    pub fn of_given_length(self) -> Self {
        Self {
            length: Length::Given,
            ..self
        }
    }

    pub fn as_long_as_others(self) -> Self {
        Self {
            length: Length::Needed,
            ..self
        }
    }

    pub fn in_place(self) -> Self {
        Self {
            is_in_place: true,
            ..self
        }
    }

    pub fn offsets(self, items: usize) -> Self {
        Self {
            contents: Contents::Offsets(items),
            ..self
        }
    }

    pub fn count(self) -> Self {
        Self {
            contents: Contents::Count,
            length: Length::Needed,
            ..self
        }
    }
}
