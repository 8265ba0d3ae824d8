//! A property must hold for every case that a strategy makes. This module chooses the number of cases and the seed, and reports a failure.

use std::env;
use std::fmt::Debug;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proptest::strategy::Strategy;
use proptest::test_runner::{
    Config, FileFailurePersistence, RngSeed, TestCaseResult, TestError, TestRunner,
};

/// The default seed of the cases.
const SEED: u64 = 0;
/// For how many milliseconds a failing case is made smaller.
const SHRINK_MILLIS: u32 = 60_000;

/// A property that `cases` cases must have.
pub struct Property {
    pub name: &'static str,
    pub cases: u32,
    /// Changes the seed, so that tests of one property on several devices have different cases.
    pub variant: u64,
    /// The file with the seeds of the cases that have failed.
    pub regressions: &'static str,
}

/// The property called `$name`, in the variant `$variant`. It is tried on `$cases` cases, unless the environment sets another number.
macro_rules! property {
    ($name:literal, $cases:expr, $variant:expr) => {
        Property {
            name: $name,
            cases: $cases,
            variant: $variant,
            regressions: concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../tests/random/regressions/",
                $name,
                ".txt"
            ),
        }
    };
}
pub(crate) use property;

/// Whether a case has failed in this process.
static FAILED: AtomicBool = AtomicBool::new(false);

impl Property {
    /// Tries the cases. Fails with the smallest failing case that is found.
    pub fn holds<S: Strategy>(self, strategy: &S, check: impl Fn(&S::Value))
    where
        S::Value: Debug,
    {
        let seed = asked_for("WARPFOLD_RANDOM_SEED").unwrap_or(SEED);
        let config = Config {
            cases: asked_for("WARPFOLD_RANDOM_CASES").unwrap_or(self.cases),
            rng_seed: RngSeed::Fixed(seed.wrapping_add(self.variant << 32)),
            max_shrink_time: SHRINK_MILLIS,
            failure_persistence: Some(Box::new(FileFailurePersistence::Direct(self.regressions))),
            ..Config::default()
        };
        let tried = TestRunner::new(config).run(strategy, |case| attempt(&case, &check));
        match tried {
            Ok(()) => {}
            Err(TestError::Abort(why)) => panic!("{}: {why}", self.name),
            Err(TestError::Fail(why, case)) => panic!(
                "{}: {why}\nsmallest case: {case:?}\nto repeat it: WARPFOLD_RANDOM_SEED={seed} on the same device",
                self.name
            ),
        }
    }
}

/// Tries a case. If the case fails, `check` panics. After a fault, the device may be unusable for the rest of the process. If the device is
/// unusable, no smaller case can be tried, and the smallest failing case so far is reported.
fn attempt<C>(case: &C, check: impl Fn(&C)) -> TestCaseResult {
    if FAILED.load(Ordering::Relaxed) && warpfold::gpu_sum(&[1u32]).is_err() {
        return Ok(());
    }
    let _noted = NoteFailure;
    check(case);
    Ok(())
}

/// Sets [`FAILED`] if a panic drops this.
struct NoteFailure;

impl Drop for NoteFailure {
    fn drop(&mut self) {
        if thread::panicking() {
            FAILED.store(true, Ordering::Relaxed);
        }
    }
}

/// A number from the environment.
fn asked_for<N: FromStr>(variable: &str) -> Option<N> {
    let text = env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable}={text:?} is not a number")))
}
