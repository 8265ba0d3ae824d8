//! The ladder: rungs give correct results for many sizes and block sizes, at the costs that the documents state.

mod access;
#[path = "../../../tests/common/child.rs"]
mod child;
#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
mod device;
#[path = "../../../tests/common/graph.rs"]
#[allow(dead_code, reason = "used in part")]
mod graph;
mod guide;
mod guide_counts;
mod kept;
mod launches;
mod nested;
mod races;
mod reduce_counts;
mod refusals;
mod right;
mod scan;
mod scan_counts;
