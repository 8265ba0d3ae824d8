//! Accesses to a vector in memory: as few as the vector's size and alignment allow.
//!
//! A vector is accessed in **units** of up to 16 bytes. The sizes of the vector and of a unit are constants, so each function here compiles
//! to a few accesses.

use crate::element::VECTOR_WORDS;
use crate::element::{first_words, vector_of, Vector, Words};
use crate::simt::{self, EvictionPolicy};

use super::Caching;

/// The number of bytes of a vector, and the unit in which it is accessed. The address of each vector is a multiple of the unit.
#[derive(Clone, Copy)]
pub struct Access {
    bytes: usize,
    unit: usize,
}

/// Repeats a block of code for each listed index. This is not a loop, because the compiler might not unroll it. A loop that is not unrolled
/// indexes an array at run time, and such an array is in local memory instead of registers.
macro_rules! for_each_place {
    ($place:ident in $($index:literal)* => $body:block) => {{
        $({
            const $place: usize = $index;
            $body
        })*
    }};
}

/// Repeats a block of code for each 16 bytes of a vector.
macro_rules! for_each_sixteen {
    ($part:ident of $access:ident => $body:block) => {
        for_each_place!($part in 0 1 2 3 => {
            if 16 * $part < $access.bytes {
                $body
            }
        })
    };
}

impl Access {
    /// Accesses to vectors of `bytes` bytes, which lie in slots of `slot_bytes` bytes. The unit is the largest power of two, up to 16, that
    /// divides both `bytes` and `slot_bytes`.
    pub const fn new(bytes: usize, slot_bytes: usize) -> Self {
        let common = 16 | bytes | slot_bytes;
        let unit = common & common.wrapping_neg();
        Access { bytes, unit }
    }

    /// The number of bytes of a unit.
    #[inline(always)]
    pub const fn unit(self) -> usize {
        self.unit
    }

    /// Loads a vector from global memory.
    ///
    /// # Safety
    /// - `address` is in global memory, and a multiple of the unit.
    /// - The vector's bytes there are readable, and no other thread writes them.
    #[inline(always)]
    pub unsafe fn load(self, address: *const u32, caching: Caching) -> Vector {
        // SAFETY: each access is at a multiple of the unit, within the vector's bytes, which are readable (conditions of this function).
        unsafe {
            match (self.bytes, self.unit) {
                (16, 16) => vector_of(load_words(address, caching)),
                // Two parts of 16 bytes share a sector of 32 bytes, so L1 has to keep the sector from one load to the next.
                (32 | 48 | 64, 16) => {
                    self.sixteens(|part| load_words(address.add(4 * part), Caching::Kept))
                }
                _ => self.read::<Global>(address),
            }
        }
    }

    /// Makes a vector from parts of 16 bytes.
    #[inline(always)]
    fn sixteens(self, read: impl Fn(usize) -> Words) -> Vector {
        let mut vector = [0; VECTOR_WORDS];
        for_each_sixteen!(PART of self => {
            let [a, b, c, d] = read(PART);
            vector[4 * PART] = a;
            vector[4 * PART + 1] = b;
            vector[4 * PART + 2] = c;
            vector[4 * PART + 3] = d;
        });
        vector
    }

    /// Stores a vector to global memory.
    ///
    /// # Safety
    /// - `address` is in global memory, and a multiple of the unit.
    /// - The vector's bytes there are writable, and no other thread reads or writes them.
    #[inline(always)]
    pub unsafe fn store(self, address: *mut u32, vector: Vector) {
        // SAFETY: each access is at a multiple of the unit, within the vector's bytes, which are writable (conditions of this function).
        unsafe {
            match (self.bytes, self.unit) {
                (16, 16) => simt::store_vector(address, first_words(&vector)),
                (32 | 48 | 64, 16) => for_each_sixteen!(PART of self => {
                    simt::store_vector(address.add(4 * PART), words_of(&vector, PART));
                }),
                _ => self.write(address, vector),
            }
        }
    }

    /// Reads a vector from shared memory.
    ///
    /// # Safety
    /// - `address` is in shared memory, and a multiple of the unit.
    /// - The vector's bytes there have been written.
    #[inline(always)]
    pub unsafe fn read_shared(self, address: *const u32) -> Vector {
        // SAFETY: each access is at a multiple of the unit, within the vector's bytes, which have been written (conditions of this
        // function).
        unsafe {
            match (self.bytes, self.unit) {
                (16, 16) => vector_of(simt::read_vector(address)),
                (32 | 48 | 64, 16) => {
                    self.sixteens(|part| simt::read_vector(address.add(4 * part)))
                }
                _ => self.read::<Shared>(address),
            }
        }
    }

