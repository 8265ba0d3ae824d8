//! A planted bug: the edits that make it, and the checks that must find it.

use std::collections::{BTreeMap, BTreeSet};
use std::env;

use virtual_gpu::{Checks, Policy, Switch};

use crate::edit::Edit;
use crate::schedule::{SEEDS_VARIABLE, schedules};
use crate::trial::{Check, Circumstances, Trial};

/// How many seeds each policy has, unless `WARPFOLD_SEEDS` is set.
const SEEDS: u64 = 1;

/// A bug in a kernel.
pub struct Bug<'e> {
    pub edits: &'e [Edit],
    /// Each of these checks finds the bug under at least one schedule.
    pub found_by: &'e [Check],
}

/// Makes a test for each bug of one kernel, and one for the kernel without bugs.
macro_rules! bugs {
    ($module:ident: $symbol:literal, $trial:expr, $circumstances:expr;
     $($bug:ident: $found_by:expr, $edits:expr;)*) => {
        mod $module {
            use super::*;
            use $crate::bug::{Bug, assert_clean};

            #[test]
            fn unchanged() {
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

/// The text of a kernel. The kernel of a reduction by key has two texts; this returns the one that compares keys.
fn text_of(it: Circumstances, symbol: &str) -> String {
    match symbol.starts_with("by_key_") {
        true => it.generation.keyed_kernel(symbol),
        false => it.generation.kernel(symbol),
    }
}

/// Asserts that no check finds anything in the unchanged kernel.
pub fn assert_clean(symbol: &str, it: Circumstances, trial: Trial) {
    let tally = Tally::of(&text_of(it, symbol), &trial, &[Checks::all()]);
    assert!(tally.found.is_empty(), "{symbol}: {tally:?}");
}

impl Bug<'_> {
    /// Asserts that every listed check finds the bug. If the environment variable `WARPFOLD_SEEDS` is set, all checks run under all
    /// schedules, and what they find is counted and printed.
    pub fn assert_found(&self, symbol: &str, name: &str, it: Circumstances, trial: Trial) {
        assert!(!self.found_by.is_empty());
        let mut text = text_of(it, symbol);
        for edit in self.edits {
            text = edit.apply(&text);
        }
        if env::var_os(SEEDS_VARIABLE).is_none() {
            for &check in self.found_by {
                let is_found = schedules(SEEDS).any(|mut options| {
                    options.checks = watch_for(check);
                    trial(&text, &options) == Some(check)
                });
                assert!(is_found, "{check:?} finds nothing");
            }
            return;
        }
        let tally = Tally::of(&text, &trial, &one_at_a_time());
        let counts = tally.found.iter();
        let counts: Vec<_> = counts
            .map(|(check, by_policy)| format!("{check:?} {by_policy:?}"))
            .collect();
        eprintln!(
            "{} {symbol} {name}: of {} seeds of each policy {}",
            it.generation.name,
            tally.schedules / Policy::ALL.len() as u64,
            counts.join(", ")
        );
        for check in self.found_by {
            assert!(tally.found.contains_key(check), "{check:?} finds nothing");
        }
    }
}

/// The number of schedules under which each check finds something.
#[derive(Debug, Default)]
struct Tally {
    schedules: u64,
    /// For each check that finds something, the number of such schedules under each policy. The policies are in the order of
    /// [`Policy::ALL`].
    found: BTreeMap<Check, [u64; Policy::ALL.len()]>,
}

impl Tally {
    /// Runs the text under each schedule, with each of these sets of checks.
    fn of(text: &str, trial: &Trial, watches: &[Checks]) -> Self {
        let mut tally = Self::default();
        for mut options in schedules(SEEDS) {
            tally.schedules += 1;
            let mut found = BTreeSet::new();
            for &checks in watches {
                options.checks = checks;
                found.extend(trial(text, &options));
            }
            for check in found {
                let by_policy = tally.found.entry(check).or_default();
                for (count, policy) in by_policy.iter_mut().zip(Policy::ALL) {
                    *count += u64::from(policy == options.policy);
                }
            }
        }
        tally
    }
}

/// The set of checks with which a launch can end with this finding. With two checks in a set, the first finding would end the launch and
/// hide findings of the other check.
fn watch_for(check: Check) -> Checks {
    let mut checks = Checks::none();
    match check {
        Check::Sync => checks.sync = Switch::On,
        Check::Race => checks.race = Switch::On,
        Check::Init => checks.init = Switch::On,
        Check::Memory | Check::Hang | Check::Bits => {}
    }
    checks
}

/// All sets of [`watch_for`].
fn one_at_a_time() -> [Checks; 4] {
    [Check::Bits, Check::Sync, Check::Race, Check::Init].map(watch_for)
}
