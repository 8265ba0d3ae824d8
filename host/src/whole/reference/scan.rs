//! Scans of all items.

use warpfold_kernels::contract::{SCAN_GROUP_TILES, Wider, scan_tiles, vector_items};
use warpfold_kernels::element::{Accumulator, Element};
use warpfold_kernels::op::Op;

use super::{LANES, Operator, lifted};

/// The result of each item combines an initial value and all items up to and including it. Also returns the total.
pub fn inclusive_scan_from<O: Op<T>, T: Element>(
    initial: O::Accumulator,
    items: &[T],
) -> (Vec<O::Output>, O::Output) {
    scan::<O, T>(items, initial, Placement::Included)
}

/// The result of each item combines an initial value and all items before it. Also returns the total.
pub fn exclusive_scan_from<O: Op<T>, T: Element>(
    initial: O::Accumulator,
    items: &[T],
) -> (Vec<O::Output>, O::Output) {
    scan::<O, T>(items, initial, Placement::LeftOut)
}

/// Whether an item is part of its result.
#[derive(Clone, Copy)]
enum Placement {
    Included,
    LeftOut,
}

/// The results of a scan, and its total.
fn scan<O: Op<T>, T: Element>(
    items: &[T],
    initial: O::Accumulator,
    placement: Placement,
) -> (Vec<O::Output>, O::Output) {
    let tile = Tile::of::<O, T>(items.len());
    let tile_items = tile.items();
    let operator = Operator::of::<O, T>();
    let mut scan = Scan::new(operator, initial);
    let mut output = Vec::with_capacity(items.len());
    for first in (0..items.len()).step_by(tile_items) {
        let values = lifted::<O, T>(items, first, tile_items);
        let results = scan.next_tile(&tile, &values, placement);
        let count = tile_items.min(items.len() - first);
        for &result in &results[..count] {
            output.push(O::lower(result));
        }
    }
    (output, O::lower(scan.total))
}

/// The shape of a scan's tiles.
struct Tile {
    warps: usize,
    /// The rows of each warp.
    rows: usize,
    /// The vectors of a lane in a row. With a wide accumulator, a lane's vectors count as one vector.
    lane_vectors: usize,
    vector_items: usize,
}

impl Tile {
    fn of<O: Op<T>, T: Element>(item_count: usize) -> Self {
        let shape = scan_tiles::<Wider<T, O::Output>>().shape(item_count as u64);
        let mut tile = Tile {
            warps: shape.warps as usize,
            rows: shape.rows,
            lane_vectors: 1,
            vector_items: vector_items::<Wider<T, O::Output>>(),
        };
        if shape.is_blocked(<O::Accumulator as Accumulator>::WORDS) {
            let vectors = match O::Accumulator::IS_WIDE {
                true => &mut tile.vector_items,
                false => &mut tile.lane_vectors,
            };
            *vectors *= shape.rows;
            tile.rows = 1;
        }
        tile
    }

    fn lane_items(&self) -> usize {
        self.lane_vectors * self.vector_items
    }

    fn items(&self) -> usize {
        self.warps * self.rows * LANES * self.lane_items()
    }
}

/// A scan between two tiles.
struct Scan<A> {
    operator: Operator<A>,
    /// The fold of the initial value and the aggregates of all earlier groups.
    group_prefix: A,
    /// The aggregates of the group's earlier tiles, followed by identities.
    aggregates: [A; SCAN_GROUP_TILES as usize],
    /// How many tiles of the group were scanned.
    group_tiles: usize,
    /// The total up to the last tile that was scanned.
    total: A,
}

impl<A: Accumulator> Scan<A> {
    fn new(operator: Operator<A>, initial: A) -> Self {
        Scan {
            operator,
            group_prefix: initial,
            aggregates: [operator.identity; SCAN_GROUP_TILES as usize],
            group_tiles: 0,
            total: initial,
        }
    }

    /// Steps 4 and 5: the results of the next tile.
    fn next_tile(&mut self, tile: &Tile, values: &[A], placement: Placement) -> Vec<A> {
        let operator = self.operator;
        if self.group_tiles == self.aggregates.len() {
            let group = operator.combine_group(&self.aggregates);
            self.group_prefix = operator.combine(self.group_prefix, group);
            self.aggregates.fill(operator.identity);
            self.group_tiles = 0;
        }
        let lower = operator.combine_group(&self.aggregates);
        let prefix = operator.combine(self.group_prefix, lower);
        let (lanes_before, aggregate) = lane_prefixes(&operator, tile, values);

        let mut results = Vec::with_capacity(values.len());
        let lanes = values.chunks(tile.lane_items());
        for (lane_before, lane) in std::iter::zip(lanes_before, lanes) {
            let mut before = operator.combine(prefix, lane_before);
            for vector in lane.chunks(tile.vector_items) {
                before = add_results(&operator, before, vector, placement, &mut results);
            }
        }
        self.aggregates[self.group_tiles] = aggregate;
        self.group_tiles += 1;
        self.total = operator.combine(prefix, aggregate);
        results
    }
}

/// Steps 1 to 3: for each lane of the tile's rows, what combines all earlier values of the tile; and the tile's aggregate.
fn lane_prefixes<A: Accumulator>(operator: &Operator<A>, tile: &Tile, values: &[A]) -> (Vec<A>, A) {
    let mut prefixes = Vec::with_capacity(values.len() / tile.lane_items());
    let mut warp_prefix = operator.identity;
    for warp in values.chunks(tile.rows * LANES * tile.lane_items()) {
        let mut row_prefix = operator.identity;
        for row in warp.chunks(LANES * tile.lane_items()) {
            let lanes = row.chunks(tile.lane_items());
            let totals: Vec<_> = lanes.map(|lane| lane_total(operator, tile, lane)).collect();
            let upto = operator.kogge_stone(&totals);
            for lane in 0..LANES {
                let lane_prefix = match lane {
                    0 => operator.identity,
                    _ => upto[lane - 1],
                };
                let in_warp = operator.combine(row_prefix, lane_prefix);
                prefixes.push(operator.combine(warp_prefix, in_warp));
            }
            row_prefix = operator.combine(row_prefix, upto[LANES - 1]);
        }
        warp_prefix = operator.combine(warp_prefix, row_prefix);
    }
    (prefixes, warp_prefix)
}

/// The left fold of the totals of a lane's vectors.
fn lane_total<A: Accumulator>(operator: &Operator<A>, tile: &Tile, lane: &[A]) -> A {
    let vectors = lane.chunks(tile.vector_items);
    let totals: Vec<_> = vectors.map(|vector| operator.left_fold(vector)).collect();
    operator.left_fold(&totals)
}

/// Step 5: adds the results of a vector, whose prefix is `before`. Returns the prefix of the next vector.
fn add_results<A: Accumulator>(
    operator: &Operator<A>,
    before: A,
    vector: &[A],
    placement: Placement,
    results: &mut Vec<A>,
) -> A {
    let mut inclusive = operator.identity;
    let mut upto = before;
    for (index, &value) in vector.iter().enumerate() {
        let upto_previous = upto;
        upto = if A::IS_WIDE {
            operator.combine(upto, value)
        } else {
            inclusive = match index {
                0 => value,
                _ => operator.combine(inclusive, value),
            };
            operator.combine(before, inclusive)
        };
        results.push(match placement {
            Placement::Included => upto,
            Placement::LeftOut => upto_previous,
        });
    }
    upto
}
