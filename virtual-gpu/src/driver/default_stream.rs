//! The default stream of a call: the stream that the handle zero stands for. If the call's symbol ends with `_ptds` or `_ptsz`, it is the
//! default stream of the calling thread. Otherwise, it is the legacy default stream.

use crate::driver::code::Outcome;
use std::cell::Cell;

thread_local! {
    static IS_OF_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread is inside a call whose default stream is the thread's own.
pub(crate) fn is_of_thread() -> bool {
    IS_OF_THREAD.try_with(Cell::get).unwrap_or(false)
}

/// Answers a call whose default stream is the legacy default stream.
pub(crate) fn legacy(answer: &mut dyn FnMut() -> Outcome) -> Outcome {
    answer()
}

/// Answers a call whose default stream is the calling thread's own.
pub(crate) fn of_thread(answer: &mut dyn FnMut() -> Outcome) -> Outcome {
    /// Restores the previous value, even if `answer` panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            let _ = IS_OF_THREAD.try_with(|mark| mark.set(self.0));
        }
    }
    let _before = Before(
        IS_OF_THREAD
            .try_with(|mark| mark.replace(true))
            .unwrap_or(false),
    );
    answer()
}
