//! Computes, by plain loops, the values that each call writes and returns.

use super::COLUMNS;

/// Computes the values that a call writes to each argument. It takes the values that all arguments have before the call, and returns `None`
/// if the call's results are unspecified, as with wrong offsets. An argument that is only read has no written values. A number that the
/// call returns comes last.
pub type Model = fn(&[Vec<u64>]) -> Option<Vec<Vec<u64>>>;

fn sum(values: &[u64]) -> u64 {
    values.iter().sum::<u64>() as u32 as u64
}

fn inclusive(values: &[u64]) -> Vec<u64> {
    (1..=values.len()).map(|end| sum(&values[..end])).collect()
}

/// Each value is the sum of its item and all later items.
fn reversed(values: &[u64]) -> Vec<u64> {
    (0..values.len())
        .map(|start| sum(&values[start..]))
        .collect()
}

fn exclusive(values: &[u64], initial: u64) -> Vec<u64> {
    let before = (0..values.len()).map(|end| sum(&values[..end]));
    before.map(|value| sum(&[value, initial])).collect()
}

/// A count from device memory, limited to `most`. 0 if there is no count.
fn at_most(count: &[u64], most: usize) -> usize {
    count.first().map_or(0, |&count| count.min(most as u64)) as usize
}

fn counted<'a>(items: &'a [u64], count: &[u64]) -> &'a [u64] {
    &items[..at_most(count, items.len())]
}

/// The starts of the runs, and the end of the last run.
fn starts(keys: &[u64]) -> Vec<u64> {
    let starts = (0..keys.len()).filter(|&i| i == 0 || keys[i - 1] != keys[i]);
    starts
        .chain([keys.len()])
        .map(|start| start as u64)
        .collect()
}

/// The values of each run.
fn runs<'a>(keys: &[u64], values: &'a [u64]) -> Vec<&'a [u64]> {
    let starts = starts(keys);
    let pairs = starts.windows(2);
    pairs
        .map(|pair| &values[pair[0] as usize..pair[1] as usize])
        .collect()
}

fn firsts(keys: &[u64]) -> Vec<u64> {
    runs(keys, keys).iter().map(|run| run[0]).collect()
}

fn first(values: Vec<u64>, most: usize) -> Vec<u64> {
    values.into_iter().take(most).collect()
}

pub fn reduce(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], vec![sum(&a[0])]])
}

pub fn wide_reduce(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], vec![a[0].iter().sum()]])
}

pub fn maximum(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], vec![a[0].iter().copied().max().unwrap_or(0)]])
}

pub fn reduce_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], vec![], vec![sum(counted(&a[0], &a[1]))]])
}

pub fn dot(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let products = a[0]
        .iter()
        .zip(&a[1])
        .map(|(left, right)| left.wrapping_mul(*right));
    Some(vec![
        vec![],
        vec![],
        vec![products.fold(0, u64::wrapping_add)],
    ])
}

pub fn scan(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], inclusive(&a[0])])
}

pub fn reversed_scan(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], reversed(&a[0])])
}

pub fn scan_in_place(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![inclusive(&a[0])])
}

pub fn wide_scan(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let sums = (1..=a[0].len()).map(|end| a[0][..end].iter().sum());
    Some(vec![vec![], sums.collect()])
}

pub fn maxima(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let maxima = a[0].iter().scan(0, |most, &item| {
        *most = item.max(*most);
        Some(*most)
    });
    Some(vec![vec![], maxima.collect()])
}

pub fn scan_and_total(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let items = counted(&a[0], &a[2]);
    let sums = inclusive(items).into_iter().map(|value| sum(&[value, 7]));
    let total = sum(&[sum(items), 7]);
    Some(vec![vec![], sums.collect(), vec![], vec![total]])
}

pub fn scan_with(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let items = counted(&a[0], &a[3]);
    let total = sum(&[sum(items), 7]);
    Some(vec![vec![], exclusive(items, 7), vec![total], vec![]])
}

