//! Lane instructions an item: a budget, so that a change of the kernels or of the compiler that costs many is seen.
//!
//! The numbers are counts of the PTX as it is written, measured on 2026-11-20 with rustc 1.97.0-nightly (2026-05-19).
//! After a change that is meant, take the new ones from the failures:
//!
//! ```text
//! cargo test -p warpfold --test counters instructions
//! ```

use virtual_gpu::Policy;
use warpfold::{Max, Op, Sum};
use warpfold_kernels::contract::tile_items;

use crate::data::{Sample, ordinary};
use crate::engine::{Engine, SM_70, SM_90};
use crate::unwatched;

/// How far a count may be from its budget.
const PERCENT: f64 = 5.0;

/// Items of 16 whole tiles.
fn items<O: Op<T>, T: Sample>() -> Vec<T> {
    ordinary::<O, T>(16 * tile_items::<T>() as usize)
}

#[track_caller]
fn assert_budget(symbol: &str, lane_instructions: u64, item_count: usize, budget: f64) {
    let each = lane_instructions as f64 / item_count as f64;
    assert!(
        (each / budget - 1.0).abs() <= PERCENT / 100.0,
        "{symbol}: {each:.2} lane instructions an item, not {budget}"
    );
}

#[test]
fn of_reductions() {
    fn check<O: Op<T>, T: Sample>(symbol: &str, budget: f64) {
        let items = items::<O, T>();
        let engine = Engine::new::<T>(SM_90, 4, &SM_90.kernel(symbol), items.len());
        let (_, counters) = engine.reduce(&items, &unwatched(Policy::OneBlock)).unwrap();
        assert_budget(symbol, counters.lane_instructions(), items.len(), budget);
    }
    check::<Sum, f32>("reduce_sum_f32", 4.60);
    check::<Sum, u64>("reduce_sum_u64", 13.96);
    check::<Max, f64>("reduce_max_f64", 23.44);
}

#[test]
fn of_scans() {
    fn check<O: Op<T>, T: Sample>(symbol: &str, budgets: [f64; 2]) {
        let items = items::<O, T>();
        for (generation, budget) in [SM_70, SM_90].into_iter().zip(budgets) {
            let engine = Engine::new::<T>(generation, 1, &generation.kernel(symbol), items.len());
            let (_, counters) = engine.scan(&items, &unwatched(Policy::OneBlock)).unwrap();
            assert_budget(symbol, counters.lane_instructions(), items.len(), budget);
        }
    }
    check::<Sum, f32>("inclusive_scan_sum_f32", [20.25, 21.89]);
    check::<Sum, u64>("inclusive_scan_sum_u64", [66.14, 69.95]);
    check::<Max, f64>("exclusive_scan_max_f64", [99.33, 103.13]);
}
