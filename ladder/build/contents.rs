//! The two texts that the kernels come in, so that what one of them needs is not asked of both.

use crate::finish::Contents;

/// The text of the kernels that are launched by the host alone.
pub const LADDER: Contents = Contents {
    has: |entry| !is_nested(entry),
    has_declarations: false,
    bounds,
};

/// The text of the kernels that launch kernels, and call functions that are in no text.
pub const NESTED: Contents = Contents {
    has: is_nested,
    has_declarations: true,
    bounds,
};

fn is_nested(entry: &str) -> bool {
    entry.starts_with("ladder_recursive_") || entry.starts_with("ladder_nested_")
}

/// Blocks may have as many threads as any.
fn bounds(_entry: &str) -> String {
    ".maxntid 1024, 1, 1\n".to_owned()
}