/// The segments, or `None` if the offsets are wrong.
fn segments_of<'a>(items: &'a [u64], offsets: &[u64]) -> Option<Vec<&'a [u64]>> {
    let pairs = offsets.windows(2);
    pairs
        .map(|pair| items.get(pair[0] as usize..pair[1] as usize))
        .collect()
}

pub fn segments(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let segments = segments_of(&a[0], &a[1])?;
    Some(vec![
        vec![],
        vec![],
        segments.into_iter().map(sum).collect(),
    ])
}

pub fn segments_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let segments = segments_of(&a[0], &a[1])?;
    let sums: Vec<_> = segments.into_iter().map(sum).collect();
    let counted = counted(&sums, &a[2]).to_vec();
    Some(vec![vec![], vec![], vec![], counted])
}

/// The `scan` of each segment, or `None` if the offsets are wrong or do not cover all items. An item outside of all segments has no
/// result.
fn scans_of_segments(a: &[Vec<u64>], scan: impl Fn(&[u64]) -> Vec<u64>) -> Option<Vec<Vec<u64>>> {
    let segments = segments_of(&a[0], &a[1])?;
    let covers = a[1].first() == Some(&0) && a[1].last() == Some(&(a[0].len() as u64));
    let scans = segments.into_iter().flat_map(scan);
    covers.then(|| vec![vec![], vec![], scans.collect()])
}

pub fn segmented_scan(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    scans_of_segments(a, |segment| exclusive(segment, 0))
}

pub fn reversed_segmented_scan(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    scans_of_segments(a, reversed)
}

/// `None` if the offsets are wrong, or if the first offset is not 0.
pub fn segmented_scan_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let segments = segments_of(&a[0], &a[1])?;
    let count = at_most(&a[2], segments.len());
    let scans = segments[..count]
        .iter()
        .flat_map(|segment| inclusive(segment));
    let begins = a[1].first() == Some(&0);
    begins.then(|| vec![vec![], vec![], vec![], scans.collect()])
}

pub fn rows(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![vec![], a[0].chunks(COLUMNS).map(sum).collect()])
}

/// The last two items of each row of `COLUMNS` items are a gap, and do not count.
pub fn rows_apart(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let rows = a[0].chunks(COLUMNS).map(|row| sum(&row[..COLUMNS - 2]));
    Some(vec![vec![], rows.collect()])
}

pub fn rows_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let sums: Vec<_> = a[0].chunks(COLUMNS).map(sum).collect();
    Some(vec![vec![], vec![], counted(&sums, &a[1]).to_vec()])
}

pub fn row_scans_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let rows: Vec<_> = a[0].chunks(COLUMNS).collect();
    let count = at_most(&a[1], rows.len());
    let scans = rows[..count].iter().flat_map(|row| inclusive(row));
    Some(vec![vec![], vec![], scans.collect()])
}

pub fn row_scans(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    Some(vec![
        vec![],
        a[0].chunks(COLUMNS).flat_map(inclusive).collect(),
    ])
}

fn column(items: &[u64], column: usize) -> Vec<u64> {
    items
        .iter()
        .skip(column)
        .step_by(COLUMNS)
        .copied()
        .collect()
}

pub fn columns(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let sums = (0..COLUMNS).map(|index| sum(&column(&a[0], index)));
    Some(vec![vec![], sums.collect()])
}

pub fn column_scans(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let scans: Vec<_> = (0..COLUMNS)
        .map(|index| inclusive(&column(&a[0], index)))
        .collect();
    let places = (0..a[0].len()).map(|place| scans[place % COLUMNS][place / COLUMNS]);
    Some(vec![vec![], places.collect()])
}

/// The items of as many rows as the count says.
fn counted_rows<'a>(items: &'a [u64], count: &[u64]) -> &'a [u64] {
    &items[..at_most(count, items.len() / COLUMNS) * COLUMNS]
}

pub fn columns_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let items = counted_rows(&a[0], &a[1]);
    let sums = (0..COLUMNS).map(|index| sum(&column(items, index)));
    Some(vec![vec![], vec![], sums.collect()])
}

