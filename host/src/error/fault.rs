//! The errors of calls that the ranks of a group make together.

use std::fmt;
use std::time::Duration;

/// Why the ranks of a group could not complete a call together. After [`Self::Nccl`], [`Self::TimedOut`], [`Self::RankFailed`] and
/// [`Self::RankLeft`], the outputs are unspecified.
///
/// ```
/// use std::time::Duration;
/// use warpfold::group::{Fault, Member, UniqueId};
/// use warpfold::{Error, Gpu};
///
/// # fn main() -> warpfold::Result<()> {
/// let id = UniqueId::from_bytes([0; UniqueId::BYTES]);
/// let gpu = Gpu::new()?;
/// let joined = Member::join(&gpu, &id, 2, 2, Duration::from_secs(1));
/// assert_eq!(joined.err(), Some(Error::Group(Fault::NoSuchRank { rank: 2, size: 2 })));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no NCCL library.
    #[error(
        "no NCCL library: looked for {looked_for} with the system's loader ({reason}); it comes with the CUDA toolkit's packages \
         (`libnccl2`) and with PyPI's `nvidia-nccl-cu13`, whose folder `LD_LIBRARY_PATH` may name"
    )]
    LibraryNotFound {
        /// The names that were tried.
        looked_for: &'static str,
        /// The loader's message for each name.
        reason: String,
    },

    /// The NCCL library is too old.
    #[error("{library} has no function {function}: NCCL 2.14 or later is needed")]
    FunctionMissing {
        /// The library's name.
        library: &'static str,
        /// The function that the library lacks.
        function: &'static str,
    },

    /// A call of NCCL failed. The group, if it was already made, has ended.
    #[error("{call} failed with {code}: {reason}")]
    Nccl {
        /// The call.
        call: &'static str,
        /// Its `ncclResult_t`.
        code: i32,
        /// NCCL's message.
        reason: String,
    },

    /// The rank does not exist: ranks are numbered from 0 to `size − 1`.
    #[error("there is no rank {rank} of {size}: ranks are numbered from 0")]
    NoSuchRank {
        /// The rank that was named.
        rank: usize,
        /// The number of ranks.
        size: usize,
    },

    /// Some ranks, perhaps including this rank, did not make the call within the time limit. The group, if it was already made, has ended.
    #[error("waited {limit:?} for other ranks, {}", missing_ranks(missing))]
    TimedOut {
        /// The group's limit.
        limit: Duration,
        /// The missing ranks; empty if they are not known.
        missing: Vec<usize>,
    },

    /// A rank's call differs from rank 0's call. Nothing was done. All ranks get this error, and the group can still be used.
    #[error(
        "rank {rank} does not do what rank 0 does: its {matter} is {found}, rank 0's {expected}"
    )]
    Disagreement {
        /// The first rank that differs.
        rank: usize,
        /// The subject of the disagreement.
        matter: Matter,
        /// The value of `matter` on that rank.
        found: String,
        /// The value of `matter` on rank 0.
        expected: String,
    },

    /// A rank claims a share that is too long for the memory of any device. Nothing was done. All ranks get this error, and the group can
    /// still be used.
    #[error(
        "rank {rank} says that its share has {item_count} items, more than any device has memory for"
    )]
    ShareTooLong {
        /// The first rank whose share is too long.
        rank: usize,
        /// The number of items that the rank claims.
        item_count: u64,
    },

    /// The shares together have more than `u64::MAX` items. Nothing was done. All ranks get this error, and the group can still be used.
    #[error("the shares have more than {} items together", u64::MAX)]
    TooLong,

    /// The call failed on another rank. The error on that rank gives the reason. The group can still be used.
    #[error("the call failed on rank {rank}, whose error says why")]
    RankFailed {
        /// The first rank on which the call failed.
        rank: usize,
    },

    /// A rank has left the group: its member was dropped, or one of its calls failed halfway. The group has ended.
    #[error("rank {rank} has left the group")]
    RankLeft {
        /// The rank.
        rank: usize,
    },

    /// An earlier call has ended the group, or the context of this rank's GPU was lost. Make a new group.
    #[error("an earlier call failed in the middle and dissolved the group: make a new one")]
    Dissolved,
}

/// The possible subjects of a disagreement.
///
/// ```
/// assert_eq!(warpfold::group::Matter::Root.to_string(), "rank that gets the result");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Matter {
    /// The number of the call. Each rank counts its calls.
    Call,
    /// The kernel: its kind, its operator, its item type.
    Kernel,
    /// The size of an item in bytes.
    ItemBytes,
    /// Which ranks get the result.
    Root,
}

impl fmt::Display for Matter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call => "call's number",
            Self::Kernel => "kernel",
            Self::ItemBytes => "size of an item in bytes",
            Self::Root => "rank that gets the result",
        })
    }
}

fn missing_ranks(ranks: &[usize]) -> String {
    let list: Vec<_> = ranks.iter().map(usize::to_string).collect();
    match ranks {
        [] => "which have not come".to_owned(),
        [_] => format!("and rank {} has not come", list[0]),
        _ => format!("and the ranks {} have not come", list.join(", ")),
    }
}
