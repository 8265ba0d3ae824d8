//! Random calls and random sequences of calls. Their results are compared with results that the host computes.
//!
//! For integers, the expected results come from plain loops in this test. For floats, they are the results of a call on the CPU. In both
//! cases, the test compares the results bit for bit. For calls whose results do not depend on the order of combination, a further test
//! compares the CPU's results with those of plain loops. A failing case is made smaller before it is shown. Every run tries the same cases,
//! unless it is given another seed:
//!
//! ```text
//! WARPFOLD_RANDOM_SEED=7 cargo test --release -p warpfold --test random
//! cargo xtask random --minutes 60
//! ```
//!
//! If `WARPFOLD_RANDOM_CASES` is set, each test tries this number of cases, instead of the number in the test's source.
//!
//! The seed of a failed case stays in `random/regressions`, and the case is tried first from then on. A seed gives the same case only as
//! long as the strategies here do not change. So a bug that a case has shown deserves a test of its own. The tests that choose no virtual
//! device also run on a real GPU, where policies and checks have no effect.
//!
//! In [`arguments`], the arguments of calls may overlap, be too short, or lie at wrong addresses.
//!
//! Other tests cover scans of more than 16 MiB, whose tiles have another shape (`long_scans`), and failing driver calls (`errors`).

#[path = "random/arguments.rs"]
mod arguments;
#[path = "random/call.rs"]
mod call;
#[path = "common/child.rs"]
mod child;
mod common;
#[path = "random/contents.rs"]
mod contents;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "bits/edges.rs"]
#[allow(dead_code, reason = "used in part")]
mod edges;
#[path = "random/expected.rs"]
mod expected;
#[path = "common/graph.rs"]
mod graph;
#[path = "bits/guarded.rs"]
mod guarded;
#[path = "random/lengths.rs"]
mod lengths;
#[path = "random/property.rs"]
mod property;
#[path = "random/rows.rs"]
mod rows;
#[path = "random/schedule.rs"]
mod schedule;
#[path = "random/sequence.rs"]
mod sequence;
#[path = "common/texts.rs"]
mod texts;

use arguments::{Case, Strangers};
use call::Call;
use child::in_child;
use common::gpu;
use lengths::Lengths;
use property::{Property, property};
use sequence::Plan;
use warpfold::Gpu;

/// Arguments that overlap, are too short, or have wrong addresses.
#[test]
fn arguments_of_calls() {
    let two = [("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_DEVICES", "2")];
    in_child("arguments_of_calls", &two, || {
        let other = Gpu::with_device(1).unwrap();
        let strangers = Strangers::new(&other);
        let check = |case: &Case| case.check(&strangers);
        property!("arguments", 4000, 0).holds(&Case::strategy(), check);
    });
}

/// Calls on a few tiles.
fn short_calls(cases: u32, variant: u64) {
    property!("short_calls", cases, variant).holds(&Call::strategy(Lengths::Short), Call::check);
}

#[test]
fn calls() {
    short_calls(600, 0);
}

#[test]
fn calls_on_one_multiprocessor() {
    let device = [
        ("VIRTUAL_GPU", "on"),
        ("VIRTUAL_GPU_SMS", "1"),
        ("VIRTUAL_GPU_ARCH", "sm_70"),
    ];
    in_child("calls_on_one_multiprocessor", &device, || {
        short_calls(200, 1)
    });
}

#[test]
fn calls_on_many_multiprocessors() {
    let device = [
        ("VIRTUAL_GPU", "on"),
        ("VIRTUAL_GPU_SMS", "132"),
        ("VIRTUAL_GPU_ARCH", "sm_80"),
    ];
    in_child("calls_on_many_multiprocessors", &device, || {
        short_calls(200, 2)
    });
}

/// Longer calls: some on several tile groups, some on slices of several pieces.
#[test]
fn long_calls() {
    property!("long_calls", 32, 0).holds(&Call::strategy(Lengths::Long), Call::check);
}

#[test]
fn sequences_of_calls() {
    property!("sequences", 60, 0).holds(&Plan::strategy(), Plan::check);
}

#[test]
fn the_reference_is_right_where_the_order_does_not_matter() {
    property!("reference", 1000, 0).holds(&Call::strategy(Lengths::Short), Call::check_reference);
}
