//! What an argument has to be for a call.

/// What is allowed of an argument's length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    /// It says how many items there are.
    Given,
    /// Fewer items are refused.
    Needed,
    /// Fewer are written then.
    Any,
}

/// What an argument has to be for a call.
#[derive(Debug, Clone, Copy)]
pub struct Role {
    pub item_bytes: usize,
    /// The most items that are touched.
    pub items: usize,
    pub is_written: bool,
    /// Whether it may be the first argument, item for item.
    pub is_in_place: bool,
    pub length: Length,
    pub contents: Contents,
}

/// The contents of an argument before the call.
#[derive(Debug, Clone, Copy)]
pub enum Contents {
    /// What is in the arena.
    Arena,
    /// Offsets of segments of this many items, perhaps wrong ones.
    Offsets(usize),
    /// A number of items, perhaps beyond all.
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