    /// As [`Self::read_shared`], for the vector that lies `offset` bytes after `base`. After inlining, `offset` is a constant, so `ptxas`
    /// can write it into the address operand of each instruction.
    ///
    /// # Safety
    /// - `base` is in shared memory.
    /// - `base + offset` meets the conditions of [`Self::read_shared`].
    #[inline(always)]
    pub unsafe fn read_shared_at(self, base: *const u32, offset: usize) -> Vector {
        // SAFETY: as in `read_shared`, at `base + offset`; `base` is in shared memory too.
        unsafe {
            match (self.bytes, self.unit) {
                (16, 16) => vector_of(simt::read_vector_at(base.cast(), offset as u32)),
                (32 | 48 | 64, 16) => self.sixteens(|part| {
                    simt::read_vector_at(base.cast(), (offset + 16 * part) as u32)
                }),
                _ => self.read_shared(base.wrapping_byte_add(offset)),
            }
        }
    }

    /// Writes a vector to shared memory.
    ///
    /// # Safety
    /// - `address` is in shared memory, and a multiple of the unit.
    /// - No other thread uses the vector's bytes there.
    #[inline(always)]
    pub unsafe fn write_shared(self, address: *mut u32, vector: Vector) {
        // SAFETY: each access is at a multiple of the unit, within the vector's bytes, which are this thread's (conditions of this
        // function).
        unsafe {
            match (self.bytes, self.unit) {
                (16, 16) => simt::write_vector(address, first_words(&vector)),
                (32 | 48 | 64, 16) => for_each_sixteen!(PART of self => {
                    simt::write_vector(address.add(4 * PART), words_of(&vector, PART));
                }),
                _ => self.write(address, vector),
            }
        }
    }

    /// Whether the vectors can be copied from global to shared memory asynchronously.
    #[inline(always)]
    pub const fn has_copies(self) -> bool {
        self.unit >= simt::LEAST_COPY_BYTES
    }

    /// Begins to copy a vector from global to shared memory. The copy is done after [`simt::await_copies`].
    ///
    /// # Safety
    /// - `to` is in shared memory and `from` in global memory, both multiples of the unit.
    /// - The vector's bytes at `from` are readable, and nobody writes them before the copy is done.
    /// - Nobody but this thread uses the bytes at `to` before the copy is done.
    /// - [`Self::has_copies`] holds.
    #[inline(always)]
    pub unsafe fn begin_copy(self, to: *mut u32, from: *const u32, policy: EvictionPolicy) {
        let mut offset = 0;
        while offset < self.bytes {
            let (to, from) = (to.wrapping_byte_add(offset), from.wrapping_byte_add(offset));
            // SAFETY: each copy is of one unit, aligned and within the vector's bytes; the unit is 4, 8 or 16 bytes, since `has_copies`
            // holds.
            unsafe {
                match self.unit {
                    16 => simt::begin_copy_vector(to, from, policy),
                    8 => simt::begin_copy_item::<u64>(to.cast(), from.cast()),
                    _ => simt::begin_copy_item::<u32>(to, from),
                }
            }
            offset += self.unit;
        }
    }

    /// [`Self::begin_copy`] without an eviction policy.
    ///
    /// # Safety
    /// The conditions of [`Self::begin_copy`].
    #[inline(always)]
    pub unsafe fn begin_copy_without_policy(self, to: *mut u32, from: *const u32) {
        let mut offset = 0;
        while offset < self.bytes {
            let (to, from) = (to.wrapping_byte_add(offset), from.wrapping_byte_add(offset));
            // SAFETY: as in `begin_copy`.
            unsafe {
                match self.unit {
                    16 => simt::begin_copy_item::<[u64; 2]>(to.cast(), from.cast()),
                    8 => simt::begin_copy_item::<u64>(to.cast(), from.cast()),
                    _ => simt::begin_copy_item::<u32>(to, from),
                }
            }
            offset += self.unit;
        }
    }

