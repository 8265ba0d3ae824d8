//! The primary context of a device. A retain makes it if it does not exist. A reset or the last release destroys it. Its handle stays the
//! same for the life of the process.
//!
//! No lock is held while a context is destroyed. The context's remaining work is done first, and a host function in this work may wait for
//! another thread, which may need the lock. If a thread retains the primary context before the old context is destroyed, a new context is
//! made.

use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::{Context, Kind};
use crate::driver::objects::lock;
use crate::driver::objects::machine::{Device, Machine};
use crate::driver::objects::table::{Owner, new_key};
use crate::driver::objects::threads::ThreadId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A mask of all flags that a context can have. Some of them choose how a host thread waits, and one of them allows mapped host memory.
const FLAGS: u32 = 0xff;

/// The primary context of a device.
pub(crate) struct Primary {
    handle: Handle<Context>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    retains: u64,
    /// For each thread, the number of its retains minus the number of its releases. [`Live`](crate::driver::Live) reports these numbers.
    by_thread: HashMap<ThreadId, i64>,
    flags: u32,
    context: Option<Arc<Context>>,
}

impl Default for Primary {
    fn default() -> Self {
        Self {
            handle: Handle::from_key(new_key()),
            state: Mutex::default(),
        }
    }
}

/// The flags of the context, and whether it exists.
pub(crate) struct PrimaryState {
    pub(crate) flags: u32,
    pub(crate) is_active: bool,
}

impl Primary {
    /// The context's handle, whether or not the context exists.
    pub(crate) fn handle(&self) -> Handle<Context> {
        self.handle
    }

    pub(crate) fn retain(
        &self,
        machine: &'static Machine,
        device: &'static Device,
    ) -> Handle<Context> {
        let mut state = lock(&self.state);
        if state.context.is_none() {
            let context = Arc::new(Context::new(
                device,
                self.handle,
                Kind::Primary,
                state.flags,
            ));
            machine
                .contexts
                .insert_at(self.handle, Arc::clone(&context));
            state.context = Some(context);
        }
        state.retains += 1;
        *state.by_thread.entry(ThreadId::current()).or_default() += 1;
        self.handle
    }

    /// Releases the context once. The last release destroys it.
    pub(crate) fn release(&self, machine: &Machine) -> Outcome {
        if let Some(context) = self.release_once()? {
            machine.let_go(&context);
        }
        Ok(())
    }

    /// Counts a release. The last release returns the context, unless a reset has destroyed it.
    fn release_once(&self) -> Outcome<Option<Arc<Context>>> {
        let mut state = lock(&self.state);
        state.retains = state.retains.checked_sub(1).ok_or(Code::INVALID_CONTEXT)?;
        *state.by_thread.entry(ThreadId::current()).or_default() -= 1;
        Ok(match state.retains {
            0 => state.context.take(),
            _ => None,
        })
    }

    /// Destroys the context. The number of retains stays the same, so the program must still release the context once for each retain. The
    /// program may retain the context again.
    pub(crate) fn reset(&self, machine: &Machine) {
        let context = lock(&self.state).context.take();
        if let Some(context) = context {
            machine.destroy(&context);
        }
    }

    pub(crate) fn set_flags(&self, flags: u32) -> Outcome {
        if flags & !FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let mut state = lock(&self.state);
        state.flags = flags;
        if let Some(context) = &state.context {
            context.set_flags(flags);
        }
        Ok(())
    }

    pub(crate) fn state(&self) -> PrimaryState {
        let state = lock(&self.state);
        PrimaryState {
            flags: state.flags,
            is_active: state.context.is_some(),
        }
    }

    /// The number of retains minus the number of releases, by all threads or by one thread.
    pub(crate) fn retains(&self, owner: Owner) -> i64 {
        let state = lock(&self.state);
        let of_threads = state.by_thread.iter();
        of_threads
            .filter(|(thread, _)| owner.made(**thread))
            .map(|(_, count)| count)
            .sum()
    }
}
