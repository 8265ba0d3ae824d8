//! Errors of a build.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::advice::advice;
use crate::reason::Reason;
use crate::variables::{LOCKED, UPDATE};
use crate::variant::TARGET;

/// Why a file of committed device code is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The source has changed.
    #[error("is of another source: the file has changed since")]
    Source,
    /// The library has changed.
    #[error("was made by another version of warpfold")]
    Library,
    /// The file is damaged, or is not a file of device code.
    #[error("is damaged")]
    Damaged,
}

/// Why a build of a file of operators or kernels failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or a folder cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// No toolchain can compile for the device.
    #[error(
        "{}kernels have to be compiled for the GPU, and {compiler} has no target `{target}`. Add it by\n\n    \
         rustup target add {target}\n\n\
         or, to a nightly toolchain, what it is built from: `rustup component add rust-src --toolchain nightly`. \
         Device code that is committed needs neither: `{update}=1 cargo build` makes it, where the target is.",
        NotUsed(.committed.as_ref()),
        target = TARGET,
        update = UPDATE
    )]
    NoToolchain {
        /// The compiler in use, as it names itself.
        compiler: String,
        /// The committed device code, if there is any, and why it is not used.
        committed: Option<(PathBuf, Unfit)>,
    },
    /// The committed device code does not fit, and `WARPFOLD_LOCKED` or `WARPFOLD_UPDATE=check` demands that it fits.
    #[error(
        "{} {unfit}. `{update}=1 cargo build` writes it anew. It has to fit because {locked} is set, or {update}=check.",
        .path.display(), update = UPDATE, locked = LOCKED
    )]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why it does not fit.
        unfit: Unfit,
    },
    /// `WARPFOLD_LOCKED` or `WARPFOLD_UPDATE=check` demands committed device code, and there is none.
    #[error(
        "there is no {}, and {locked} or {update}=check is set. `{update}=1 cargo build` writes it.",
        .path.display(), update = UPDATE, locked = LOCKED
    )]
    NotCommitted {
        /// Where the device code should be.
        path: PathBuf,
    },
    /// The committed device code differs from the code that the source compiles to.
    #[error(
        "{} is not what this source and this compiler give: {} is another kernel. Another version of the compiler may give \
         another text; else somebody has changed the file. `{update}=1 cargo build` writes it anew.",
        .path.display(), symbol.as_deref().unwrap_or("one too many"), update = UPDATE
    )]
    Differs {
        /// The file.
        path: PathBuf,
        /// The first kernel that differs; `None` if the file only has extra kernels.
        symbol: Option<String>,
    },
    /// The file of committed device code is not written, because a text in it would not unpack unchanged.
    #[error("{} cannot be written: it would not be read as these kernels", .path.display())]
    NotPacked {
        /// The file.
        path: PathBuf,
    },
    /// Two rows of `operators!` have the same name.
    #[error("two rows are called `{name}`, in lines {} and {}: kernels are named by their rows. Give one another name.", .lines[0], .lines[1])]
    EqualNames {
        /// The name.
        name: String,
        /// The lines of the two rows.
        lines: [usize; 2],
    },
    /// Two rows of `operators!` have kernels in common.
    #[error(
        "the rows `{}` and `{}`, in lines {} and {}, are of one operator and one type of items: one row gives all of their kernels. Leave \
         the other out.",
        .names[0], .names[1], .lines[0], .lines[1]
    )]
    EqualRows {
        /// The names of the two rows.
        names: [String; 2],
        /// Their lines.
        lines: [usize; 2],
    },
    /// The compiler or cargo failed, with these messages.
    #[error("{}the file does not compile for the GPU ({target}):\n{messages}", advice(.messages))]
    Compiler {
        /// The architecture.
        target: &'static str,
        /// The compiler's messages.
        messages: String,
    },
    /// `WARPFOLD_ARCHITECTURES` names an architecture other than `sm_90` and `sm_70`.
    #[error("WARPFOLD_ARCHITECTURES names `{0}`; there are `sm_90` and `sm_70`")]
    UnknownArchitecture(String),
    /// The refused operators or kernels.
    #[error("{}", Refusals(.0))]
    Refused(Vec<Refusal>),
    /// The compiler emitted something that no operator should be able to cause.
    #[error(transparent)]
    Unexpected(#[from] Problem),
}

/// A refused function of an operator, or a refused kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The name of the operator's function, such as `combine`; or the kind of the kernel.
    pub function: String,
    /// The name of the row in `operators!`, or of the function in `kernels!`.
    pub operator: String,
    /// The row's line in the file, if it is known.
    pub line: Option<usize>,
    /// Why.
    pub reason: Reason,
    /// Whether the row has a reduction that is not refused. Such a row would be accepted if it said `reduction only`.
    pub may_reduce_only: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            function,
            operator,
            line,
            reason,
            may_reduce_only,
        } = self;
        let advice = reason.advice();
        write!(f, "`{function}` of `{operator}`")?;
        if let Some(line) = line {
            write!(f, ", whose row is in line {line}")?;
        }
        write!(f, ": {reason}\n  instead: {advice}")?;
        if *reason == Reason::LocalMemory && *may_reduce_only {
            write!(
                f,
                ". A scan holds more values at a time than a reduction: where no scan is wanted, write `reduction only` after the row"
            )?;
        }
        Ok(())
    }
}

/// Committed device code that is not used.
struct NotUsed<'a>(Option<&'a (PathBuf, Unfit)>);

impl fmt::Display for NotUsed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((path, unfit)) => write!(f, "{} {unfit}. So ", path.display()),
            None => Ok(()),
        }
    }
}

struct Refusals<'a>(&'a [Refusal]);

impl fmt::Display for Refusals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operators that cannot run on a GPU:")?;
        for refusal in self.0 {
            write!(f, "\n{refusal}")?;
        }
        Ok(())
    }
}

/// The compiler's PTX is not as expected, and no operator should be able to cause that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the compiler's PTX is not what is expected: {what}")]
pub struct Problem {
    what: String,
}

impl From<warpfold_ptx::Malformed> for Problem {
    fn from(malformed: warpfold_ptx::Malformed) -> Self {
        Self::unexpected(malformed.to_string())
    }
}

impl Problem {
    /// A problem with this description.
    pub fn unexpected(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}
