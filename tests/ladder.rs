//! The ladder: every rung is right on every size, with every block size that it claims.

mod common;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "ladder/guide.rs"]
mod guide;
#[path = "ladder/right.rs"]
mod right;
#[path = "ladder/scan.rs"]
mod scan;
#[path = "ladder/scan_counts.rs"]
mod scan_counts;
