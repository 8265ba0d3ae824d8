//! Two ways to bring a slice into page-locked memory: copying it with one or more threads, and locking it in place.

use std::thread;

use anyhow::Result;

use super::pinned::{Pinned, register_and_back};
use super::{median, rate, row};

const THREADS: [usize; 7] = [1, 2, 3, 4, 6, 8, 12];
const RUNS: u32 = 5;

/// MiB that a thread locks at a time.
const PIECES_MIB: [usize; 3] = [4, 32, 256];

pub fn measure(slice_mib: usize) -> Result<()> {
    let bytes = slice_mib.min(256) << 20;
    let mut slice = vec![1u8; bytes];
    let mut pinned = Pinned::new(bytes)?;
    for threads in THREADS {
        let share = bytes.div_ceil(threads);
        let took = median(RUNS, || {
            thread::scope(|scope| {
                let shares = pinned.bytes().chunks_mut(share).zip(slice.chunks(share));
                for (to, from) in shares {
                    scope.spawn(|| to.copy_from_slice(from));
                }
            });
            Ok(())
        })?;
        row(
            "copy_to_pinned",
            format!("{threads} threads"),
            rate(bytes, took),
            "GB/s",
        );
    }
    for mib in PIECES_MIB {
        for threads in [1, 4] {
            let share = bytes.div_ceil(threads);
            let took = median(RUNS, || register_all(&mut slice, share, mib << 20))?;
            let of = format!("{mib} MiB at a time on {threads} threads");
            row("lock_and_unlock", of, rate(bytes, took), "GB/s");
        }
    }
    Ok(())
}

/// Locks and unlocks each share on a separate thread, piece by piece.
fn register_all(slice: &mut [u8], share: usize, piece: usize) -> Result<()> {
    let gpu = warpfold::Gpu::global()?;
    thread::scope(|scope| {
        let threads: Vec<_> = slice
            .chunks_mut(share)
            .map(|share| {
                scope.spawn(move || {
                    gpu.make_current()?;
                    share.chunks_mut(piece).try_for_each(register_and_back)
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => anyhow::bail!("a thread panicked"),
            })
    })
}
