//! The two texts of the kernels. The texts are separate because only the kernels that launch kernels have to be linked with a library.

/// The PTX of several kernels, in one file.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// The file's name, without `.ptx`.
    pub name: &'static str,
    /// Whether the text has the entry of this name.
    pub has: fn(&str) -> bool,
    /// Whether the text declares external functions and global variables. The functions launch kernels and print. The variables are the
    /// formats of the printed lines.
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
