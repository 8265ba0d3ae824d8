//! Live objects by handle.
//!
//! A handle of the real driver is a pointer, and the heap soon reuses freed addresses. A handle of this driver is a key of a table, and a
//! table reuses keys in the same way: a new object gets the key that was freed last. After an object is removed, using its handle is an
//! error until the handle's key is reused. From then on, the stale handle names the newer object.
//!
//! Each kind of object has a table. A key belongs to one kind of object for the life of the process, so a handle of one kind is never
//! mistaken for a handle of another kind. The table does not reuse keys that a caller chose ([`Table::insert_at`]).

use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::threads::ThreadId;
use std::any::Any;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The first key. Null and the two handles of default streams are lower.
const FIRST_KEY: usize = 0x1000;
/// The distance between two keys, which resembles the distance between two objects on the heap.
const KEY_STEP: usize = 0x10;

/// The live objects of one kind.
pub(crate) struct Table<K> {
    state: RwLock<State>,
    missing: Code,
    kind: PhantomData<fn() -> K>,
}

/// The objects of a table. Their type is left out, so that the code for a map of objects is compiled once for all kinds.
struct State {
    live: BTreeMap<usize, Entry>,
    /// Keys to be reused. The last key of the list is reused next.
    free: Vec<usize>,
}

struct Entry {
    object: Object,
    maker: ThreadId,
    key_of: KeyOf,
}

/// An object whose type is that of its table.
type Object = Arc<dyn Any + Send + Sync>;

/// Who chose a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOf {
    Table,
    Caller,
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

impl State {
    /// Inserts an object under a key that is free, or never was given out before.
    fn insert_anywhere(&mut self, object: Object) -> usize {
        let key = self.free.pop().unwrap_or_else(new_key);
        self.insert(key, object, KeyOf::Table);
        key
    }

    fn insert(&mut self, key: usize, object: Object, key_of: KeyOf) {
        let maker = ThreadId::current();
        let entry = Entry {
            object,
            maker,
            key_of,
        };
        self.live.insert(key, entry);
    }

    fn get(&self, key: usize) -> Option<Object> {
        self.live.get(&key).map(|entry| Arc::clone(&entry.object))
    }

    fn remove(&mut self, key: usize) -> Option<Object> {
        let entry = self.live.remove(&key)?;
        Some(self.release(key, entry))
    }

    fn retain(&mut self, stays: &dyn Fn(&Object) -> bool) -> Vec<Object> {
        let gone = self.live.extract_if(.., |_, entry| !stays(&entry.object));
        let gone: Vec<_> = gone.collect();
        let released = gone
            .into_iter()
            .map(|(key, entry)| self.release(key, entry));
        released.collect()
    }

    fn release(&mut self, key: usize, entry: Entry) -> Object {
        if entry.key_of == KeyOf::Table {
            self.free.push(key);
        }
        entry.object
    }

    fn count(&self, owner: Owner) -> usize {
        let entries = self.live.values();
        entries.filter(|entry| owner.made(entry.maker)).count()
    }
}

impl<K: Any + Send + Sync> Table<K> {
    /// An empty table. A lookup that finds nothing fails with `missing`.
    pub(crate) fn new(missing: Code) -> Self {
        let state = State {
            live: BTreeMap::new(),
            free: Vec::new(),
        };
        Self {
            state: RwLock::new(state),
            missing,
            kind: PhantomData,
        }
    }

    pub(crate) fn insert(&self, object: impl Into<Arc<K>>) -> Handle<K> {
        let object: Arc<K> = object.into();
        Handle::from_key(self.write().insert_anywhere(object))
    }

    /// Inserts an object under a key that the caller has reserved with [`new_key`].
    pub(crate) fn insert_at(&self, handle: Handle<K>, object: impl Into<Arc<K>>) {
        let object: Arc<K> = object.into();
        self.write().insert(handle.key(), object, KeyOf::Caller);
    }

    pub(crate) fn get(&self, handle: Handle<K>) -> Outcome<Arc<K>> {
        self.typed(self.read().get(handle.key()))
    }

    pub(crate) fn remove(&self, handle: Handle<K>) -> Outcome<Arc<K>> {
        self.typed(self.write().remove(handle.key()))
    }

    /// Removes and returns the objects for which `stays` is false. The caller drops them after the table is unlocked.
    pub(crate) fn retain(&self, stays: impl Fn(&K) -> bool) -> Vec<Arc<K>> {
        let stays = |object: &Object| object.downcast_ref().is_none_or(&stays);
        let gone = self.write().retain(&stays);
        gone.into_iter()
            .filter_map(|object| object.downcast().ok())
            .collect()
    }

    pub(crate) fn count(&self, owner: Owner) -> usize {
        self.read().count(owner)
    }

    /// The object with its type. All objects of a table have the table's type.
    fn typed(&self, object: Option<Object>) -> Outcome<Arc<K>> {
        let object = object.ok_or(self.missing)?;
        object.downcast().map_err(|_| self.missing)
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_stale_handle_is_refused_until_its_key_is_reused() {
        let table = Table::<i32>::new(Code::INVALID_HANDLE);
        let first = table.insert(1);
        table.remove(first).unwrap();
        assert_eq!(table.get(first).unwrap_err(), Code::INVALID_HANDLE);
        assert_eq!(table.remove(first).unwrap_err(), Code::INVALID_HANDLE);
        let second = table.insert(2);
        assert_eq!(first.key(), second.key());
        assert_eq!(*table.get(first).unwrap(), 2);
    }

    #[test]
    fn the_last_freed_key_is_reused_first() {
        let table = Table::<i32>::new(Code::INVALID_HANDLE);
        let handles = [1, 2, 3].map(|object| table.insert(object));
        for handle in handles {
            table.remove(handle).unwrap();
        }
        let again = [4, 5, 6, 7].map(|object| table.insert(object).key());
        assert_eq!(again[..3], [2, 1, 0].map(|index| handles[index].key()));
        assert!(handles.iter().all(|handle| handle.key() != again[3]));
    }

    #[test]
    fn keys_of_objects_removed_by_retain_are_reused() {
        let table = Table::<i32>::new(Code::INVALID_HANDLE);
        let handles = [1, 2, 3].map(|object| table.insert(object));
        assert_eq!(table.retain(|object| *object == 2).len(), 2);
        let again = [4, 5].map(|object| table.insert(object).key());
        assert_eq!(again, [2, 0].map(|index| handles[index].key()));
        assert_eq!(*table.get(handles[1]).unwrap(), 2);
    }

    #[test]
    fn a_key_is_never_reused_for_another_kind() {
        let (narrow, wide) = (
            Table::<i32>::new(Code::INVALID_HANDLE),
            Table::<i64>::new(Code::INVALID_HANDLE),
        );
        let number = narrow.insert(1);
        narrow.remove(number).unwrap();
        assert_ne!(wide.insert(1).key(), number.key());
    }

    #[test]
    fn a_key_chosen_by_the_caller_is_never_reused() {
        let table = Table::<i32>::new(Code::INVALID_CONTEXT);
        let own = Handle::from_key(new_key());
        table.insert_at(own, 1);
        table.remove(own).unwrap();
        assert_ne!(table.insert(2).key(), own.key());
    }

    #[test]
    fn objects_are_counted_per_creating_thread() {
        let table = Table::<i32>::new(Code::INVALID_HANDLE);
        table.insert(1);
        thread::scope(|scope| {
            scope.spawn(|| table.insert(2));
        });
        assert_eq!(table.count(Owner::Anyone), 2);
        assert_eq!(table.count(Owner::Thread(ThreadId::current())), 1);
    }
}