pub fn reversed_column_scans_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let items = counted_rows(&a[0], &a[1]);
    let turned: Vec<u64> = items.iter().rev().copied().collect();
    let scans: Vec<_> = (0..COLUMNS)
        .map(|index| inclusive(&column(&turned, index)))
        .collect();
    let places = (0..items.len()).rev();
    let results = places.map(|place| scans[place % COLUMNS][place / COLUMNS]);
    Some(vec![vec![], vec![], results.collect()])
}

/// The axis has length 1, so the results are the items themselves.
pub fn outer_places_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let items = counted_rows(&a[0], &a[1]).to_vec();
    Some(vec![vec![], vec![], items])
}

pub fn select_flagged(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let chosen = a[0].iter().zip(&a[1]).filter(|(_, flag)| **flag != 0);
    let chosen: Vec<_> = chosen.map(|(item, _)| *item).collect();
    let count = chosen.len() as u64;
    Some(vec![vec![], vec![], chosen, vec![count]])
}

pub fn select_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let items = counted(&a[0], &a[1]).iter().copied();
    let chosen: Vec<_> = items.filter(|&item| item != 0).collect();
    let count = chosen.len() as u64;
    Some(vec![vec![], vec![], chosen, vec![count]])
}

pub fn partition(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let (chosen, others): (Vec<_>, Vec<_>) = a[0].iter().partition(|item| **item != 0);
    let count = chosen.len() as u64;
    Some(vec![vec![], chosen, others, vec![count]])
}

pub fn indices(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let indices = (0..a[0].len()).filter(|&index| a[0][index] != 0);
    let indices: Vec<_> = indices.map(|index| index as u64).collect();
    let count = indices.len() as u64;
    Some(vec![vec![], indices, vec![count]])
}

pub fn unique_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let firsts = firsts(counted(&a[0], &a[1]));
    let count = firsts.len() as u64;
    Some(vec![vec![], vec![], firsts, vec![count]])
}

pub fn run_lengths(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let lengths: Vec<_> = runs(&a[0], &a[0])
        .iter()
        .map(|run| run.len() as u64)
        .collect();
    let (room, count) = (a[1].len().min(a[2].len()), lengths.len() as u64);
    Some(vec![
        vec![],
        first(firsts(&a[0]), room),
        first(lengths, room),
        vec![count],
    ])
}

pub fn run_starts(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let starts = starts(&a[0]);
    let count = starts.len() as u64 - 1;
    Some(vec![vec![], starts, vec![count]])
}

/// The starts of the runs are written only if the call has an argument for them. The number of runs is written or returned.
pub fn reduce_by_key(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let (firsts, starts) = (firsts(&a[0]), starts(&a[0]));
    let sums = runs(&a[0], &a[1]).into_iter().map(sum).collect();
    let runs = a[2].len().min(a[3].len());
    let runs = a
        .get(4)
        .map_or(runs, |starts| runs.min(starts.len().saturating_sub(1)));
    let count = firsts.len() as u64;
    let mut written = vec![vec![], vec![], firsts, first(sums, runs)];
    if a.len() > 4 {
        written.push(starts);
    }
    written.push(vec![count]);
    Some(written)
}

/// The number of runs, and the `scan` of each run.
fn scans_of_runs(
    keys: &[u64],
    values: &[u64],
    scan: impl Fn(&[u64]) -> Vec<u64>,
) -> (u64, Vec<u64>) {
    let runs = runs(keys, values);
    let count = runs.len() as u64;
    (count, runs.into_iter().flat_map(scan).collect())
}

pub fn exclusive_scan_by_key(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let (count, scans) = scans_of_runs(&a[0], &a[1], |run| exclusive(run, 0));
    Some(vec![vec![], vec![], scans, starts(&a[0]), vec![count]])
}

pub fn inclusive_scan_by_key(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let (count, scans) = scans_of_runs(&a[0], &a[1], inclusive);
    Some(vec![vec![], vec![], scans, vec![count]])
}

pub fn scan_by_key_counted(a: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let keys = counted(&a[0], &a[2]);
    let (count, scans) = scans_of_runs(keys, &a[1], inclusive);
    let starts = starts(keys);
    Some(vec![vec![], vec![], vec![], scans, starts, vec![count]])
}
