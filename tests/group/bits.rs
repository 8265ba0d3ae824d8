//! A group's results have the same bits as the results of one GPU.

use crate::device::{Item, Kernel};
use std::any::type_name;

use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, LogSumExp, Max, Min, Op, Product, Sum, WideSum, group, kind, reduce, scan};
use warpfold_kernels::contract::{
    SCAN_GROUP_TILES, SCAN_LONG, SCAN_SHORT_BYTES, reduce_chunk_tiles, reduce_tile_items,
    scan_tiles,
};
use warpfold_kernels::scan::tuning::{self, exact_tiles};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::ranks::{Held, PATIENCE, as_ranks, most_ranks, on_four_devices, random_lengths, shares};
use crate::texts::for_each_text;

/// Checks reductions of items in shares of these lengths.
fn reduces<O: Kernel<kind::reduce, T>, T: Sample>(lengths: &[usize]) {
    if lengths.len() > most_ranks() {
        return;
    }
    let items = ordinary::<O, T>(lengths.iter().sum());
    let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
    let shares = shares(lengths);
    let found = as_ranks(lengths.len(), PATIENCE, |mut member| {
        let share = Held::new(&items[shares[member.rank()].clone()], member.rank());
        let last = member.size() - 1;
        let alone = reduce::<O, _>(&share.slice())
            .wait(member.at_root(last))
            .unwrap();
        assert_eq!(alone.is_some(), member.rank() == last);
        let all = reduce::<O, _>(&share.slice()).wait(&mut member).unwrap();
        if let Some(alone) = alone {
            assert_same_bits(&[alone], &[all], "result on one rank");
        }
        all
    });
    let what = format!(
        "{} of {} in {lengths:?}",
        type_name::<O>(),
        type_name::<T>()
    );
    assert_same_bits(&found, &vec![expected; lengths.len()], &what);
}

/// Where a scan writes its results.
#[derive(Debug, Clone, Copy)]
enum Form {
    Apart,
    InPlace,
}

macro_rules! scans {
    ($name:ident, $kind:ident $(, $exclusive:ident)?) => {
        fn $name<O: Kernel<kind::$kind, T> + Op<T, Output = T>, T: Sample>(
            lengths: &[usize],
            form: Form,
        ) {
            if lengths.len() > most_ranks() {
                return;
            }
            let items = ordinary::<O, T>(lengths.iter().sum());
            let expected = scan::<O, _>(&items)$(.$exclusive())?.wait(Cpu).unwrap();
            let shares = shares(lengths);
            let found = as_ranks(lengths.len(), PATIENCE, |mut member| {
                let items = &items[shares[member.rank()].clone()];
                let share = Held::new(items, 1);
                match form {
                    Form::InPlace => {
                        scan::<O, _>(&mut share.slice())$(.$exclusive())?
                            .in_place()
                            .wait(&mut member)
                            .unwrap();
                        share.items()
                    }
                    Form::Apart => {
                        let output = Held::new(&vec![T::zeroed(); items.len()], 2);
                        scan::<O, _>(&share.slice())$(.$exclusive())?
                            .to(&mut output.slice())
                            .wait(&mut member)
                            .unwrap();
                        assert_same_bits(&share.items(), items, "items after a scan");
                        output.items()
                    }
                }
            });
            let what = format!(
                "{} of {} in {lengths:?}, {form:?}",
                type_name::<O>(),
                type_name::<T>()
            );
            assert_same_bits(&found.concat(), &expected, &what);
        }
    };
}

scans!(scans_inclusively, inclusive_scan);
scans!(scans_exclusively, exclusive_scan, exclusive);

/// For each kind that `for_each_text` lists: a function that checks a kernel row of this kind.
mod calls {
    use super::*;

    /// Random lengths of the ranks' shares. Together, the shares fill at most `tiles` tiles.
    fn random(symbol: &str, tile_items: u64, tiles: usize) -> Vec<usize> {
        let seed = symbol
            .bytes()
            .fold(0u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
        let mut random = Random::new(seed);
        let ranks = 1 + random.below(most_ranks());
        let item_count = random.below(tiles * tile_items as usize);
        random_lengths(&mut random, ranks, item_count)
    }

    pub fn reduce<O: Kernel<kind::reduce, T>, T: Sample>(symbol: &str) {
        reduces::<O, T>(&random(symbol, reduce_tile_items::<T>(), 6));
    }

    pub fn inclusive_scan<O: Kernel<kind::inclusive_scan, T> + Op<T, Output = T>, T: Sample>(
        symbol: &str,
    ) {
        let lengths = random(symbol, tuning::tiles::<O, T>().items(0), 6);
        scans_inclusively::<O, T>(&lengths, Form::Apart);
    }

    pub fn exclusive_scan<O: Kernel<kind::exclusive_scan, T> + Op<T, Output = T>, T: Sample>(
        symbol: &str,
    ) {
        let lengths = random(symbol, tuning::tiles::<O, T>().items(0), 6);
        scans_exclusively::<O, T>(&lengths, Form::InPlace);
    }
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        fn call_every_row() {
            $(calls::$kind::<$op, $t>(stringify!($symbol));)*
        }
    };
}

for_each_text!(rows);

