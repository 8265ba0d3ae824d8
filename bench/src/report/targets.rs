//! The targets on an H200, and the values that were reached.

use std::fmt::Write;

use super::summary::{Spread, Subject, Summary};
use crate::record::{Case, Side};

/// The theoretical bandwidth of an H200's memory, in GB/s.
const PEAK_RATE: f64 = 4800.0;

/// The quantity that a target limits.
#[derive(Debug, Clone, Copy)]
enum Quantity {
    /// The speed relative to CUB.
    TimesCub,
    /// The rate, as a part of the copy's rate.
    PartOfCopy,
    /// The rate, as a part of [`PEAK_RATE`].
    PartOfPeak,
    Micros,
}

/// A limit for one quantity of some subjects. A time must not be above the limit. Any other quantity must not be below it.
struct Target {
    what: &'static str,
    covers: fn(&Subject) -> bool,
    quantity: Quantity,
    aim: f64,
}

fn is_large(subject: &Subject) -> bool {
    subject.n >= 1 << 26
}

fn is_scan(subject: &Subject) -> bool {
    matches!(subject.case, Case::InclusiveSum | Case::ExclusiveSum)
}

fn is_small_reduction(subject: &Subject) -> bool {
    subject.case.is_reduction() && (1 << 12..=1 << 20).contains(&subject.n)
}

fn is_small_scan(subject: &Subject) -> bool {
    is_scan(subject) && subject.n <= 1 << 18
}

fn is_large_scan(subject: &Subject, item_bytes: u64) -> bool {
    is_scan(subject) && is_large(subject) && subject.item_bytes == item_bytes
}

fn is_narrow_scan(subject: &Subject, item_bytes: u64) -> bool {
    is_scan(subject) && subject.n >= 1 << 24 && subject.item_bytes == item_bytes
}

const TARGETS: [Target; 14] = [
    Target {
        what: "reduce, n ≥ 2^26, every type",
        covers: |s| s.case.is_reduction() && is_large(s),
        quantity: Quantity::TimesCub,
        aim: 1.0,
    },
    Target {
        what: "reduce, n ≥ 2^26, every type",
        covers: |s| s.case.is_reduction() && is_large(s),
        quantity: Quantity::PartOfPeak,
        aim: 0.94,
    },
    Target {
        what: "reduce, 2^12 ≤ n ≤ 2^20",
        covers: is_small_reduction,
        quantity: Quantity::Micros,
        aim: 3.6,
    },
    Target {
        what: "reduce, 2^12 ≤ n ≤ 2^20",
        covers: is_small_reduction,
        quantity: Quantity::TimesCub,
        aim: 1.8,
    },
    Target {
        what: "scan, 4-byte types, n ≥ 2^26",
        covers: |s| is_large_scan(s, 4),
        quantity: Quantity::PartOfCopy,
        aim: 0.95,
    },
    Target {
        what: "scan, 4-byte types, n ≥ 2^26",
        covers: |s| is_large_scan(s, 4),
        quantity: Quantity::TimesCub,
        aim: 1.3,
    },
    Target {
        what: "scan, 8-byte types, n ≥ 2^26",
        covers: |s| is_large_scan(s, 8),
        quantity: Quantity::PartOfCopy,
        aim: 0.95,
    },
    Target {
        what: "scan, 8-byte types, n ≥ 2^26",
        covers: |s| is_large_scan(s, 8),
        quantity: Quantity::TimesCub,
        aim: 1.2,
    },
    Target {
        what: "scan, 1- and 2-byte types, n ≥ 2^28",
        covers: |s| is_scan(s) && s.n >= 1 << 28 && s.item_bytes <= 2,
        quantity: Quantity::PartOfCopy,
        aim: 0.95,
    },
    Target {
        what: "scan, 1-byte types, n ≥ 2^24",
        covers: |s| is_narrow_scan(s, 1),
        quantity: Quantity::TimesCub,
        aim: 4.0,
    },
    Target {
        what: "scan, 2-byte types, n ≥ 2^24",
        covers: |s| is_narrow_scan(s, 2),
        quantity: Quantity::TimesCub,
        aim: 1.9,
    },
    Target {
        what: "scan, n ≤ 2^18",
        covers: is_small_scan,
        quantity: Quantity::Micros,
        aim: 3.6,
    },
    Target {
        what: "scan, n ≤ 2^18",
        covers: is_small_scan,
        quantity: Quantity::TimesCub,
        aim: 1.8,
    },
    Target {
        what: "sums of floats, with the bit contract kept, every size",
        covers: |s| s.case != Case::ReduceMax && s.item_type.contains('f'),
        quantity: Quantity::TimesCub,
        aim: 1.0,
    },
];

