//! Compares the costs of kernels with their budgets in `budgets.csv`, beside this file. These kernels have no budgets: reductions and scans
//! of segments, reductions of pairs, selections by flags, kernels that mark heads, and kernels by key.
//!
//! A budget is a number of lane instructions for each item. The virtual GPU counts them in runs of the committed PTX. The test fails if a
//! kernel's count differs from its budget by more than 5 %. After an intended change, this command updates the table:
//!
//! ```text
//! WARPFOLD_BUDGETS=write cargo test -p warpfold --test counters budget
//! ```
//!
//! In scans of whole arrays and in selections, blocks wait for each other, and the schedule decides how often they poll. For these kernels,
//! the test takes each memory instruction for a poll, and subtracts the instructions of all polls from the count. The remaining number of
//! instructions differs between schedules by at most half of the tolerance.
//!
//! The bytes and sectors that a kernel moves are compared with those of its items and results. In a reduction of a whole array, they are
//! compared with those of its items only.
//!
//! `NonZero` selects about half of the items, and `NotNan` selects all. The items that are not selected go to a second output. Nearly all
//! runs have up to 64 items. The runs' first items and lengths are written.
//!
//! A matrix has 64 columns of two chunks.
//!
//! Some demands need no table: each item is moved once, in whole sectors, 16 bytes for each lane, without bank conflicts and without local
//! memory. (Four sorts of kernels may move fewer bytes for each lane, and may have bank conflicts: scans whose results have another width
//! than the items, selections, columns, and kernels that publish accumulators of many words.)

use crate::device::Item;
use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::{fs, iter};

use rayon::prelude::*;
use virtual_gpu::{Class, Counters, Policy};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Equal, Equality, NonZero, NotNan, Predicate};
use warpfold_kernels::contract::reduce_tile_items;
use warpfold_kernels::element::Accumulator;
use warpfold_kernels::op::*;
use warpfold_kernels::scan::tuning;
use warpfold_kernels::selection::{Before, BeforeRun, tile_items};
use warpfold_kernels::{
    for_each_columns_kernel, for_each_columns_scan_kernel, for_each_kernel,
    for_each_selection_kernel,
};

use crate::data::{Random, Sample, ordinary};
use crate::engine::{Engine, GENERATIONS, Generation, SM_90, SelectionOutput};
use crate::texts::{for_each_one_pass_text, for_each_text};
use crate::unwatched;

/// The committed table.
const BUDGETS: &str = include_str!("budgets.csv");

/// The path of the table.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/counters/budgets.csv");

/// How far a count of instructions may be from its budget, in percent of the budget.
const PERCENT: f64 = 5.0;

/// The limits for a reduction or scan of a whole array. Both factors exceed 1, because blocks also publish values.
const MOVED: Moved = Moved {
    bytes: 1.025,
    sectors: 1.025,
};

/// On average, a warp's access to global memory must touch at least this many sectors, except in the four sorts of kernels named above. An
/// access of 16 bytes for each lane touches 16 sectors. An access to one or two state words touches fewer.
const SECTORS_PER_REQUEST: f64 = 15.0;

/// If an accumulator has at least this many words, publishing it is a noticeable part of the traffic of [`TILES`] tiles. One thread stores
/// the accumulator word by word. Each store touches a whole sector, of which it uses 8 bytes. The lanes that read the words exchange them
/// through scattered words of shared memory.
const MANY_WORDS: usize = 6;

/// Like [`MANY_WORDS`], for scans.
const MANY_WORDS_OF_SCANS: usize = 3;

/// The number of instructions of one poll of a state word. They compute the address, load, compare and branch.
const LOOK_INSTRUCTIONS: u64 = 6;

/// The number of tiles of the input. All of them are whole.
const TILES: u64 = 16;

/// The number of tiles of a selection's input.
const SELECTION_TILES: usize = 4;

/// The numbers of rows and columns of the matrix.
const MATRIX: (usize, usize) = (512, 64);

/// A row of the table of kernels.
struct Row {
    symbol: &'static str,
    count: fn(Generation, &str) -> Cost,
}

/// Two limits, as multiples of the number of bytes that have to be moved: how many bytes may be moved, and how many bytes the touched
/// sectors may have.
struct Moved {
    bytes: f64,
    sectors: f64,
}

/// The limits for a selection among items of type `T`. To find runs, each lane also reads the item before the items of its warp. A warp's
/// output begins and ends in sectors that its neighbours also write. The schedule decides how often blocks poll.
fn moved_by_selection<T>() -> Moved {
    Moved {
        bytes: 1.125,
        sectors: 1.0 + 0.6 / size_of::<T>() as f64,
    }
}