#[test]
fn every_row_of_the_table_on_random_cuts() {
    on_four_devices(
        "bits::every_row_of_the_table_on_random_cuts",
        call_every_row,
    );
}

#[test]
fn reductions_of_shares_that_end_at_boundaries() {
    let test = "bits::reductions_of_shares_that_end_at_boundaries";
    on_four_devices(test, || {
        let tile = reduce_tile_items::<f32>() as usize;
        for lengths in [
            &[0][..],
            &[0, 0, 0],
            &[1],
            &[0, 1, 0],
            &[1, 1, 1, 1],
            &[tile, tile],
            &[tile - 1, 1],
            &[tile - 1, 2, tile],
            &[tile + 1, tile - 1, 1],
            &[0, tile, 0, 2 * tile + 5],
            // In the next case, one chunk lies on four ranks. In the last two cases, there are several chunks, and some ranks have no whole
            // chunk.
            &[tile / 4, tile / 4, 1, tile / 4],
            &[3 * tile - 7, 3, 2, 2 * tile],
            &[300 * tile + 17, 5],
        ] {
            reduces::<Sum, f32>(lengths);
        }
    });
}

#[test]
fn scans_of_shares_that_end_at_boundaries() {
    on_four_devices("bits::scans_of_shares_that_end_at_boundaries", || {
        let tile = scan_tiles::<f32>().items(0) as usize;
        let group = tile * SCAN_GROUP_TILES as usize;
        for (lengths, form) in [
            (&[0, 0][..], Form::Apart),
            (&[1, 0, 1, 1], Form::Apart),
            (&[tile, tile, tile], Form::Apart),
            (&[tile - 1, 2, tile], Form::InPlace),
            (&[0, tile + 1, 0, 2 * tile + 5], Form::InPlace),
            (&[3 * tile - 7, 3, 2, 2 * tile], Form::Apart),
            // Tile groups that lie on one to four ranks.
            (&[group, group, group + 1], Form::Apart),
            (&[group - tile, 2 * tile, group, 5], Form::InPlace),
            (&[5 * tile, 7 * tile + 1, 6 * tile, group], Form::Apart),
            (
                &[5 * tile + 3, 2 * group + 7, 3 * tile, 40 * tile],
                Form::InPlace,
            ),
        ] {
            scans_inclusively::<Sum, f32>(lengths, form);
            scans_exclusively::<Sum, f32>(lengths, form);
        }
    });
}

#[test]
fn scans_of_many_groups_on_random_cuts() {
    on_four_devices("bits::scans_of_many_groups_on_random_cuts", || {
        let mut random = Random::new(17);
        let group = (scan_tiles::<f64>().items(0) * SCAN_GROUP_TILES) as usize;
        for _ in 0..4 {
            let item_count = random.below(4 * group);
            let lengths = random_lengths(&mut random, most_ranks(), item_count);
            scans_inclusively::<Sum, f64>(&lengths, Form::InPlace);
            scans_exclusively::<Product, f64>(&lengths, Form::Apart);
        }
    });
}

#[test]
#[ignore = "ten seconds on virtual devices: `.ci/run sweeps`"]
fn a_long_scan_has_tiles_of_another_shape() {
    on_four_devices("bits::a_long_scan_has_tiles_of_another_shape", || {
        let total = (SCAN_SHORT_BYTES / 8) as usize + 1;
        let tile = SCAN_LONG.bytes() / 8;
        let middle = 40 * tile + 11;
        let lengths = [30 * tile + 1, middle, total - 70 * tile - 12];
        scans_inclusively::<Sum, f64>(&lengths, Form::InPlace);
    });
}

/// Asserts that the library's cuts of items of type `T` lie between chunks of a reduction, and between tiles of scans whose results are not
/// wider than the items.
fn assert_cuts<T: Item>(item_count: usize, ranks: usize) {
    let cuts = group::cuts::<T>(item_count, ranks);
    assert_eq!(cuts.len(), ranks);
    let count = item_count as u64;
    let tiles = [scan_tiles::<T>(), exact_tiles::<T>()].map(|tiles| tiles.items(count));
    let units = [reduce_chunk_tiles::<T>(count) * reduce_tile_items::<T>()];
    let mut end = 0;
    for cut in &cuts {
        assert_eq!(cut.start, end);
        end = cut.end;
        let mut units = units.iter().chain(&tiles);
        let is_border = units.all(|&unit| (end as u64).is_multiple_of(unit));
        assert!(
            is_border || end == item_count,
            "{item_count} items, {cuts:?}"
        );
    }
    assert_eq!(end, item_count);
    // With enough items, the shares have nearly the same length.
    if item_count > 1 << 26 {
        let even = item_count / ranks;
        assert!(cuts.iter().all(|cut| cut.len().abs_diff(even) <= even / 16));
    }
}

#[test]
fn proposed_cuts_are_boundaries_of_chunks_and_tiles() {
    for item_count in [
        0,
        1,
        4096,
        100_000,
        1 << 22,
        (1 << 22) + 1,
        123_456_789,
        1 << 33,
    ] {
        for ranks in 1..=8 {
            assert_cuts::<f32>(item_count, ranks);
            assert_cuts::<u64>(item_count, ranks);
        }
    }
}
