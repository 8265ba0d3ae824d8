//! Peers that send arbitrary messages. A rank returns an error or some result, and never accesses memory out of bounds.

use std::time::Duration;

use cust::memory::DeviceBuffer;
use fastrand::Rng;
use virtual_gpu::driver::take_findings;
use warpfold_kernels::op::{Moments, Sum};

use super::Member;
use super::header::HEADER_BYTES;
use super::post::{HEAD_BYTES, Post};
use super::transport::{Local, Parcel, Transport};
use super::trial::judge;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::request::{reduce, scan};

/// How peers change a correct message.
#[derive(Debug, Clone, Copy)]
enum How {
    /// A wrong length of the peer's share.
    Lengths,
    /// Up to seven wrong bytes.
    Bytes,
    /// All bytes of the body are random.
    All,
}

/// A transport to hostile peers.
#[derive(Debug)]
struct Hostile {
    rank: usize,
    size: usize,
    how: How,
    dice: Rng,
}

impl Hostile {
    fn change(&mut self, body: &mut [u8]) {
        match self.how {
            How::Lengths if body.len() == HEADER_BYTES => {
                let length = self.dice.u64(..) >> self.dice.usize(..64);
                body[8..16].copy_from_slice(&length.to_ne_bytes());
            }
            How::Lengths => {}
            How::Bytes => {
                for _ in 0..self.dice.usize(..8).min(body.len()) {
                    let at = self.dice.usize(..body.len());
                    body[at] = self.dice.u8(..);
                }
            }
            How::All => body.fill_with(|| self.dice.u8(..)),
        }
    }
}

impl Transport for Hostile {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&mut self, local: Local<'_>, post: &mut Post, body_bytes: usize) -> Result<()> {
        local.stream.synchronize()?;
        let mine = post.outgoing(body_bytes).to_vec();
        let incoming = post.incoming(body_bytes).chunks_exact_mut(mine.len());
        for (rank, message) in incoming.enumerate() {
            message.copy_from_slice(&mine);
            // The hostile peers report no failure, so that the rank reads their messages.
            if rank != self.rank {
                self.change(&mut message[HEAD_BYTES..]);
            }
        }
        Ok(())
    }

    fn exchange(&mut self, local: Local<'_>, _: &[Parcel], _: &[Parcel]) -> Result<()> {
        Ok(local.stream.synchronize()?)
    }

    fn abort(&mut self) {}
}

#[test]
fn hostile_messages_neither_hang_calls_nor_corrupt_memory() {
    const ITEMS: usize = 20_000;
    let gpu = Gpu::new().unwrap();
    gpu.make_current().unwrap();
    let items = DeviceBuffer::from_slice(&[1u32; ITEMS]).unwrap();
    let floats = DeviceBuffer::from_slice(&[1f32; ITEMS]).unwrap();
    let output = DeviceBuffer::from_slice(&[7u32; ITEMS + 1]).unwrap();
    // With these seeds, the lengths that the rank accepts are less than 2^36. If the peers announced more items, a reduction would take
    // seconds on the virtual GPU.
    for seed in 0..54 {
        let hostile = Hostile {
            rank: seed % 3,
            size: 3,
            how: [How::Lengths, How::Bytes, How::All][seed / 3 % 3],
            dice: Rng::with_seed(seed as u64),
        };
        let mut member = Member::new(&gpu, hostile, Duration::from_secs(1));
        // An error is allowed, and so is a result.
        let _ = reduce::<Sum, _>(&items).wait(&mut member);
        let _ = reduce::<Moments, _>(&floats).wait(&mut member);
        let _ = scan::<Sum, _>(&items)
            .to(&mut output.index(..ITEMS))
            .wait(&mut member);
    }
    assert_eq!(output.as_host_vec().unwrap()[ITEMS], 7);
    assert_eq!(reduce::<Sum, _>(&items).wait(&gpu), Ok(ITEMS as u32));
    assert_eq!(take_findings(), []);
}

#[test]
fn shares_announced_by_hostile_peers_stay_bounded() {
    let mut dice = Rng::with_seed(1);
    for _ in 0..20_000 {
        // `judge` changes the headers only where the input is not zero. Few bytes are not zero, so that some of the changed headers are
        // accepted.
        let mut input = vec![0; 3 + 4 * HEADER_BYTES];
        input[..3].fill_with(|| dice.u8(..));
        for _ in 0..dice.usize(..6) {
            let at = match dice.usize(..3) {
                0 => dice.usize(..input.len()),
                _ => 3 + dice.usize(..4) * HEADER_BYTES + 8 + dice.usize(..8),
            };
            input[at] = dice.u8(..);
        }
        judge(&input);
    }
}
