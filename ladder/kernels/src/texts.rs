//! The two texts of the kernels. They are separate because only one text has to be linked.

/// A text of kernels.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// The name of its file, without `.ptx`.
    pub name: &'static str,
    /// Whether the text has the entry of this name.
    pub has: fn(&str) -> bool,
    /// Whether the text declares external functions and global variables. The functions launch kernels and print; the variables are the
    /// printed lines.
    pub has_declarations: bool,
}

/// The most threads of a block: the limit of the hardware.
pub const MOST_THREADS: u32 = 1024;

/// The text of the kernels that only the host launches.
pub const LADDER: Text = Text {
    name: "ladder",
    has: |entry| !is_nested(entry),
    has_declarations: false,
};

/// The text of the kernels that launch kernels.
pub const NESTED: Text = Text {
    name: "ladder_nested",
    has: is_nested,
    has_declarations: true,
};

fn is_nested(entry: &str) -> bool {
    entry.starts_with("ladder_recursive_") || entry.starts_with("ladder_nested_")
}
