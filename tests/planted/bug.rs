//! A planted bug: what is changed, and what must find it.

use std::collections::BTreeMap;

use virtual_gpu::{RunOptions, Switch};

use crate::edit::Edit;
use crate::schedule::schedules;
use crate::trial::{Check, Circumstances, Trial};

/// Seeds of each policy.
const SEEDS: u64 = 1;

/// A bug in a kernel.
pub struct Bug<'e> {
    pub edits: &'e [Edit],
    /// Each of these finds it, under one schedule at least.
    pub found_by: &'e [Check],
}

/// Defines a test for each bug of one kernel, and one for the kernel without them.
macro_rules! bugs {
    ($module:ident: $symbol:literal, $trial:expr, $circumstances:expr;
     $($bug:ident: $found_by:expr, $edits:expr;)*) => {
        mod $module {
            use super::*;
            use $crate::bug::{Bug, assert_clean};

            #[test]
            fn as_it_is() {
                assert_clean($symbol, $circumstances, $trial($circumstances));
            }

            $(
                #[test]
                fn $bug() {
                    let bug = Bug { edits: &$edits, found_by: &$found_by };
                    bug.assert_found($symbol, stringify!($bug), $circumstances, $trial($circumstances));
                }
            )*
        }
    };
}
pub(crate) use bugs;

/// Asserts that nothing is wrong with a kernel as it is.
pub fn assert_clean(symbol: &str, it: Circumstances, trial: Trial) {
    let tally = Tally::of(&it.generation.kernel(symbol), &trial);
    assert!(tally.found.is_empty(), "{symbol}: {tally:?}");
}

impl Bug<'_> {
    /// Asserts that all find the bug that are said to, and that nothing else is needed for it to be found.
    pub fn assert_found(&self, symbol: &str, name: &str, it: Circumstances, trial: Trial) {
        let mut text = it.generation.kernel(symbol);
        for edit in self.edits {
            text = edit.apply(&text);
        }
        let tally = Tally::of(&text, &trial);
        let counts = tally.found.iter();
        let counts: Vec<_> = counts.map(|(check, n)| format!("{check:?} {n}")).collect();
        eprintln!(
            "{} {symbol} {name}: of {} schedules {}",
            it.generation.name,
            tally.schedules,
            counts.join(", ")
        );
        for check in self.found_by {
            assert!(tally.found.contains_key(check), "{check:?} finds nothing");
        }
        assert!(!self.found_by.is_empty());
    }
}

/// Under how many schedules what finds something.
#[derive(Debug, Default)]
struct Tally {
    schedules: u64,
    found: BTreeMap<Check, u64>,
}

impl Tally {
    fn of(text: &str, trial: &Trial) -> Self {
        let mut tally = Self::default();
        for options in schedules(SEEDS) {
            tally.schedules += 1;
            // A race would end the launch before anything else could show.
            let mut watched = options.clone();
            watched.checks.race = Switch::On;
            let race = trial(text, &watched).filter(|&check| check == Check::Race);
            for check in race.into_iter().chain(unwatched(text, trial, &options)) {
                *tally.found.entry(check).or_default() += 1;
            }
        }
        tally
    }
}

fn unwatched(text: &str, trial: &Trial, options: &RunOptions) -> Option<Check> {
    let mut options = options.clone();
    options.checks.race = Switch::Off;
    trial(text, &options)
}
