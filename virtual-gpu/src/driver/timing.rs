//! Times the driver calls of the calling thread, with the real driver too.

use std::cell::RefCell;
use std::time::{Duration, Instant};

thread_local! {
    static CALLS: RefCell<Option<Vec<TimedCall>>> = const { RefCell::new(None) };
}

/// A driver call, and how long it took.
///
/// ```
/// let ((), calls) = virtual_gpu::driver::time_calls(|| ());
/// for call in calls {
///     println!("{} took {:?}", call.name, call.took);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedCall {
    /// The call's name, spelt as the exported symbol.
    pub name: &'static str,
    /// The time from the call's beginning to its end.
    pub took: Duration,
}

/// Runs `work`. Returns its result, and the driver calls that this thread made meanwhile, in order. Calls that an injected failure refused
/// are left out. If calls of `time_calls` are nested, the outer call does not return the driver calls of the inner `work`.
///
/// ```
/// # unsafe extern "C" {
/// #     fn cuInit(flags: u32) -> i32;
/// # }
/// # virtual_gpu::driver::start(virtual_gpu::driver::Settings { choice: virtual_gpu::driver::Choice::On, ..Default::default() })?;
/// // SAFETY: `cuInit` has this type, and takes no flags.
/// let (code, calls) = virtual_gpu::driver::time_calls(|| unsafe { cuInit(0) });
/// assert_eq!((code, calls[0].name), (0, "cuInit"));
/// println!("{:?}", calls[0].took);
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
pub fn time_calls<R>(work: impl FnOnce() -> R) -> (R, Vec<TimedCall>) {
    /// Restores the outer list, even if `work` panics.
    struct Outer(Option<Vec<TimedCall>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            CALLS.replace(self.0.take());
        }
    }
    let outer = Outer(CALLS.replace(Some(Vec::new())));
    let result = work();
    let calls = CALLS.take();
    drop(outer);
    (result, calls.unwrap_or_default())
}

/// Answers a call, and times it if requested.
pub(in crate::driver) fn timed(name: &'static str, answer: impl FnOnce() -> i32) -> i32 {
    // If the thread's storage is gone already, nothing is timed.
    let is_asked = CALLS.try_with(|calls| calls.borrow().is_some());
    if is_asked != Ok(true) {
        return answer();
    }
    let begun = Instant::now();
    let code = answer();
    let took = begun.elapsed();
    let _ = CALLS.try_with(|calls| {
        if let Some(calls) = &mut *calls.borrow_mut() {
            calls.push(TimedCall { name, took });
        }
    });
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_recorded_only_within_time_calls() {
        assert_eq!(timed("a", || 1), 1);
        let (inner, outer) = time_calls(|| {
            timed("b", || 2);
            time_calls(|| timed("c", || 3)).1
        });
        let names = |calls: &[TimedCall]| calls.iter().map(|call| call.name).collect::<Vec<_>>();
        assert_eq!((names(&inner), names(&outer)), (vec!["c"], vec!["b"]));
    }
}
