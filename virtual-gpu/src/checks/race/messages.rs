//! What writes make known to those who read them: the orders that releases and acquires give.

use std::collections::HashMap;
use std::rc::Rc;

use super::clocks::{Known, Thread};
use super::pages::NumberHasher;
use super::threads::ThreadState;
use crate::checks::Accesses;
use crate::fault::AccessKind;
use crate::program::{Scope, Strength};

/// What a write made known to those who read it.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub known: Rc<Known>,
    pub block: u64,
    pub scope: Scope,
}

impl Message {
    /// Whether it reaches a block through an access of a scope.
    pub(super) fn reaches(&self, block: u64, scope: Scope) -> bool {
        self.block == block || self.scope.min(scope) >= Scope::Device
    }
}

/// The messages that lie in one memory, by address.
#[derive(Debug, Default)]
pub(super) struct Messages {
    lying: HashMap<u64, Vec<Message>, NumberHasher>,
}

impl Messages {
    /// What lies at an address.
    pub(super) fn at(&self, address: u64) -> &[Message] {
        self.lying.get(&address).map_or(&[], |all| all)
    }

    /// What a thread's access hears from earlier writes. An acquire orders the access itself, too,
    /// so this comes before the access is compared with others.
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

    /// What a thread's write makes known to later readers. A release covers the access itself, so
    /// this comes after the access got its time.
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
        // An atomic operation passes on what was there; a write does not.
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
