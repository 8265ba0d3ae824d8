//! Memory pools. An allocation from a pool is like any stream-ordered allocation. Freed memory is not kept, so the
//! settings of a pool are only stored and returned.

use crate::driver::code::{Code, Outcome};
use crate::driver::objects::lock;
use std::sync::Mutex;

/// The attributes whose values are 0 or 1.
const SWITCHES: std::ops::RangeInclusive<i32> = 1..=3;
/// The attribute for the number of free bytes that a pool keeps.
const KEPT_BYTES: i32 = 4;
/// The attributes that count bytes. They are not supported.
const COUNTS: std::ops::RangeInclusive<i32> = 5..=8;

/// A pool.
pub(crate) struct Pool {
    /// The device of the pool's memory.
    pub(crate) device: i32,
    pub(crate) kind: Kind,
    settings: Mutex<[u64; 4]>,
}

/// Whether a pool is the device's default pool or was created by a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Default,
    Created,
}

/// The value of an attribute: a switch of four bytes, or a byte count of eight bytes.
pub(crate) enum Value {
    Switch(i32),
    Bytes(u64),
}

impl Pool {
    pub(crate) fn new(device: i32, kind: Kind) -> Self {
        Self {
            device,
            kind,
            settings: Mutex::new([1, 1, 1, 0]),
        }
    }

    pub(crate) fn get(&self, setting: i32) -> Outcome<Value> {
        let value = lock(&self.settings)[place(setting)?];
        Ok(match setting {
            KEPT_BYTES => Value::Bytes(value),
            _ => Value::Switch(i32::from(value != 0)),
        })
    }

    pub(crate) fn set(&self, setting: i32, value: u64) -> Outcome {
        lock(&self.settings)[place(setting)?] = value;
        Ok(())
    }
}

/// Whether the value of an attribute has eight bytes. Otherwise it has four.
pub(crate) fn is_wide(setting: i32) -> bool {
    setting == KEPT_BYTES
}

fn place(setting: i32) -> Outcome<usize> {
    match setting {
        known if SWITCHES.contains(&known) || known == KEPT_BYTES => {
            usize::try_from(known - 1).map_err(|_| Code::INVALID_VALUE)
        }
        count if COUNTS.contains(&count) => Err(Code::NOT_SUPPORTED),
        _ => Err(Code::INVALID_VALUE),
    }
}
