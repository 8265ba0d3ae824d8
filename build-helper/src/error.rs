//! What can go wrong.

/// What is wrong with a text that the compiler emitted, which no operator should be able to cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the compiler's PTX is not what is expected: {what}")]
pub struct Problem {
    what: String,
}

impl Problem {
    /// Something that is not expected.
    pub fn unexpected(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}
