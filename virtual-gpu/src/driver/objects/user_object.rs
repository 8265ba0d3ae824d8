//! User objects: data of the program, with a destructor.
//!
//! The program and graphs hold references to an object. An executable graph holds as many references as the graph that it was made from.
//! While a launch of an executable graph is queued, the references are kept, even if the executable graph is destroyed. When the last
//! reference is released, the object's destructor is called. On the virtual device, the thread that releases the last reference calls the
//! destructor. The real driver calls it on one of the driver's threads. The destructor must not call the driver.

use crate::driver::abi::{Handle, HostFunction};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::lock;
use crate::driver::objects::machine::machine;
use crate::driver::objects::work::call_host_function;
use std::sync::{Arc, Mutex};

/// Data of the program, with a reference count.
pub(crate) struct UserObject {
    destructor: HostFunction,
    references: Mutex<u32>,
}

/// References of a graph to an object. Dropping this value releases them.
pub(crate) struct GraphReferences {
    handle: Handle<UserObject>,
    object: Arc<UserObject>,
    count: u32,
}

impl UserObject {
    /// A new object. `references` is the number of references that the program holds to it. It is at least 1.
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

    /// Releases references. Releasing the last reference calls the destructor.
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
    /// Transfers references from the program to a graph.
    pub(crate) fn moved(handle: Handle<UserObject>, object: Arc<UserObject>, count: u32) -> Self {
        Self {
            handle,
            object,
            count,
        }
    }

    /// Adds new references, which a graph holds.
    pub(crate) fn added(
        handle: Handle<UserObject>,
        object: Arc<UserObject>,
        count: u32,
    ) -> Outcome<Self> {
        object.retain(count)?;
        Ok(Self::moved(handle, object, count))
    }

    /// Adds as many references as this value has, for another graph.
    pub(crate) fn passed_on(&self) -> Outcome<Self> {
        Self::added(self.handle, Arc::clone(&self.object), self.count)
    }

    pub(crate) fn are_to(&self, handle: Handle<UserObject>) -> bool {
        self.handle.key() == handle.key()
    }
}

impl Drop for GraphReferences {
    fn drop(&mut self) {
        // Releasing fails only if the program has released or moved references that it did not hold.
        let _ = self.object.release(self.handle, self.count);
    }
}
