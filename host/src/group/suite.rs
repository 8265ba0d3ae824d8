//! One suite for both transports: the transport within a process, and NCCL. NCCL is tested if its library is installed and there is a real
//! GPU for each rank.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use virtual_gpu::Mode;

use super::Fault;
use super::Gpus;
use super::in_process::InProcess;
use super::nccl::{self, Nccl};
use super::post::Post;
use super::transport::{Local, Parcel, Transport};
use crate::driver::{self, DeviceMemory};
use crate::error::{Error, Result};
use crate::gpu::Gpu;

const PATIENCE: Duration = Duration::from_secs(120);

/// Held by a test while it uses NCCL: see [`Member::join`](super::Member::join).
static NCCL: Mutex<()> = Mutex::new(());

/// A rank of a test.
struct Rank<'gpu> {
    gpu: &'gpu Gpu,
    transport: Box<dyn Transport + 'gpu>,
    limit: Duration,
}

impl Rank<'_> {
    fn with<R>(
        &mut self,
        work: impl FnOnce(&mut dyn Transport, Local<'_>) -> Result<R>,
    ) -> Result<R> {
        self.gpu.enter(|entered| {
            let call = entered.call()?;
            let local = Local {
                entered,
                stream: call.stream(),
                limit: self.limit,
            };
            work(&mut *self.transport, local)
        })
    }

    fn all_gather(&mut self, mine: &[u8]) -> Result<Vec<u8>> {
        self.with(|transport, local| all_gather(transport, local, mine))
    }
}

/// Sends these bytes to all ranks, and returns the bytes of all ranks in order.
fn all_gather(transport: &mut dyn Transport, local: Local<'_>, mine: &[u8]) -> Result<Vec<u8>> {
    let mut post = Post::new(local.entered, transport.size())?;
    post.make_room(local.entered, mine.len())?;
    post.write(mine);
    transport.all_gather(local, &mut post, mine.len())?;
    let received = post.received(mine.len());
    Ok(received.bodies().flatten().copied().collect())
}

