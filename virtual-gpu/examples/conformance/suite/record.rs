//! The record that a thread of a random kernel reads at its start and writes at its end. The record has a place for each register, and
//! contains the thread's slot in global memory.

use super::kind::Kind;
use super::random::Random;

/// Threads of a block: two whole warps, so that masks of all 32 lanes are valid.
pub const BLOCK_THREADS: u32 = 64;
/// Blocks of a random kernel.
pub const BLOCKS: u32 = 2;
/// Bytes of a record.
pub const RECORD_BYTES: usize = 128;
/// The offset of the thread's slot of 16 bytes in a record.
pub const SLOT_OFFSET: usize = 96;

/// A register that the statements of a random kernel read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputRegister {
    pub register: &'static str,
    /// The kind of the register's initial value.
    pub kind: Kind,
    /// The register's offset in a record.
    pub offset: usize,
    pub bytes: usize,
}

const fn place(register: &'static str, kind: Kind, offset: usize, bytes: usize) -> InputRegister {
    InputRegister {
        register,
        kind,
        offset,
        bytes,
    }
}

/// All registers of the record.
pub const PLACES: [InputRegister; 22] = [
    place("%d0", Kind::U64, 0, 8),
    place("%d1", Kind::S64, 8, 8),
    place("%d2", Kind::B64, 16, 8),
    place("%d3", Kind::F64, 24, 8),
    place("%d4", Kind::F64, 32, 8),
    place("%d5", Kind::F64, 40, 8),
    place("%r0", Kind::U32, 48, 4),
    place("%r1", Kind::S32, 52, 4),
    place("%r2", Kind::Amount, 56, 4),
    place("%r3", Kind::Pair, 60, 4),
    place("%r4", Kind::F32, 64, 4),
    place("%r5", Kind::F32, 68, 4),
    place("%r6", Kind::F16x2, 72, 4),
    place("%r7", Kind::Bf16x2, 76, 4),
    place("%h0", Kind::U16, 80, 2),
    place("%h1", Kind::S16, 82, 2),
    place("%h2", Kind::F16, 84, 2),
    place("%h3", Kind::Bf16, 86, 2),
    place("%p0", Kind::Predicate, 88, 1),
    place("%p1", Kind::Predicate, 89, 1),
    place("%p2", Kind::Predicate, 90, 1),
    place("%p3", Kind::Predicate, 91, 1),
];

impl InputRegister {
    /// PTX that reads the register from the thread's record.
    pub fn load(&self) -> String {
        let InputRegister {
            register, offset, ..
        } = self;
        match self.bytes {
            1 => format!("ld.global.u8 %t0, [%in+{offset}]; setp.ne.u32 {register}, %t0, 0;"),
            bytes => format!("ld.global.b{} {register}, [%in+{offset}];", bytes * 8),
        }
    }

    /// PTX that writes the register to the thread's record.
    pub fn store(&self) -> String {
        let InputRegister {
            register, offset, ..
        } = self;
        match self.bytes {
            1 => format!("selp.u32 %t0, 1, 0, {register}; st.global.u8 [%out+{offset}], %t0;"),
            bytes => format!("st.global.b{} [%out+{offset}], {register};", bytes * 8),
        }
    }
}

/// The records that the threads of a random kernel read.
pub fn input(random: &mut Random) -> Vec<u8> {
    let threads = (BLOCKS * BLOCK_THREADS) as usize;
    let mut bytes = vec![0; threads * RECORD_BYTES];
    for record in bytes.chunks_exact_mut(RECORD_BYTES) {
        for place in PLACES {
            let value = place.kind.random_value(random).to_le_bytes();
            record[place.offset..][..place.bytes].copy_from_slice(&value[..place.bytes]);
        }
        for byte in &mut record[SLOT_OFFSET..] {
            *byte = random.bits() as u8;
        }
    }
    bytes
}

/// Describes an offset of the output, for messages.
pub fn describe(offset: usize) -> String {
    let (thread, within) = (offset / RECORD_BYTES, offset % RECORD_BYTES);
    let block = thread / BLOCK_THREADS as usize;
    let (warp, lane) = (thread % BLOCK_THREADS as usize / 32, thread % 32);
    let place = PLACES
        .iter()
        .find(|place| (place.offset..place.offset + place.bytes).contains(&within));
    let what = place.map_or("its slot in global memory", |place| place.register);
    format!("block {block}, warp {warp}, lane {lane}, {what}")
}
