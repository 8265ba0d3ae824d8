//! From the function that the compiler emitted for an entry to the kernel's text.

use std::fmt::Write;

use super::narrow;
use super::space::{self, SHARED_ARRAY};
use super::statement::Statement;
use super::text::Function;
use crate::error::Problem;

/// How a kernel is launched, for the driver's compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most threads of a block.
    pub threads: u32,
    /// How many blocks are to share a multiprocessor.
    pub blocks: u32,
}

/// The kernel that a function of the compiler's is meant to be, from its body with the hooks' instructions.
pub fn kernel<'a>(
    function: &Function<'a>,
    mut body: Vec<Statement>,
) -> Result<Function<'a>, Problem> {
    space::resolve(function.name, &mut body).map_err(|stray| {
        Problem::unexpected(format!(
            "{} accesses memory that is neither shared nor an argument's: {}",
            function.name, stray.instruction
        ))
    })?;
    Ok(Function {
        name: function.name,
        parameters: function.parameters.clone(),
        body: narrow::mask(body),
    })
}

/// The text of a kernel as an entry.
pub fn entry(kernel: &Function, bounds: Bounds) -> String {
    let mut text = format!(".visible .entry {}(\n\t", kernel.name);
    text.push_str(&kernel.parameters.join(",\n\t"));
    let Bounds { threads, blocks } = bounds;
    let _ = write!(
        text,
        "\n)\n.maxntid {threads}, 1, 1\n.minnctapersm {blocks}\n{{\n"
    );
    for statement in &kernel.body {
        if !matches!(statement, Statement::Label(_)) {
            text.push('\t');
        }
        let _ = writeln!(text, "{statement}");
    }
    text.push_str("}\n");
    text
}

/// What a text begins with: the version of PTX, the architecture, and the block's shared memory.
pub fn preamble(version: &str, architecture: &str) -> String {
    format!(
        ".version {version}\n.target {architecture}\n.address_size 64\n\
         .extern .shared .align 128 .b8 {SHARED_ARRAY}[];\n"
    )
}
