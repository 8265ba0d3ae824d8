//! Fault injection: makes a chosen driver call of the calling thread fail, with the real driver too.
//!
//! To test how a library handles failures, run some work under [`record`]. It returns the names of the work's K driver calls. Then run the
//! work K times, each time with [`fail`] armed for a different one of these calls. Both functions concern the calling thread alone, so
//! tests can run side by side.
//!
//! ```
//! use virtual_gpu::driver::{Code, inject};
//!
//! unsafe extern "C" {
//!     fn cuInit(flags: u32) -> i32;
//! }
//! # let on = virtual_gpu::Settings { choice: virtual_gpu::driver::Choice::On, ..Default::default() };
//! # virtual_gpu::start(on)?;
//! // SAFETY: `cuInit` has this type, and takes no flags.
//! let start = || unsafe { cuInit(0) };
//! let (_, calls) = inject::record(start);
//! assert_eq!(calls, ["cuInit"]);
//!
//! let _armed = inject::fail(inject::Failure {
//!     calls: inject::Calls::Named("cuInit"),
//!     nth: 1,
//!     code: Code::OUT_OF_MEMORY,
//!     moment: inject::Moment::Before,
//! });
//! assert_eq!(Code(start()), Code::OUT_OF_MEMORY);
//! assert_eq!(start(), 0);
//! # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
//! ```
//!
//! The code of an injected failure may be one that the call never returns on the real driver.

use crate::driver::code::Code;
use crate::driver::seam::dispatch::Class;
use std::cell::RefCell;
use std::marker::PhantomData;

/// Which calls a failure counts.
///
/// ```
/// use virtual_gpu::driver::inject::Calls;
///
/// assert_ne!(Calls::Any, Calls::Named("cuInit"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Every driver call.
    Any,
    /// Calls of this name, spelt as the exported symbol (`cuMemAlloc_v2`).
    Named(&'static str),
}

/// When the failure shows.
///
/// ```
/// use virtual_gpu::driver::inject::Moment;
///
/// // A fault of a kernel shows at the next call that synchronises, and at every later call.
/// let of_a_kernel = [Moment::Deferred, Moment::Sticky];
/// assert!(!of_a_kernel.contains(&Moment::Before));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The call fails, and has no effect.
    Before,
    /// The call has its effect, writes its results, and fails. An object that it created stays.
    After,
    /// The call succeeds. The next call that synchronises has its effect, but returns the failure's code.
    Deferred,
    /// The call and later calls fail without effect, until the failure is disarmed. Some later calls are not affected, such as
    /// `cuDeviceGetAttribute` and the calls for primary contexts.
    Sticky,
}

/// A failure to inject.
///
/// ```
/// use virtual_gpu::driver::{Code, inject};
///
/// let failure = inject::Failure {
///     calls: inject::Calls::Named("cuMemAlloc_v2"),
///     nth: 1,
///     code: Code::OUT_OF_MEMORY,
///     moment: inject::Moment::Before,
/// };
/// let armed = inject::fail(failure);
/// assert!(!armed.has_fired()); // no call yet
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which calls are counted.
    pub calls: Calls,
    /// The number of the call to which `moment` applies: 1 for the first counted call.
    pub nth: u64,
    /// The code that a failing call returns.
    pub code: Code,
    /// When the failure shows.
    pub moment: Moment,
}

/// Keeps a failure armed on this thread until this value is dropped.
///
/// ```
/// use virtual_gpu::driver::{Code, inject};
///
/// let failure = inject::Failure {
///     calls: inject::Calls::Named("cuMemAlloc_v2"),
///     nth: 1,
///     code: Code::OUT_OF_MEMORY,
///     moment: inject::Moment::Before,
/// };
/// let armed = inject::fail(failure);
/// drop(armed); // from here on, allocations succeed again
/// ```
#[derive(Debug)]
#[must_use = "the failure is disarmed when this is dropped"]
pub struct Armed {
    id: u64,
    this_thread: PhantomData<*const ()>,
}

/// What happens to a call.
pub(crate) enum Verdict {
    Proceed,
    Refuse(Code),
    Replace(Code),
}

