//! The stack of contexts of each host thread. The context on top is the current context.
//!
//! As with the real driver, the stack can still be used while a thread or the process ends: in destructors of thread-local storage, and in
//! functions that were registered with `atexit`. So the stack has no destructor. The heap memory of a deep stack is leaked when its thread
//! ends.

use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::Context;
use crate::driver::objects::machine::machine;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// The number of contexts that a stack holds without heap memory.
const LOW: usize = 8;

struct Stack {
    low: [Handle<Context>; LOW],
    /// The contexts above the lowest `LOW` contexts.
    high: ManuallyDrop<Vec<Handle<Context>>>,
    count: usize,
}

thread_local! {
    static STACK: RefCell<Stack> = const {
        RefCell::new(Stack {
            low: [Handle::NULL; LOW],
            high: ManuallyDrop::new(Vec::new()),
            count: 0,
        })
    };
}

const _: () = assert!(!std::mem::needs_drop::<RefCell<Stack>>());

impl Stack {
    fn push(&mut self, context: Handle<Context>) {
        match self.low.get_mut(self.count) {
            Some(place) => *place = context,
            None => self.high.push(context),
        }
        self.count += 1;
    }

    fn pop(&mut self) -> Option<Handle<Context>> {
        let top = self.top()?;
        self.count -= 1;
        self.high.pop();
        if self.high.is_empty() {
            // Frees the heap memory.
            *self.high = Vec::new();
        }
        Some(top)
    }

    fn top(&self) -> Option<Handle<Context>> {
        let last = self.count.checked_sub(1)?;
        self.high.last().or(self.low.get(last)).copied()
    }
}

fn with_stack<R>(work: impl FnOnce(&mut Stack) -> R) -> R {
    STACK.with_borrow_mut(work)
}

/// The handle of the current context, even if that context was destroyed.
pub(crate) fn top() -> Option<Handle<Context>> {
    with_stack(|stack| stack.top())
}

pub(crate) fn push(context: Handle<Context>) {
    with_stack(|stack| stack.push(context));
}

pub(crate) fn pop() -> Option<Handle<Context>> {
    with_stack(Stack::pop)
}

/// Pops `context`, if it is on top of the calling thread's stack. This function is called when `context` is destroyed.
pub(crate) fn pop_if(context: Handle<Context>) {
    with_stack(|stack| {
        if stack.top().is_some_and(|top| top.key() == context.key()) {
            stack.pop();
        }
    });
}

/// The current context, even if it is poisoned.
pub(crate) fn current_in_any_state() -> Outcome<Arc<Context>> {
    let machine = machine()?;
    let handle = top().ok_or(Code::INVALID_CONTEXT)?;
    let context = machine.contexts.get(handle);
    context.map_err(|_| Code::CONTEXT_IS_DESTROYED)
}

/// The current context, if it is usable.
pub(crate) fn current() -> Outcome<Arc<Context>> {
    let context = current_in_any_state()?;
    context.check()?;
    Ok(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_popped_in_reverse_order_at_any_depth() {
        for count in [1, LOW - 1, LOW, LOW + 1, 3 * LOW] {
            assert!(top().is_none());
            for key in 1..=count {
                push(Handle::from_key(key));
                assert_eq!(top().map(Handle::key), Some(key));
            }
            pop_if(Handle::from_key(count + 1));
            pop_if(Handle::from_key(count));
            for key in (1..count).rev() {
                assert_eq!(pop().map(Handle::key), Some(key));
            }
            assert!(pop().is_none());
        }
    }
}
