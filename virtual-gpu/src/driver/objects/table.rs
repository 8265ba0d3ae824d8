//! Live objects by handle. A key is used once in the life of the process and by one kind of object
//! only, so a stale handle, or one of another kind, is never taken for a live one.

use crate::driver::code::{Code, Outcome};
use crate::driver::seam::abi::Handle;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, ThreadId};

/// The first key; below it lie null and the two handles that stand for default streams.
const FIRST_KEY: usize = 0x1000;
/// Keys are this far apart, as pointers to objects would be.
const KEY_STEP: usize = 0x10;

/// The live objects of one kind.
pub(crate) struct Table<K> {
    live: RwLock<BTreeMap<usize, Entry<K>>>,
    missing: Code,
}

struct Entry<K> {
    object: Arc<K>,
    maker: ThreadId,
}

/// Whose objects are counted.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    Anyone,
    Thread(ThreadId),
}

impl Owner {
    pub(crate) fn made(self, maker: ThreadId) -> bool {
        match self {
            Owner::Anyone => true,
            Owner::Thread(thread) => thread == maker,
        }
    }
}

/// A key that was never given out before.
pub(crate) fn new_key() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(FIRST_KEY);
    NEXT.fetch_add(KEY_STEP, Ordering::Relaxed)
}

impl<K> Table<K> {
    /// An empty table, in which looking for what is not there gives `missing`.
    pub(crate) fn new(missing: Code) -> Self {
        Self {
            live: RwLock::default(),
            missing,
        }
    }

    pub(crate) fn insert(&self, object: impl Into<Arc<K>>) -> Handle<K> {
        let handle = Handle::from_key(new_key());
        self.insert_at(handle, object);
        handle
    }

    pub(crate) fn insert_at(&self, handle: Handle<K>, object: impl Into<Arc<K>>) {
        let entry = Entry {
            object: object.into(),
            maker: thread::current().id(),
        };
        self.write().insert(handle.key(), entry);
    }

    pub(crate) fn get(&self, handle: Handle<K>) -> Outcome<Arc<K>> {
        let live = self.read();
        let entry = live.get(&handle.key()).ok_or(self.missing)?;
        Ok(Arc::clone(&entry.object))
    }

    pub(crate) fn remove(&self, handle: Handle<K>) -> Outcome<Arc<K>> {
        let entry = self.write().remove(&handle.key()).ok_or(self.missing)?;
        Ok(entry.object)
    }

    /// Removes the objects that `stays` does not want to keep, and gives them back, so that they
    /// are dropped where the table is not locked.
    pub(crate) fn retain(&self, stays: impl Fn(&K) -> bool) -> Vec<Arc<K>> {
        let mut live = self.write();
        let gone = live.extract_if(.., |_, entry| !stays(&entry.object));
        gone.map(|(_, entry)| entry.object).collect()
    }

    pub(crate) fn count(&self, owner: Owner) -> usize {
        let live = self.read();
        live.values()
            .filter(|entry| owner.made(entry.maker))
            .count()
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<usize, Entry<K>>> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<usize, Entry<K>>> {
        self.live.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_handle_is_never_live_again() {
        let table = Table::new(Code::INVALID_HANDLE);
        let first = table.insert(1);
        table.remove(first).unwrap();
        let second = table.insert(2);
        assert_ne!(first.key(), second.key());
        assert_eq!(table.get(first).unwrap_err(), Code::INVALID_HANDLE);
        assert_eq!(*table.get(second).unwrap(), 2);
        assert_eq!(table.remove(first).unwrap_err(), Code::INVALID_HANDLE);
    }

    #[test]
    fn objects_are_counted_by_the_thread_that_made_them() {
        let table = Table::new(Code::INVALID_HANDLE);
        table.insert(1);
        thread::scope(|scope| {
            scope.spawn(|| table.insert(2));
        });
        assert_eq!(table.count(Owner::Anyone), 2);
        assert_eq!(table.count(Owner::Thread(thread::current().id())), 1);
    }
}