    /// Reads a vector of any size, unit by unit.
    ///
    /// # Safety
    /// `address` is in memory `M` and is a multiple of the unit. The vector's bytes there are readable.
    #[inline(always)]
    unsafe fn read<M: Memory>(self, address: *const u32) -> Vector {
        let mut vector = [0; VECTOR_WORDS];
        let words = address;
        let pairs: *const u64 = address.cast();
        // SAFETY: each access lies within the vector's readable bytes. It is aligned: its size is at most the unit, and the address is a
        // multiple of the unit (this function's condition).
        unsafe {
            match (self.bytes, self.unit) {
                (1, _) => vector[0] = M::read(address.cast::<u8>()) as u32,
                (2, _) => vector[0] = M::read(address.cast::<u16>()) as u32,
                (4, _) => vector[0] = M::read(words),
                (8, 4) => [vector[0], vector[1]] = [M::read(words), M::read(words.add(1))],
                (8, _) => [vector[0], vector[1]] = halves(M::read(pairs)),
                (12, _) => {
                    [vector[0], vector[1]] = [M::read(words), M::read(words.add(1))];
                    vector[2] = M::read(words.add(2));
                }
                (16, 8..) => {
                    [vector[0], vector[1]] = halves(M::read(pairs));
                    [vector[2], vector[3]] = halves(M::read(pairs.add(1)));
                }
                (24, 8..) => {
                    [vector[0], vector[1]] = halves(M::read(pairs));
                    [vector[2], vector[3]] = halves(M::read(pairs.add(1)));
                    [vector[4], vector[5]] = halves(M::read(pairs.add(2)));
                }
                (_, 8) => for_each_place!(PAIR in 0 1 2 3 4 5 6 7 => {
                    if 8 * PAIR < self.bytes {
                        [vector[2 * PAIR], vector[2 * PAIR + 1]] = halves(M::read(pairs.add(PAIR)));
                    }
                }),
                _ => for_each_place!(WORD in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                    if 4 * WORD < self.bytes {
                        vector[WORD] = M::read(words.add(WORD));
                    }
                }),
            }
        }
        vector
    }

    /// Writes a vector of any size, unit by unit.
    ///
    /// # Safety
    /// `address` is a multiple of the unit, and the vector's bytes there are writable.
    #[inline(always)]
    unsafe fn write(self, address: *mut u32, vector: Vector) {
        let [a, b, c, d, e, f, ..] = vector;
        // SAFETY: each access lies within the vector's writable bytes. It is aligned: its type's alignment is at most the unit, and the
        // address is a multiple of the unit (this function's condition).
        unsafe {
            match (self.bytes, self.unit) {
                (1, _) => address.cast::<u8>().write(a as u8),
                (2, _) => address.cast::<u16>().write(a as u16),
                (4, _) => address.write(a),
                (8, 4) => address.cast::<[u32; 2]>().write([a, b]),
                (8, _) => address.cast::<u64>().write(pair(a, b)),
                (12, _) => address.cast::<[u32; 3]>().write([a, b, c]),
                (16, 8..) => address.cast::<[u64; 2]>().write([pair(a, b), pair(c, d)]),
                (24, 8..) => {
                    let pairs = [pair(a, b), pair(c, d), pair(e, f)];
                    address.cast::<[u64; 3]>().write(pairs);
                }
                (_, 8) => for_each_place!(PAIR in 0 1 2 3 4 5 6 7 => {
                    if 8 * PAIR < self.bytes {
                        let pair = pair(vector[2 * PAIR], vector[2 * PAIR + 1]);
                        address.cast::<u64>().add(PAIR).write(pair);
                    }
                }),
                _ => for_each_place!(WORD in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                    if 4 * WORD < self.bytes {
                        address.add(WORD).write(vector[WORD]);
                    }
                }),
            }
        }
    }
}

/// The memory that is read: global or shared.
trait Memory {
    /// Reads a value.
    ///
    /// # Safety
    /// `address` is readable, aligned, and in the memory `Self`.
    unsafe fn read<T: Copy>(address: *const T) -> T;
}

struct Global;

impl Memory for Global {
    #[inline(always)]
    unsafe fn read<T: Copy>(address: *const T) -> T {
        // SAFETY: `address` is readable and aligned (condition of this function).
        unsafe { address.read() }
    }
}

struct Shared;

impl Memory for Shared {
    #[inline(always)]
    unsafe fn read<T: Copy>(address: *const T) -> T {
        // SAFETY: `address` is in shared memory, readable and aligned (condition of this function).
        unsafe { simt::read_shared(address) }
    }
}

/// Loads 16 bytes from global memory.
///
/// # Safety
/// - `address` is in global memory, and aligned to 16 bytes.
/// - The 16 bytes there are readable, and no other thread writes them.
#[inline(always)]
unsafe fn load_words(address: *const u32, caching: Caching) -> Words {
    // SAFETY: the 16 bytes are in global memory, aligned and readable, and no other thread writes them (conditions of this function).
    unsafe {
        match caching {
            Caching::Kept => simt::load_vector(address),
            Caching::Streamed => simt::load_vector_past_l1(address),
        }
    }
}

/// The 16 bytes of part `part` of a vector.
#[inline(always)]
fn words_of(vector: &Vector, part: usize) -> Words {
    [
        vector[4 * part],
        vector[4 * part + 1],
        vector[4 * part + 2],
        vector[4 * part + 3],
    ]
}

/// The low word and the high word of a number.
#[inline(always)]
fn halves(pair: u64) -> [u32; 2] {
    [pair as u32, (pair >> 32) as u32]
}

/// The inverse of [`halves`].
#[inline(always)]
fn pair(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}
