//! The stack of contexts of each host thread; the one on top is current.

use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::Context;
use crate::driver::objects::machine::machine;
use crate::driver::seam::abi::Handle;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static STACK: RefCell<Vec<Handle<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Works on the stack. A thread that is ending has none, and so no current context.
fn with_stack<R: Default>(work: impl FnOnce(&mut Vec<Handle<Context>>) -> R) -> R {
    STACK
        .try_with(|stack| work(&mut stack.borrow_mut()))
        .unwrap_or_default()
}

/// The handle of the current context, whatever has become of it.
pub(crate) fn top() -> Option<Handle<Context>> {
    with_stack(|stack| stack.last().copied())
}

pub(crate) fn push(context: Handle<Context>) {
    with_stack(|stack| stack.push(context));
}

pub(crate) fn pop() -> Option<Handle<Context>> {
    with_stack(Vec::pop)
}

/// Takes a context that is being destroyed off the calling thread's stack, if it is on top.
pub(crate) fn pop_if(context: Handle<Context>) {
    with_stack(|stack| {
        stack.pop_if(|top| top.key() == context.key());
    });
}

/// The current context, even a poisoned one.
pub(crate) fn current_in_any_state() -> Outcome<Arc<Context>> {
    let machine = machine()?;
    let handle = top().ok_or(Code::INVALID_CONTEXT)?;
    let context = machine.contexts.get(handle);
    context.map_err(|_| Code::CONTEXT_IS_DESTROYED)
}

/// The current context, if it can be worked in.
pub(crate) fn current() -> Outcome<Arc<Context>> {
    let context = current_in_any_state()?;
    context.check()?;
    Ok(context)
}
