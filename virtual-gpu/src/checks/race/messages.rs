//! Messages: the knowledge that a release publishes to the threads that acquire it.

use std::collections::HashMap;
use std::rc::Rc;

use super::clocks::{Known, Thread};
use super::pages::NumberHasher;
use super::threads::ThreadState;
use crate::checks::Accesses;
use crate::fault::AccessKind;
use crate::program::{Scope, Strength};

/// The knowledge that a write publishes to its readers.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub known: Rc<Known>,
    pub block: u64,
    pub scope: Scope,
}

impl Message {
    /// Whether an access or a fence with this scope, in this block, receives the message.
    pub(super) fn reaches(&self, block: u64, scope: Scope) -> bool {
        self.block == block || self.scope.min(scope) >= Scope::Device
    }
}

/// The messages of the writes to one memory, by address.
#[derive(Debug, Default)]
pub(super) struct Messages {
    lying: HashMap<u64, Vec<Message>, NumberHasher>,
}

impl Messages {
    /// The messages at an address.
    pub(super) fn at(&self, address: u64) -> &[Message] {
        self.lying.get(&address).map_or(&[], |all| all)
    }

    /// Receives the messages of the writes that an access reads. An acquire also orders the acquiring access itself, so call this before
    /// the access is compared with others.
    pub(super) fn hear(state: &mut ThreadState, accesses: &Accesses<'_>, lying: &[Message]) {
        let acquires = matches!(
            accesses.strength,
            Strength::Acquire | Strength::AcquireRelease
        );
        for message in lying {
            if message.reaches(accesses.block, accesses.scope) {
                if acquires {
                    state.learn(&message.known);
                }
                state.hear(message);
            }
        }
    }

    /// Leaves a message for later readers of a write, if the write releases, or if it is strong and follows a fence that releases. A
    /// release also covers the releasing write itself, so call this after the write's time has been recorded.
    pub(super) fn leave(
        &mut self,
        thread: Thread,
        state: &mut ThreadState,
        accesses: &Accesses<'_>,
        address: u64,
    ) {
        let message = match accesses.strength {
            Strength::Weak => None,
            Strength::Release | Strength::AcquireRelease => Some(Message {
                known: state.publish(thread),
                block: accesses.block,
                scope: accesses.scope,
            }),
            _ => state.fenced.clone().map(|fenced| Message {
                scope: fenced.scope.min(accesses.scope),
                ..fenced
            }),
        };
        // An atomic operation continues the release sequence; any other write ends it.
        if accesses.kind == AccessKind::Write && !self.lying.is_empty() {
            self.lying.remove(&address);
        }
        let Some(message) = message else {
            return;
        };
        let lying = self.lying.entry(address).or_default();
        let is_alike = |m: &&mut Message| {
            m.block == message.block && m.scope == message.scope
                || m.scope.min(message.scope) >= Scope::Device
        };
        match lying.iter_mut().find(is_alike) {
            Some(old) => Rc::make_mut(&mut old.known).join(&message.known),
            None => lying.push(message),
        }
    }
}
