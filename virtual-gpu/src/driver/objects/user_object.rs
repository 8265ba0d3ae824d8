//! User objects: something of the program's that lives as long as the graphs that need it.
//!
//! An object has references: those of the program and those of graphs. A graph that is made
//! launchable passes on as many references as it has, and a launch that is queued keeps those of
//! its graph. When the last reference goes, the object's destructor is called: here on the thread
//! that lets go, by the real driver on one of its own. Either way it must not call the driver.

use crate::driver::abi::{Handle, HostFunction};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::lock;
use crate::driver::objects::machine::machine;
use crate::driver::objects::work::call_host_function;
use std::sync::{Arc, Mutex};

/// Something of the program's, with a count of the references to it.
pub(crate) struct UserObject {
    destructor: HostFunction,
    references: Mutex<u32>,
}

/// References that a graph has to an object, which it gives back when it goes.
pub(crate) struct GraphReferences {
    handle: Handle<UserObject>,
    object: Arc<UserObject>,
    count: u32,
}

impl UserObject {
    /// An object with this many references, at least one, that are the program's.
    pub(crate) fn new(destructor: HostFunction, references: u32) -> Self {
        Self {
            destructor,
            references: Mutex::new(references),
        }
    }

    /// Adds references.
    pub(crate) fn retain(&self, count: u32) -> Outcome {
        let mut references = lock(&self.references);
        *references = references.checked_add(count).ok_or(Code::INVALID_VALUE)?;
        Ok(())
    }

    /// Gives references back; the last one to go ends the object.
    pub(crate) fn release(&self, handle: Handle<Self>, count: u32) -> Outcome {
        let left = {
            let mut references = lock(&self.references);
            *references = references.checked_sub(count).ok_or(Code::INVALID_VALUE)?;
            *references
        };
        if left == 0 {
            machine()?.user_objects.remove(handle)?;
            call_host_function(&self.destructor);
        }
        Ok(())
    }
}

impl GraphReferences {
    /// References that were counted before and are a graph's from now on.
    pub(crate) fn moved(handle: Handle<UserObject>, object: Arc<UserObject>, count: u32) -> Self {
        Self {
            handle,
            object,
            count,
        }
    }

    /// References in addition to those that there are.
    pub(crate) fn added(
        handle: Handle<UserObject>,
        object: Arc<UserObject>,
        count: u32,
    ) -> Outcome<Self> {
        object.retain(count)?;
        Ok(Self::moved(handle, object, count))
    }

    /// As many references for another graph.
    pub(crate) fn passed_on(&self) -> Outcome<Self> {
        Self::added(self.handle, Arc::clone(&self.object), self.count)
    }

    pub(crate) fn are_to(&self, handle: Handle<UserObject>) -> bool {
        self.handle.key() == handle.key()
    }
}

impl Drop for GraphReferences {
    fn drop(&mut self) {
        // Fails only for a program that has given back references that were not its own.
        let _ = self.object.release(self.handle, self.count);
    }
}