struct Waiting {
    id: u64,
    failure: Failure,
    seen: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Counting,
    Deferred,
    Sticky,
    Spent,
}

#[derive(Default)]
struct Plan {
    failures: Vec<Waiting>,
    next_id: u64,
    recording: Option<Vec<&'static str>>,
}

thread_local! {
    static PLAN: RefCell<Plan> = RefCell::default();
}

/// Arms a failure on this thread.
///
/// ```
/// use virtual_gpu::driver::{Code, inject};
///
/// let failure = inject::Failure {
///     calls: inject::Calls::Named("cuMemAlloc_v2"),
///     nth: 1,
///     code: Code::OUT_OF_MEMORY,
///     moment: inject::Moment::Before,
/// };
/// let armed = inject::fail(failure);
/// // The next allocation of this thread fails, until `armed` is dropped.
/// assert!(!armed.has_fired());
/// ```
pub fn fail(failure: Failure) -> Armed {
    let id = PLAN.with_borrow_mut(|plan| {
        plan.next_id += 1;
        let id = plan.next_id;
        plan.failures.push(Waiting {
            id,
            failure,
            seen: 0,
            state: State::Counting,
        });
        id
    });
    Armed {
        id,
        this_thread: PhantomData,
    }
}

/// Runs `work`. Returns its result, and the names of the driver calls that this thread made in `work`, in the order of the calls.
///
/// ```
/// # unsafe extern "C" {
/// #     fn cuInit(flags: u32) -> i32;
/// # }
/// # virtual_gpu::driver::start(virtual_gpu::driver::Settings { choice: virtual_gpu::driver::Choice::On, ..Default::default() })?;
/// // SAFETY: `cuInit` has this type, and takes no flags.
/// let (code, calls) = virtual_gpu::driver::inject::record(|| unsafe { cuInit(0) });
/// assert_eq!((code, calls), (0, vec!["cuInit"]));
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
pub fn record<R>(work: impl FnOnce() -> R) -> (R, Vec<&'static str>) {
    /// Restores the outer recording and appends the inner recording to it, even if `work` panics.
    struct Outer(Option<Vec<&'static str>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            PLAN.with_borrow_mut(|plan| {
                let inner = plan.recording.take();
                plan.recording = self.0.take().map(|mut calls| {
                    calls.extend(inner.into_iter().flatten());
                    calls
                });
            });
        }
    }
    let outer = Outer(PLAN.with_borrow_mut(|plan| plan.recording.replace(Vec::new())));
    let result = work();
    let calls = PLAN.with_borrow(|plan| plan.recording.clone());
    drop(outer);
    (result, calls.unwrap_or_default())
}

impl Armed {
    /// Whether the counted call with the number `nth` was made. If the failure is deferred, this is true even before the failure shows.
    ///
    /// ```
    /// use virtual_gpu::driver::{Code, inject};
    ///
    /// let failure = inject::Failure {
    ///     calls: inject::Calls::Named("cuMemAlloc_v2"),
    ///     nth: 1,
    ///     code: Code::OUT_OF_MEMORY,
    ///     moment: inject::Moment::Before,
    /// };
    /// let armed = inject::fail(failure);
    /// assert!(!armed.has_fired());
    /// // It has fired once the program's next allocation has failed.
    /// ```
    pub fn has_fired(&self) -> bool {
        PLAN.with_borrow(|plan| {
            let waiting = plan.failures.iter().find(|waiting| waiting.id == self.id);
            waiting.is_some_and(|waiting| waiting.state != State::Counting)
        })
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        // If the thread-local storage is destroyed already, so is the failure.
        let _ = PLAN.try_with(|plan| {
            plan.borrow_mut()
                .failures
                .retain(|waiting| waiting.id != self.id);
        });
    }
}

/// Decides what happens to a call. If the thread-local storage is destroyed already, the call proceeds.
pub(crate) fn verdict(name: &'static str, class: Class) -> Verdict {
    PLAN.try_with(|plan| match plan.try_borrow_mut() {
        Ok(mut plan) => plan.verdict(name, class),
        Err(_) => Verdict::Proceed,
    })
    .unwrap_or(Verdict::Proceed)
}

