//! The times of each measurement, over all runs.

use std::collections::BTreeMap;

use crate::record::{Case, Record, Row, Side};

/// The median and the range of some numbers, one from each run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// `None` if there are no numbers.
    fn of(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = numbers.collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            median: *sorted.get(sorted.len() / 2)?,
            least: *sorted.first()?,
            most: *sorted.last()?,
        })
    }
}

/// What is measured: a case, for `n` items of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    pub case: Case,
    pub item_type: String,
    pub item_bytes: u64,
    pub n: u64,
}

impl Subject {
    fn of(row: &Row) -> Self {
        Self {
            case: row.case,
            item_type: row.item_type.clone(),
            item_bytes: row.item_bytes(),
            n: row.n,
        }
    }

    /// The copy of the same number of items.
    fn copy(&self) -> Self {
        Self {
            case: Case::Copy,
            ..self.clone()
        }
    }

    /// Bytes that a call moves.
    pub fn bytes(&self) -> f64 {
        (self.case.traffic() * self.n * self.item_bytes) as f64
    }
}

/// A subject, and the microseconds of each side in each run.
struct Entry {
    subject: Subject,
    times: Vec<(Side, BTreeMap<u32, f64>)>,
}

impl Entry {
    fn times(&self, side: Side) -> Option<&BTreeMap<u32, f64>> {
        let found = self.times.iter().find(|(other, _)| *other == side)?;
        Some(&found.1)
    }
}

/// All subjects, in the order in which they were measured.
pub struct Summary {
    entries: Vec<Entry>,
}

impl Summary {
    pub fn of(record: &Record) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for row in &record.rows {
            let subject = Subject::of(row);
            let index = match entries.iter().position(|entry| entry.subject == subject) {
                Some(index) => index,
                None => {
                    entries.push(Entry {
                        subject,
                        times: Vec::new(),
                    });
                    entries.len() - 1
                }
            };
            let times = &mut entries[index].times;
            match times.iter_mut().find(|(side, _)| *side == row.side) {
                Some((_, runs)) => runs.extend([(row.run, row.us_median)]),
                None => times.push((row.side, BTreeMap::from([(row.run, row.us_median)]))),
            }
        }
        Self { entries }
    }

    /// The subjects except the copies.
    pub fn subjects(&self) -> impl Iterator<Item = &Subject> {
        let all = self.entries.iter().map(|entry| &entry.subject);
        all.filter(|subject| subject.case != Case::Copy)
    }

    /// The microseconds of a side.
    pub fn micros(&self, subject: &Subject, side: Side) -> Option<Spread> {
        Spread::of(self.runs(subject, side)?.values().copied())
    }

    /// The GB/s of a side.
    pub fn rate(&self, subject: &Subject, side: Side) -> Option<Spread> {
        let bytes = match side {
            Side::Driver => subject.copy().bytes(),
            Side::Warpfold | Side::Cub => subject.bytes(),
        };
        let runs = self.runs(subject, side)?;
        Spread::of(runs.values().map(|micros| bytes / micros / 1e3))
    }

    /// The speed of warpfold's call divided by the speed of another side's call in the same run. For the driver's copy, this is the part
    /// of the copy's rate that warpfold reaches.
    pub fn ratio(&self, subject: &Subject, side: Side) -> Option<Spread> {
        let theirs = self.runs(subject, side)?;
        let ours = self.runs(subject, Side::Warpfold)?;
        let bytes = match side {
            Side::Driver => subject.bytes() / subject.copy().bytes(),
            Side::Warpfold | Side::Cub => 1.0,
        };
        let of_run = |(run, ours): (&u32, &f64)| Some(bytes * theirs.get(run)? / ours);
        Spread::of(ours.iter().filter_map(of_run))
    }

    /// The time of a side in each run. For the driver, this is the time of a copy of the same number of items.
    fn runs(&self, subject: &Subject, side: Side) -> Option<&BTreeMap<u32, f64>> {
        let copy = subject.copy();
        let subject = match side {
            Side::Driver => &copy,
            Side::Warpfold | Side::Cub => subject,
        };
        let entry = self
            .entries
            .iter()
            .find(|entry| entry.subject == *subject)?;
        entry.times(side)
    }
}

/// Appends `value`, unless the list has it already.
pub fn push_new<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}
