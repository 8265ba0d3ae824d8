//! Tests, for each kind of stream, whether a waiting call runs after earlier work on such a stream. The tests check the table in the
//! documentation of `warpfold`'s bindings, row by row, for raw memory.
//!
//! On the virtual GPU, a data race between unordered work ends the context. A real GPU returns some number and no error, so these tests run
//! unordered work only on the virtual GPU.

use virtual_gpu::Mode;
use virtual_gpu::driver::{Finding, take_findings};
use warpfold::{Max, Result, Sum, reduce, scan};

use super::child::in_child;
use super::common::{gpu, mode};
use super::raw::{Kind, Raw, finish};
use super::skip::skip;
use super::suite::Binding;

const ITEMS: u32 = 60_000;

/// Scans an array of ones on a stream of this kind. A waiting call then finds the greatest sum. Returns this sum, and the code that the
/// driver returns when the stream is then synchronized.
fn greatest_sum_after_work_on(kind: Kind) -> (Result<u32>, i32) {
    let raw = Raw::new(kind);
    let ones = raw.upload(&vec![1_u32; ITEMS as usize]);
    let mut sums = raw.upload(&vec![0_u32; ITEMS as usize]);
    let stream = raw.stream();
    scan::<Sum, _>(&ones)
        .to(&mut sums)
        .queue(gpu(), &stream)
        .unwrap();
    let greatest = reduce::<Max, _>(&sums).wait(gpu());
    (greatest, finish(&stream))
}

#[test]
fn a_waiting_call_comes_after_the_legacy_default_stream() {
    assert_eq!(greatest_sum_after_work_on(Kind::Legacy), (Ok(ITEMS), 0));
}

#[test]
fn a_waiting_call_comes_after_a_blocking_stream() {
    assert_eq!(greatest_sum_after_work_on(Kind::Blocking), (Ok(ITEMS), 0));
}

#[test]
fn a_waiting_call_comes_after_the_threads_default_stream() {
    assert_eq!(greatest_sum_after_work_on(Kind::PerThread), (Ok(ITEMS), 0));
}

/// The race ends the context, so this test runs in a separate process.
#[test]
fn a_waiting_call_does_not_come_after_a_non_blocking_stream() {
    let test = "orders::a_waiting_call_does_not_come_after_a_non_blocking_stream";
    if mode() == Mode::Real {
        skip(test, "a real GPU gives some number, and no error");
        return;
    }
    in_child(test, &[], || {
        let (greatest, code) = greatest_sum_after_work_on(Kind::NonBlocking);
        assert_ne!((greatest, code), (Ok(ITEMS), 0));
        let findings = take_findings();
        assert!(
            matches!(findings[..], [Finding::StreamRace(_)]),
            "{findings:?}"
        );
    });
}
