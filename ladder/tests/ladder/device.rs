//! The ladder that the tests of this process share.

use std::sync::OnceLock;

pub use warpfold_ladder::Item;
use warpfold_ladder::Ladder;

use crate::common::gpu;

/// The process-wide ladder. Its context becomes current on this thread.
pub fn ladder() -> &'static Ladder {
    static LADDER: OnceLock<Ladder> = OnceLock::new();
    gpu();
    LADDER.get_or_init(|| Ladder::new().expect("a GPU, real or virtual"))
}