impl Plan {
    fn verdict(&mut self, name: &'static str, class: Class) -> Verdict {
        if let Some(calls) = &mut self.recording {
            calls.push(name);
        }
        let mut verdict = Verdict::Proceed;
        for waiting in &mut self.failures {
            let answer = waiting.verdict(name, class);
            if matches!(verdict, Verdict::Proceed) {
                verdict = answer;
            }
        }
        verdict
    }
}

impl Waiting {
    fn verdict(&mut self, name: &str, class: Class) -> Verdict {
        let code = self.failure.code;
        match self.state {
            State::Counting => {
                if !self.is_reached_by(name) {
                    return Verdict::Proceed;
                }
                let (state, verdict) = match self.failure.moment {
                    Moment::Before => (State::Spent, Verdict::Refuse(code)),
                    Moment::After => (State::Spent, Verdict::Replace(code)),
                    Moment::Deferred => (State::Deferred, Verdict::Proceed),
                    Moment::Sticky => (State::Sticky, Verdict::Refuse(code)),
                };
                self.state = state;
                verdict
            }
            State::Deferred if class == Class::Synchronises => {
                self.state = State::Spent;
                Verdict::Replace(code)
            }
            State::Sticky if !matches!(class, Class::Survives | Class::Pure) => {
                Verdict::Refuse(code)
            }
            State::Deferred | State::Sticky | State::Spent => Verdict::Proceed,
        }
    }

    fn is_reached_by(&mut self, name: &str) -> bool {
        let counts = match self.failure.calls {
            Calls::Any => true,
            Calls::Named(wanted) => wanted == name,
        };
        self.seen += u64::from(counts);
        counts && self.seen == self.failure.nth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &'static str, class: Class) -> i32 {
        match verdict(name, class) {
            Verdict::Proceed => 0,
            Verdict::Refuse(code) => code.0,
            Verdict::Replace(code) => 10_000 + code.0,
        }
    }

    fn armed(calls: Calls, nth: u64, moment: Moment) -> Armed {
        fail(Failure {
            calls,
            nth,
            code: Code(77),
            moment,
        })
    }

    #[test]
    fn the_nth_call_of_a_name_fails_once() {
        let armed = armed(Calls::Named("b"), 2, Moment::Before);
        let names = ["b", "a", "b", "b"];
        let seen = names.map(|name| call(name, Class::Ordinary));
        assert_eq!(seen, [0, 0, 77, 0]);
        assert!(armed.has_fired());
    }

    #[test]
    fn a_deferred_failure_waits_for_a_call_that_synchronises() {
        let _armed = armed(Calls::Any, 1, Moment::Deferred);
        assert_eq!(call("a", Class::Ordinary), 0);
        assert_eq!(call("b", Class::Ordinary), 0);
        assert_eq!(call("c", Class::Synchronises), 10_077);
        assert_eq!(call("c", Class::Synchronises), 0);
    }

    #[test]
    fn a_sticky_failure_lasts_until_disarmed_except_for_context_calls() {
        let armed = armed(Calls::Any, 2, Moment::Sticky);
        assert_eq!(call("a", Class::Ordinary), 0);
        assert_eq!(call("a", Class::Ordinary), 77);
        assert_eq!(call("b", Class::Synchronises), 77);
        assert_eq!(call("c", Class::Survives), 0);
        drop(armed);
        assert_eq!(call("a", Class::Ordinary), 0);
    }

    #[test]
    fn recordings_nest() {
        let ((_, inner), outer) = record(|| {
            call("a", Class::Ordinary);
            record(|| call("b", Class::Ordinary))
        });
        assert_eq!((inner, outer), (vec!["b"], vec!["a", "b"]));
        assert_eq!(call("c", Class::Ordinary), 0);
    }

    #[test]
    fn other_threads_are_unaffected() {
        let armed = armed(Calls::Any, 1, Moment::Before);
        let elsewhere = std::thread::spawn(|| call("a", Class::Ordinary));
        assert_eq!(elsewhere.join().unwrap(), 0);
        assert!(!armed.has_fired());
    }
}