/// The limits for a reduction or scan of columns of two chunks. For each column, the state words of the first chunk are written and read:
/// one state word for each word of the accumulator.
fn moved_by_columns<A: Accumulator>(traffic: usize) -> Moved {
    let told = 3 * 8 * A::WORDS * MATRIX.1;
    let told = told as f64 / traffic as f64;
    Moved {
        bytes: 1.02 + told,
        sectors: 1.02 + told * A::WORDS as f64,
    }
}

/// The cost of a launch.
struct Cost {
    counters: Counters,
    /// The number of lane instructions. In scans of whole arrays and in selections, the instructions of polls are subtracted.
    instructions: u64,
    item_count: u64,
    /// Bytes that have to be moved.
    item_traffic: u64,
    /// The limits on moved bytes and on touched sectors, as multiples of `item_traffic`.
    most_moved: Moved,
    /// Whether a thread may read or write less than 16 bytes at a time, and may read scattered words of shared memory. Both are allowed in
    /// selections, in columns, and in scans whose results have another size than the items.
    resizes: bool,
    /// The bytes of the sectors to which blocks publish values, one word of an accumulator at a time. Each sector is written once and read
    /// once. The field is 0 unless accumulators are so wide that this traffic matters.
    published_bytes: u64,
}

mod count {
    use super::*;

    pub fn reduce<O: Op<T, Output: Item>, T: Sample>(generation: Generation, symbol: &str) -> Cost {
        let (items, engine) = prepare::<O, T>(generation, symbol, reduce_tile_items::<T>());
        let options = unwatched(Policy::OneBlock);
        let (_, counters) = engine.reduce::<O, T>(&items, &options).unwrap();
        Cost {
            instructions: counters.lane_instructions(),
            counters,
            item_count: items.len() as u64,
            item_traffic: size_of_val(&items[..]) as u64,
            most_moved: MOVED,
            resizes: false,
            published_bytes: match <O::Accumulator as Accumulator>::WORDS {
                words @ MANY_WORDS.. => 2 * 32 * TILES * words as u64,
                _ => 0,
            },
        }
    }

    pub fn inclusive_scan<O: Op<T>, T: Sample>(generation: Generation, symbol: &str) -> Cost {
        let (items, engine) = prepare::<O, T>(generation, symbol, tuning::tiles::<O, T>().items(0));
        let options = unwatched(Policy::OneBlock);
        let (_, counters) = engine.scan::<O, T>(&items, &options).unwrap();
        let looks = LOOK_INSTRUCTIONS * counters.of_class(Class::Memory);
        Cost {
            instructions: counters.lane_instructions() - looks,
            counters,
            item_count: items.len() as u64,
            item_traffic: (items.len() * (size_of::<T>() + size_of::<O::Output>())) as u64,
            most_moved: MOVED,
            resizes: size_of::<O::Output>() != size_of::<T>(),
            published_bytes: match <O::Accumulator as Accumulator>::WORDS {
                // Counts two values for each tile, an aggregate and a prefix, although only the last tile of a tile group publishes a
                // prefix.
                words @ MANY_WORDS_OF_SCANS.. => 2 * 2 * 32 * TILES * words as u64,
                _ => 0,
            },
        }
    }

    pub use inclusive_scan as exclusive_scan;

    pub fn select_if<P: Predicate<T>, T: Sample>(generation: Generation, symbol: &str) -> Cost {
        let mut random = Random::new(1);
        let items: Vec<T> = (0..SELECTION_TILES * tile_items::<T>())
            .map(|_| match random.below(2) {
                0 => T::zeroed(),
                _ => T::any(&mut random),
            })
            .collect();
        // Each item is read once, and written to one of the two outputs.
        let item_traffic = 2 * size_of_val(&items[..]);
        let chosen = warpfold::select::<P, _>(&items).wait(Cpu).unwrap().len();
        select::<T, Before>(generation, symbol, &items, (item_traffic, chosen))
    }

    pub fn runs<E: Equality<T>, T: Sample>(generation: Generation, symbol: &str) -> Cost {
        let mut random = Random::new(2);
        let mut items: Vec<T> = Vec::new();
        let count = SELECTION_TILES * tile_items::<T>();
        while items.len() < count {
            let length = (1 + random.below(64)).min(count - items.len());
            let item = T::any(&mut random);
            items.extend(std::iter::repeat_n(item, length));
        }
        let runs = warpfold::runs::<E, _>(&items)
            .starts()
            .wait(Cpu)
            .unwrap()
            .len()
            - 1;
        let written = runs * (size_of::<T>() + size_of::<u32>());
        let item_traffic = size_of_val(&items[..]) + written;
        select::<T, BeforeRun>(generation, symbol, &items, (item_traffic, runs))
    }

