//! Properties that must hold for every case of a strategy: the number of cases, the seed, and the report of a
//! failure.

use std::env;
use std::fmt::Debug;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proptest::strategy::Strategy;
use proptest::test_runner::{
    Config, FileFailurePersistence, RngSeed, TestCaseResult, TestError, TestRunner,
};

/// The seed of the cases, where no other is asked for.
const SEED: u64 = 0;
/// Milliseconds that a failing case is made smaller for.
const SHRINK_MILLIS: u32 = 60_000;

/// Something that holds for `cases` cases.
pub struct Property {
    pub name: &'static str,
    pub cases: u32,
    /// Added to the seed: what is tried on several devices is tried with other cases on each.
    pub variant: u64,
    /// The file of the cases that have failed.
    pub regressions: &'static str,
}

/// The property of a name, for `$cases` cases if no other number is asked for; and which variant of it.
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
    /// Tries the cases. Fails with the smallest that was found to fail.
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

/// Tries a case, which fails by panicking. After a fault the device is unusable for the rest of the process. Then no
/// smaller case can be tried, and the original case is reported.
fn attempt<C>(case: &C, check: impl Fn(&C)) -> TestCaseResult {
    if FAILED.load(Ordering::Relaxed) && warpfold::gpu_sum(&[1u32]).is_err() {
        return Ok(());
    }
    let _noted = NoteFailure;
    check(case);
    Ok(())
}

/// Notes that a case has failed, if a panic drops it.
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
