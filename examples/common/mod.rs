//! Code that the examples share: the start and the end of a program, the line that names the device, a clock, a number of items that suits
//! the device, random bits, and the quoting of foreign text in messages.

pub mod program;
pub mod quoted;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use virtual_gpu::Mode;
use warpfold::Gpu;

/// Prints which device the example runs on.
pub fn print_device(gpu: &Gpu, out: &mut dyn Write) -> io::Result<()> {
    let (major, minor) = gpu.compute_capability();
    writeln!(
        out,
        "device     {}, compute capability {major}.{minor}, {} multiprocessors",
        gpu.name(),
        gpu.multiprocessors()
    )
}

/// How many items to generate: `real` on a real device, and `interpreted` on the virtual one. The virtual device interprets every
/// instruction, so `interpreted` should be smaller.
pub fn item_count(real: usize, interpreted: usize) -> usize {
    match virtual_gpu::mode() {
        Ok(Mode::Real) => real,
        _ => interpreted,
    }
}

/// Runs `work`, and returns its result and the time that it took.
pub fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// A generator of random bits: Steele, Lea and Flood's SplitMix64. Every run of a program gets the same bits.
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