    pub fn columns_reduce<O: Op<T>, T: Sample>(generation: Generation, symbol: &str) -> Cost {
        let (rows, columns) = MATRIX;
        let (items, engine) = prepare_items::<O, T>(generation, symbol, rows * columns);
        let options = unwatched(Policy::OneBlock);
        let (_, counters) = engine
            .columns_reduce::<O, T>(&items, columns, &options)
            .unwrap();
        let traffic = size_of_val(&items[..]) + columns * size_of::<O::Output>();
        of_columns::<O, T>(counters, items.len(), traffic)
    }

    pub fn columns_scan<O: Op<T>, T: Sample>(generation: Generation, symbol: &str) -> Cost {
        let (rows, columns) = MATRIX;
        let (items, engine) = prepare_items::<O, T>(generation, symbol, rows * columns);
        let options = unwatched(Policy::OneBlock);
        let (_, counters) = engine
            .columns_scan::<O, T>(&items, columns, false, &options)
            .unwrap();
        let traffic = items.len() * (size_of::<T>() + size_of::<O::Output>());
        of_columns::<O, T>(counters, items.len(), traffic)
    }

    /// The cost of a reduction or scan of columns. A lane reads one item at a time.
    fn of_columns<O: Op<T>, T: Sample>(
        counters: Counters,
        item_count: usize,
        traffic: usize,
    ) -> Cost {
        Cost {
            instructions: counters.lane_instructions(),
            counters,
            item_count: item_count as u64,
            item_traffic: traffic as u64,
            most_moved: moved_by_columns::<O::Accumulator>(traffic),
            resizes: true,
            published_bytes: 0,
        }
    }

    fn select<T: Sample, A>(
        generation: Generation,
        symbol: &str,
        items: &[T],
        (item_traffic, chosen): (usize, usize),
    ) -> Cost {
        let text = generation.kernel(symbol);
        let engine = Engine::new_for_selection::<T>(generation, 1, &text, items.len());
        let options = unwatched(Policy::OneBlock);
        let SelectionOutput {
            count, counters, ..
        } = engine.select::<T, A>(items, &options).unwrap();
        assert_eq!(count, chosen as u64, "{symbol}");
        let looks = LOOK_INSTRUCTIONS * counters.of_class(Class::Memory);
        Cost {
            instructions: counters.lane_instructions() - looks,
            counters,
            item_count: items.len() as u64,
            item_traffic: item_traffic as u64,
            most_moved: moved_by_selection::<T>(),
            resizes: true,
            published_bytes: 0,
        }
    }

    fn prepare<O: Op<T>, T: Sample>(
        generation: Generation,
        symbol: &str,
        tile_items: u64,
    ) -> (Vec<T>, Engine) {
        prepare_items::<O, T>(generation, symbol, (TILES * tile_items) as usize)
    }

    fn prepare_items<O: Op<T>, T: Sample>(
        generation: Generation,
        symbol: &str,
        item_count: usize,
    ) -> (Vec<T>, Engine) {
        let items = ordinary::<O, T>(item_count);
        let text = generation.kernel(symbol);
        let engine = Engine::new::<O, T>(generation, 1, &text, items.len());
        (items, engine)
    }
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        const ROWS: &[Row] = &[$(Row {
            symbol: stringify!($symbol),
            count: count::$kind::<$op, $t>,
        }),*];
    };
}

for_each_kernel!(rows);

macro_rules! columns_rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        [$(Row {
            symbol: stringify!($symbol),
            count: count::$kind::<$op, $t>,
        }),*]
    };
}

/// The kernel rows for reductions and scans of columns.
fn columns() -> impl Iterator<Item = Row> {
    let reductions = for_each_columns_kernel!(columns_rows).into_iter();
    reductions.chain(for_each_columns_scan_kernel!(columns_rows))
}

/// The kernel rows for selections by predicates and for runs.
macro_rules! selection_rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        fn selections() -> Vec<Row> {
            let rows = [$(selection_row!($kind $op $t $symbol)),*];
            rows.into_iter().flatten().collect()
        }
    };
}

macro_rules! selection_row {
    (select_flagged $op:ident $t:ident $symbol:ident) => {
        None
    };
    (heads $op:ident $t:ident $symbol:ident) => {
        None
    };
    ($kind:ident $op:ident $t:ident $symbol:ident) => {
        Some(Row {
            symbol: stringify!($symbol),
            count: count::$kind::<$op, $t>,
        })
    };
}

for_each_selection_kernel!(selection_rows);

macro_rules! symbols {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
}

/// The symbols of the rows that each stand for all rows with the same text.
const TEXTS: [&[&str]; 2] = [for_each_text!(symbols), for_each_one_pass_text!(symbols)];

/// Whether a row stands for all rows with its text.
fn stands_for_its_text(symbol: &str) -> bool {
    TEXTS.iter().any(|rows| rows.contains(&symbol))
}

