//! Launches without the library's host code. The results are the same under many schedules, on devices of 1, 7 and 132 multiprocessors, and
//! when the tags are used up. The cost of a launch is counted, too.

use virtual_gpu::{Checks, Counters, Policy, RunOptions};
use warpfold::{Cpu, Equal, NonZero, runs, select};
use warpfold_kernels::selection::{Before, BeforeRun, tile_items};

use crate::data::{Random, assert_same_bits};
use crate::engine::{Engine, GENERATIONS, Generation, SM_90, SelectionOutput};
use crate::schedule::schedules;
use crate::shapes;

const SELECT: &str = "select_if_non_zero_u32";
const RUNS: &str = "runs_equal_u32";

/// Checks a selection of the items that are not 0, with a second output for the others.
fn assert_selects(engine: &Engine, items: &[u32], options: &RunOptions) -> Counters {
    let SelectionOutput {
        count,
        items: selected,
        others,
        counters,
        ..
    } = engine
        .select::<u32, Before>(items, options)
        .unwrap_or_else(|error| panic!("{options:?}: {error}"));
    let expected = select::<NonZero, _>(items).partition().wait(Cpu).unwrap();
    assert_eq!(count as usize, expected.0.len());
    let what = format!("{options:?}");
    assert_same_bits(&selected[..expected.0.len()], &expected.0, &what);
    assert_same_bits(&others[..expected.1.len()], &expected.1, &what);
    counters
}

/// Checks the first item and the length of each run.
fn assert_encodes(engine: &Engine, items: &[u32], options: &RunOptions) -> Counters {
    let SelectionOutput {
        count,
        items: keys,
        lengths,
        counters,
        ..
    } = engine
        .select::<u32, BeforeRun>(items, options)
        .unwrap_or_else(|error| panic!("{options:?}: {error}"));
    let expected = runs::<Equal, _>(items).lengths().wait(Cpu).unwrap();
    assert_eq!(count as usize, expected.0.len());
    let what = format!("{options:?}");
    assert_same_bits(&keys[..expected.0.len()], &expected.0, &what);
    assert_same_bits(
        &lengths[..expected.0.len()],
        &crate::words(&expected.1),
        &what,
    );
    counters
}

fn items(count: usize) -> Vec<u32> {
    let mut random = Random::new(3);
    (0..count).map(|_| random.below(3) as u32).collect()
}

/// The same kernel, in which a launch of more than one tile counts as long. The kernel compares the number of tiles with 1024.
fn with_short_launches_as_long(text: &str) -> String {
    let mut changed = String::new();
    for line in text.split_inclusive('\n') {
        let line = match line.trim_start().starts_with("setp.") {
            true => line.replace(", 1024;", ", 1;").replace(", 1025;", ", 2;"),
            false => line.to_owned(),
        };
        changed += &line;
    }
    assert_ne!(changed, text, "no comparison is found");
    changed
}

/// Checks selections and runs of `count` items under many schedules. `text_of` makes the text that is launched from a kernel's text.
fn assert_any_schedule(count: usize, multiprocessors: &[u32], text_of: impl Fn(String) -> String) {
    let items = items(count);
    let runs = shapes::runs::<u32>(&shapes::random_lengths(&mut Random::new(4), count, 9000));
    for (turn, options) in schedules(1).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let multiprocessors = multiprocessors[turn / 3 % multiprocessors.len()];
        let engine = |kernel| {
            let text = text_of(generation.kernel(kernel));
            Engine::new_for_selection::<u32>(generation, multiprocessors, &text, count)
        };
        assert_selects(&engine(SELECT), &items, &options);
        assert_encodes(&engine(RUNS), &runs, &options);
    }
}

#[test]
fn any_schedule() {
    assert_any_schedule(4 * tile_items::<u32>() + 9, &[1, 7, 132], |text| text);
}

/// Long launches look back in another way. Ten tiles of one block take ten turns.
#[test]
fn any_schedule_of_long_launches() {
    let text_of = |text: String| with_short_launches_as_long(&text);
    assert_any_schedule(9 * tile_items::<u32>() + 9, &[1, 2], text_of);
}

#[test]
fn many_groups_of_tiles() {
    let tile = tile_items::<u32>();
    let count = 67 * tile;
    let mut random = Random::new(4);
    let lists = [
        vec![count],
        shapes::random_lengths(&mut random, count, 40 * tile),
        vec![33 * tile + 1, 33 * tile - 1, tile],
    ];
    for lengths in lists {
        for policy in [Policy::OneBlock, Policy::ALL[0]] {
            let text = SM_90.kernel(RUNS);
            let engine = Engine::new_for_selection::<u32>(SM_90, 3, &text, count);
            let options = RunOptions {
                policy,
                checks: Checks::none(),
                ..RunOptions::default()
            };
            assert_encodes(&engine, &shapes::runs::<u32>(&lengths), &options);
        }
    }
}

#[test]
fn the_last_tag() {
    let count = 4 * tile_items::<u32>() - 5;
    let items = items(count);
    let text = SM_90.kernel(SELECT);
    for options in schedules(1) {
        let engine = Engine::new_for_selection::<u32>(SM_90, 1, &text, count);
        engine.set_epoch(u32::MAX - 1);
        assert_selects(&engine, &items, &options);
        assert_eq!(engine.epoch(), 0);
        assert!(engine.is_clear());
        assert_selects(&engine, &items, &options);
        assert_eq!(engine.epoch(), 1);
    }
}

/// The cost of a launch in which no block waits.
fn cost(
    generation: Generation,
    kernel: &str,
    call: impl Fn(&Engine, &RunOptions) -> Counters,
) -> Counters {
    let text = generation.kernel(kernel);
    let engine = Engine::new_for_selection::<u32>(generation, 2, &text, ITEMS);
    let options = RunOptions {
        policy: Policy::OneBlock,
        checks: Checks::none(),
        ..RunOptions::default()
    };
    call(&engine, &options)
}

const ITEMS: usize = 16 * tile_items::<u32>();

#[test]
fn each_item_is_moved_once() {
    let items = items(ITEMS);
    let runs = shapes::runs::<u32>(&vec![32; ITEMS / 32]);
    for generation in GENERATIONS {
        // Each item is read once, and written once, to one output or the other.
        let counters = cost(generation, SELECT, |engine, options| {
            assert_selects(engine, &items, options)
        });
        // Besides the items, blocks access the tickets, published values and the count.
        let bytes = 4 * ITEMS as u64;
        let beside = 16 * 1024;
        let (read, written) = (counters.global_bytes_read, counters.global_bytes_written);
        assert!(
            (bytes..bytes + beside).contains(&read),
            "{read} bytes are read"
        );
        assert!(
            (bytes..bytes + 1024).contains(&written),
            "{written} bytes are written"
        );
        assert_eq!(counters.local_bytes, 0);
        let counters = cost(generation, RUNS, |engine, options| {
            assert_encodes(engine, &runs, options)
        });
        let (read, written) = (counters.global_bytes_read, counters.global_bytes_written);
        // Each lane also reads the item before its warp's first item.
        let beside = beside + 4 * ITEMS as u64 / 16;
        assert!(
            (bytes..bytes + beside).contains(&read),
            "{read} bytes are read"
        );
        assert!(
            (bytes / 16..bytes / 16 + 2048).contains(&written),
            "{written} bytes are written"
        );
    }
}
