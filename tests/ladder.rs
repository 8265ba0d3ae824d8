//! The ladder: every rung is right on every size, with every block size that it claims, and costs what its document
//! says.

#[path = "ladder/access.rs"]
mod access;
#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "ladder/guide.rs"]
mod guide;
#[path = "ladder/guide_counts.rs"]
mod guide_counts;
#[path = "ladder/launches.rs"]
mod launches;
#[path = "ladder/nested.rs"]
mod nested;
#[path = "ladder/races.rs"]
mod races;
#[path = "ladder/reduce_counts.rs"]
mod reduce_counts;
#[path = "ladder/refusals.rs"]
mod refusals;
#[path = "ladder/right.rs"]
mod right;
#[path = "ladder/scan.rs"]
mod scan;
#[path = "ladder/scan_counts.rs"]
mod scan_counts;
