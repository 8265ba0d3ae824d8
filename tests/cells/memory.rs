//! The inputs and outputs of all requests, as slices and in device memory, and their contents after a request.

use warpfold::cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};

/// The outputs' contents before a call.
const UNTOUCHED: u32 = u32::MAX;
const UNTOUCHED_NUMBER: u64 = u64::MAX;

const ITEMS: [u32; 8] = [3, 0, 4, 0, 5, 9, 0, 6];
const RIGHT: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
const KEYS: [u32; 8] = [7, 7, 2, 2, 2, 7, 1, 1];
const FLAGS: [u8; 8] = [1, 0, 0, 1, 1, 0, 1, 0];
/// Offsets of three segments. The second is empty, and the last two items are in no segment.
const OFFSETS: [u32; 4] = [0, 3, 3, 6];

macro_rules! memory {
    ($name:ident: $vec:ident, $new:expr, $count:ty, $count_new:expr) => {
        pub struct $name {
            pub items: $vec<u32>,
            pub right: $vec<u32>,
            pub keys: $vec<u32>,
            pub flags: $vec<u8>,
            pub offsets: $vec<u32>,
            /// The number 2, in device memory.
            #[allow(dead_code, reason = "slices have none")]
            pub count: $count,
            pub a: $vec<u32>,
            pub b: $vec<u32>,
            /// An output for results that are wider than the items.
            pub wide: $vec<u64>,
            pub n: $vec<u64>,
        }

        impl $name {
            pub fn new() -> Self {
                Self {
                    items: $new(&ITEMS),
                    right: $new(&RIGHT),
                    keys: $new(&KEYS),
                    flags: $new(&FLAGS),
                    offsets: $new(&OFFSETS),
                    count: $count_new,
                    a: $new(&[UNTOUCHED; 9]),
                    b: $new(&[UNTOUCHED; 9]),
                    wide: $new(&[UNTOUCHED_NUMBER; 9]),
                    n: $new(&[UNTOUCHED_NUMBER; 1]),
                }
            }

            /// The values that a request has written: the items, if they have changed, and each changed element of an output.
            pub fn written(&self) -> Vec<u64> {
                let items = self.items.read();
                let mut written: Vec<u64> = match items == ITEMS {
                    true => Vec::new(),
                    false => items.into_iter().map(u64::from).collect(),
                };
                for output in [self.a.read(), self.b.read()] {
                    let touched = output.into_iter().filter(|&item| item != UNTOUCHED);
                    written.extend(touched.map(u64::from));
                }
                for output in [self.wide.read(), self.n.read()] {
                    written.extend(
                        output
                            .into_iter()
                            .filter(|&number| number != UNTOUCHED_NUMBER),
                    );
                }
                written
            }
        }
    };
}

memory!(Slices: Vec, to_vec, (), ());
memory!(OnDevice: DeviceBuffer, to_device, DeviceBuffer<u64>, to_device(&[2]));

fn to_vec<T: Copy>(items: &[T]) -> Vec<T> {
    items.to_vec()
}

fn to_device<T: DeviceCopy>(items: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(items).unwrap()
}

trait Read<T> {
    fn read(&self) -> Vec<T>;
}

impl<T: Copy> Read<T> for Vec<T> {
    fn read(&self) -> Vec<T> {
        self.clone()
    }
}

impl<T: DeviceCopy + Default> Read<T> for DeviceBuffer<T> {
    fn read(&self) -> Vec<T> {
        let mut items = vec![T::default(); self.len()];
        self.copy_to(&mut items).unwrap();
        items
    }
}

/// A result of `wait`.
pub trait Given {
    fn list(self) -> Vec<u64>;
}

impl Given for () {
    fn list(self) -> Vec<u64> {
        Vec::new()
    }
}

macro_rules! given {
    ($($t:ty)*) => {$(
        impl Given for $t {
            fn list(self) -> Vec<u64> {
                vec![self as u64]
            }
        }
    )*};
}

given!(u32 u64 usize);

impl<T: Given> Given for Vec<T> {
    fn list(self) -> Vec<u64> {
        self.into_iter().flat_map(Given::list).collect()
    }
}

impl<A: Given, B: Given> Given for (A, B) {
    fn list(self) -> Vec<u64> {
        [self.0.list(), self.1.list()].concat()
    }
}