/// Reports on stderr that a test is not run over NCCL. The harness is bypassed, since it shows a test's output only if the test fails.
fn skip(reason: &dyn Display) {
    let test = thread::current().name().unwrap_or_default().to_owned();
    let line = format!("SKIPPED over NCCL: {test}: {reason}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Runs `work` on `size` ranks: first over the transport within the process, and then over NCCL if that is possible.
fn as_ranks(size: usize, limit: Duration, work: impl Fn(Rank<'_>) + Sync) {
    let gpus = Gpus::all().unwrap();
    let gpus = gpus.as_slice();
    let work = &work;
    thread::scope(|scope| {
        for (transport, gpu) in InProcess::of_ranks(size).zip(gpus.iter().cycle()) {
            scope.spawn(move || {
                work(Rank {
                    gpu,
                    transport: Box::new(transport),
                    limit,
                })
            });
        }
    });
    let id = match nccl::unique_id() {
        Ok(id) if virtual_gpu::mode() == Ok(Mode::Real) && gpus.len() >= size => id,
        Ok(_) => return skip(&format_args!("it needs {size} real GPUs")),
        Err(fault) => return skip(&fault),
    };
    let _alone = NCCL.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for (rank, gpu) in gpus.iter().take(size).enumerate() {
            scope.spawn(move || {
                let transport = Nccl::join(gpu, id, rank, size, PATIENCE).unwrap();
                work(Rank {
                    gpu,
                    transport: Box::new(transport),
                    limit,
                })
            });
        }
    });
}

#[test]
fn all_gather_returns_all_ranks_bytes_in_order() {
    as_ranks(2, PATIENCE, |mut rank| {
        let (number, size) = (rank.transport.rank() as u8, rank.transport.size() as u8);
        for length in [1, 0, 7, 100_000, 3] {
            let mine = vec![number; length];
            let expected: Vec<u8> = (0..size).flat_map(|rank| vec![rank; length]).collect();
            assert_eq!(rank.all_gather(&mine), Ok(expected));
        }
    });
}

#[test]
fn exchange_sends_device_memory_between_ranks() {
    as_ranks(2, PATIENCE, |mut rank| {
        let number = rank.transport.rank();
        let peer = 1 - number;
        let received = rank.with(|transport, local| {
            let memory = DeviceMemory::allocate(18)?;
            let mut sent = [0; 18];
            (0..8).for_each(|byte| sent[byte] = (10 * number + byte) as u8);
            driver::copy_to_device(memory.address(), &sent)?;
            let parcel = |address: u64, bytes| Parcel {
                peer,
                address: memory.address() + address,
                bytes,
            };
            // The parcels have unequal lengths, and one rank has one parcel more to send.
            let more = (number == 0).then_some(parcel(1, 2));
            let sends: Vec<_> = [parcel(0, 5), parcel(5, 3)]
                .into_iter()
                .chain(more)
                .collect();
            let more = (number == 1).then_some(parcel(16, 2));
            let receives: Vec<_> = [parcel(11, 5), parcel(8, 3)]
                .into_iter()
                .chain(more)
                .collect();
            transport.exchange(local, &sends, &receives)?;
            let mut received = [0; 10];
            driver::copy_to_host(&mut received, memory.address() + 8)?;
            Ok(received)
        });
        let sent = |byte: u8| 10 * peer as u8 + byte;
        let more = match number {
            0 => [0, 0],
            _ => [sent(1), sent(2)],
        };
        let [a, b, c, d, e, f, g, h] = [5, 6, 7, 0, 1, 2, 3, 4].map(sent);
        assert_eq!(received, Ok([a, b, c, d, e, f, g, h, more[0], more[1]]));
    });
}

#[test]
fn a_group_of_one_gathers_and_exchanges_alone() {
    as_ranks(1, PATIENCE, |mut rank| {
        assert_eq!(rank.all_gather(&[3, 1]), Ok(vec![3, 1]));
        assert_eq!(
            rank.with(|transport, local| transport.exchange(local, &[], &[])),
            Ok(())
        );
    });
}

#[test]
fn a_message_includes_copies_queued_on_the_stream() {
    as_ranks(2, PATIENCE, |mut rank| {
        let number = rank.transport.rank() as u8;
        let received = rank.with(|transport, local| {
            let mut post = Post::new(local.entered, 2)?;
            let memory = DeviceMemory::allocate(4)?;
            driver::fill(
                memory.address(),
                0x0101_0101 * u32::from(number + 1),
                1,
                local.stream,
            )?;
            let (to, _) = post.place_in_body(2);
            post.write(&[9; 8]);
            // SAFETY: the room for a message is longer than 2 + 4 bytes and page-locked. Nobody else uses these bytes before the message is
            // sent, and sending waits for the stream.
            unsafe { driver::queue_copy_to_host(to, memory.address(), 4, local.stream) }?;
            transport.all_gather(local, &mut post, 8)?;
            Ok(post
                .received(8)
                .bodies()
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>())
        });
        let expected = [1, 2].map(|byte| vec![9, 9, byte, byte, byte, byte, 9, 9]);
        assert_eq!(received, Ok(expected.to_vec()));
    });
}

/// Checks the error of a rank that does something alone, or far too late.
fn assert_ends(end: Result<Vec<u8>>, limit: Duration) {
    match end {
        Err(Error::Group(Fault::TimedOut { limit: found, .. })) => assert_eq!(found, limit),
        Err(Error::Group(Fault::Nccl { .. })) => {}
        _ => panic!("{end:?}"),
    }
}

#[test]
fn a_missing_rank_ends_the_group() {
    const LIMIT: Duration = Duration::from_secs(1);
    as_ranks(2, LIMIT, |mut rank| {
        assert!(rank.all_gather(&[1]).is_ok());
        if rank.transport.rank() == 1 {
            thread::sleep(3 * LIMIT);
        }
        let begin = Instant::now();
        assert_ends(rank.all_gather(&[2]), LIMIT);
        assert!(begin.elapsed() < PATIENCE);
        assert!(matches!(rank.all_gather(&[3]), Err(Error::Group(_))));
    });
}

#[test]
fn a_parcel_to_a_missing_rank_ends_the_group() {
    const LIMIT: Duration = Duration::from_secs(1);
    as_ranks(2, LIMIT, |mut rank| {
        assert!(rank.all_gather(&[1]).is_ok());
        if rank.transport.rank() == 1 {
            thread::sleep(3 * LIMIT);
            // The parcel may still have arrived. The next message shows that the sender no longer waits.
            assert!(matches!(rank.all_gather(&[2]), Err(Error::Group(_))));
            return;
        }
        let end = rank.with(|transport, local| {
            let memory = DeviceMemory::allocate(8)?;
            let parcel = Parcel {
                peer: 1,
                address: memory.address(),
                bytes: 8,
            };
            transport.exchange(local, &[parcel], &[])?;
            all_gather(transport, local, &[2])
        });
        assert_ends(end, LIMIT);
    });
}

#[test]
fn a_rank_that_aborts_ends_the_group() {
    const LIMIT: Duration = Duration::from_secs(3);
    as_ranks(2, LIMIT, |mut rank| {
        assert!(rank.all_gather(&[1]).is_ok());
        if rank.transport.rank() == 1 {
            rank.transport.abort();
        }
        let end = rank.with(|transport, local| transport.exchange(local, &[], &[]));
        // Over NCCL, an exchange without parcels does not wait for other ranks.
        let end = end.and_then(|()| rank.all_gather(&[2]));
        assert!(matches!(end, Err(Error::Group(_))), "{end:?}");
    });
}