/// The targets as a table. For each target: the worst value and its subject, that subject's speed relative to CUB's call in the same run,
/// and how many subjects reach the target.
pub fn markdown(summary: &Summary) -> String {
    let mut text = String::from(
        "## Targets\n\nThe furthest from the target of all that it covers, its least and most over the runs in brackets.\n\n\
         | case | target | reached | by | to CUB | met |\n|---|---|---|---|---|---|\n",
    );
    for target in &TARGETS {
        let covered = summary
            .subjects()
            .filter(|subject| (target.covers)(subject));
        let mut measured: Vec<(&Subject, Spread)> = covered
            .filter_map(|subject| Some((subject, target.quantity.of(subject, summary)?)))
            .collect();
        measured.sort_by(|a, b| {
            target
                .margin(a.1.median)
                .total_cmp(&target.margin(b.1.median))
        });
        let met = measured
            .iter()
            .filter(|each| target.margin(each.1.median) >= 0.0)
            .count();
        let (what, count) = (target.what, measured.len());
        let aim = target.quantity.aim_shown(target.aim);
        let _ = match measured.first() {
            Some((subject, spread)) => {
                let reached = target.quantity.shown(*spread);
                let ratio = summary.ratio(subject, Side::Cub);
                let ratio = ratio.map_or("not measured".to_owned(), |ratio| {
                    Quantity::TimesCub.shown(ratio)
                });
                let by = name(subject);
                writeln!(
                    text,
                    "| {what} | {aim} | {reached} | {by} | {ratio} | {met} of {count} |"
                )
            }
            None => writeln!(text, "| {what} | {aim} | not measured | | | |"),
        };
    }
    text
}

fn name(subject: &Subject) -> String {
    format!(
        "{} {} 2^{}",
        subject.case.name(),
        subject.item_type,
        subject.n.ilog2()
    )
}

impl Target {
    /// By how much `reached` is better than the target. Negative if the target is missed.
    fn margin(&self, reached: f64) -> f64 {
        match self.quantity {
            Quantity::Micros => self.aim / reached - 1.0,
            _ => reached / self.aim - 1.0,
        }
    }
}

impl Quantity {
    fn of(self, subject: &Subject, summary: &Summary) -> Option<Spread> {
        match self {
            Self::TimesCub => summary.ratio(subject, Side::Cub),
            Self::PartOfCopy => summary.ratio(subject, Side::Driver),
            Self::PartOfPeak => {
                let rate = summary.rate(subject, Side::Warpfold)?;
                Some(Spread {
                    median: rate.median / PEAK_RATE,
                    least: rate.least / PEAK_RATE,
                    most: rate.most / PEAK_RATE,
                })
            }
            Self::Micros => summary.micros(subject, Side::Warpfold),
        }
    }

    fn shown(
        self,
        Spread {
            median,
            least,
            most,
        }: Spread,
    ) -> String {
        match self {
            Self::TimesCub => format!("{median:.2} × ({least:.2} to {most:.2})"),
            Self::PartOfCopy | Self::PartOfPeak => format!(
                "{:.1} % ({:.1} to {:.1})",
                100.0 * median,
                100.0 * least,
                100.0 * most
            ),
            Self::Micros => format!("{median:.2} µs ({least:.2} to {most:.2})"),
        }
    }

    fn aim_shown(self, aim: f64) -> String {
        match self {
            Self::TimesCub => format!("≥ {aim:.2} × CUB"),
            Self::PartOfCopy => format!("≥ {:.0} % of the copy", 100.0 * aim),
            Self::PartOfPeak => format!("≥ {:.0} % of {PEAK_RATE} GB/s", 100.0 * aim),
            Self::Micros => format!("≤ {aim:.1} µs"),
        }
    }
}