impl Cost {
    fn instructions_per_item(&self) -> f64 {
        self.instructions as f64 / self.item_count as f64
    }

    /// The number of moved bytes, divided by the number of bytes that have to be moved.
    fn bytes_per_byte(&self) -> f64 {
        let counters = &self.counters;
        let bytes = counters.global_bytes_read + counters.global_bytes_written;
        bytes as f64 / self.item_traffic as f64
    }

    fn sectors(&self) -> u64 {
        self.counters.global_sectors_read + self.counters.global_sectors_written
    }

    /// The number of bytes of touched sectors, minus [`Self::published_bytes`], divided by the number of bytes that have to be moved.
    fn sector_bytes_per_byte(&self) -> f64 {
        let bytes = 32 * self.sectors() - self.published_bytes;
        bytes as f64 / self.item_traffic as f64
    }

    fn sectors_per_request(&self) -> f64 {
        let requests = self.counters.global_loads + self.counters.global_stores;
        self.sectors() as f64 / requests as f64
    }

    /// The demands that a kernel with this cost violates.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut refuse = |bad: bool, fault: String| faults.extend(bad.then_some(fault));
        let (bytes, sectors) = (self.bytes_per_byte(), self.sector_bytes_per_byte());
        refuse(
            bytes > self.most_moved.bytes,
            format!("{bytes:.3} times the items' bytes"),
        );
        refuse(
            sectors > self.most_moved.sectors,
            format!("{sectors:.3} times the items' sectors"),
        );
        let request = self.sectors_per_request();
        refuse(
            request < SECTORS_PER_REQUEST && !self.resizes && self.published_bytes == 0,
            format!("{request:.2} sectors a request"),
        );
        let conflicts = self.counters.bank_conflicts;
        refuse(
            conflicts > 0 && !self.resizes && self.published_bytes == 0,
            format!("{conflicts} bank conflicts"),
        );
        let local = self.counters.local_bytes;
        refuse(local > 0, format!("{local} bytes of local memory"));
        faults
    }
}

/// Instructions for each item, by kernel and generation.
fn budgets() -> BTreeMap<(&'static str, &'static str), f64> {
    let parse = |line: &'static str| {
        let mut columns = line.split(',');
        let mut next = || columns.next().expect("three columns");
        let key = (next(), next());
        (key, next().parse().expect("a number"))
    };
    BUDGETS.lines().skip(1).map(parse).collect()
}

/// The generations in which a row's kernel is counted: all generations if the row is in [`TEXTS`], otherwise only the last one. Except for
/// instructions that compute capability 7.0 lacks, the operators' bodies are the same in all generations.
fn generations(symbol: &str) -> &'static [Generation] {
    match stands_for_its_text(symbol) {
        true => &GENERATIONS,
        false => &[SM_90],
    }
}

#[test]
fn every_kernel_keeps_to_its_budget() {
    let budgets = budgets();
    let mut table = String::from("kernel,generation,lane_instructions_per_item\n");
    let mut failures = Vec::new();
    let others: Vec<Row> = selections().into_iter().chain(columns()).collect();
    let rows = ROWS.iter().chain(&others);
    let counted: Vec<(&Row, Generation)> = rows
        .flat_map(|row| generations(row.symbol).iter().map(move |&each| (row, each)))
        .collect();
    let costs: Vec<Cost> = counted
        .par_iter()
        .map(|(row, generation)| (row.count)(*generation, row.symbol))
        .collect();
    for ((row, generation), cost) in iter::zip(counted, costs) {
        let (symbol, generation_name) = (row.symbol, generation.name);
        let faults = cost.faults().into_iter();
        failures.extend(faults.map(|fault| format!("{symbol}, {generation_name}: {fault}")));
        // The budgets are for the committed PTX.
        if cfg!(feature = "cuda_builder") {
            continue;
        }
        let each = cost.instructions_per_item();
        let _ = writeln!(table, "{symbol},{generation_name},{each:.3}");
        let budget = budgets.get(&(symbol, generation_name)).copied();
        let off = 100.0 * (each / budget.unwrap_or(f64::NAN) - 1.0);
        if off.is_nan() || off.abs() > PERCENT {
            failures.push(format!(
                "{symbol}, {generation_name}: {each:.3} instructions an item, budget {budget:?}: {off:+.1} %"
            ));
        }
    }
    if env::var_os("WARPFOLD_BUDGETS").is_some_and(|value| value == "write") {
        fs::write(PATH, table).expect("the table is written");
        return;
    }
    let stale = budgets.keys().filter(|(symbol, _)| {
        let mut rows = ROWS.iter().chain(&others);
        rows.all(|row| row.symbol != *symbol)
    });
    failures.extend(stale.map(|(symbol, _)| format!("{symbol} has a budget and no kernel")));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
