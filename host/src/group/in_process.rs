//! The transport between ranks of one process. Messages pass through the process's memory. The driver copies [parcels](Parcel) from device
//! to device.
//!
//! The ranks meet in a room. In each round, a rank deposits a message and waits. The last rank to come ends the round and wakes the other
//! ranks. A rank that waits too long, or leaves, closes the room. All ranks inside get the reason, and so do ranks that come later.
//!
//! Waking a thread takes longer than a short call. So a waiting rank spins for a while before it sleeps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Fault;
use super::post::Post;
use super::transport::{Local, Parcel, Transport};
use crate::driver::{self, Context};
use crate::error::Result;

/// How long a rank spins before it sleeps.
const EAGER: Duration = Duration::from_micros(200);

/// One rank's end of the transport.
#[derive(Debug)]
pub(super) struct InProcess {
    rank: usize,
    room: Arc<Room>,
}

/// Where the ranks meet.
#[derive(Debug)]
struct Room {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// Counts events: the ends of rounds, and the closing of the room.
    news: AtomicU64,
}

#[derive(Debug)]
struct State {
    /// The messages of the ranks that have come to the current round.
    laid: Vec<Option<Message>>,
    /// The number of rounds that have ended.
    rounds: u64,
    /// The messages of the last round that has ended. The next round cannot end before all ranks have seen these messages.
    last: Arc<Vec<Message>>,
    /// Why the room is closed; `None` while it is open.
    closed: Option<Fault>,
}

/// A rank's message.
#[derive(Debug, Clone)]
enum Message {
    Bytes(Vec<u8>),
    /// The memory that the rank sends, and the context of that memory.
    Parcels(Vec<Parcel>, Context),
}

impl InProcess {
    /// The transports of `size` ranks.
    pub fn of_ranks(size: usize) -> impl Iterator<Item = Self> {
        let room = Arc::new(Room {
            size,
            state: Mutex::new(State {
                laid: vec![None; size],
                rounds: 0,
                last: Arc::default(),
                closed: None,
            }),
            changed: Condvar::new(),
            news: AtomicU64::new(0),
        });
        (0..size).map(move |rank| Self {
            rank,
            room: Arc::clone(&room),
        })
    }

    fn meet(&self, message: Message, limit: Duration) -> Result<Arc<Vec<Message>>> {
        Ok(self.room.meet(self.rank, message, limit)?)
    }

    /// Copies the memory that other ranks send to this rank.
    fn fetch(&self, local: Local<'_>, laid: &[Message], receives: &[Parcel]) -> Result<()> {
        let home = local.entered.home();
        for (rank, message) in laid.iter().enumerate() {
            let Message::Parcels(sent, context) = message else {
                continue;
            };
            let sent = sent.iter().filter(|parcel| parcel.peer == self.rank);
            let received = receives.iter().filter(|parcel| parcel.peer == rank);
            for (from, to) in sent.zip(received) {
                let bytes = from.bytes.min(to.bytes);
                let (to, from) = ((to.address, home), (from.address, *context));
                driver::queue_copy_between(to, from, bytes, local.stream)?;
            }
        }
        Ok(local.stream.synchronize()?)
    }
}

impl Transport for InProcess {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.room.size
    }

    fn all_gather(&mut self, local: Local<'_>, post: &mut Post, body_bytes: usize) -> Result<()> {
        if let Err(failure) = local.stream.synchronize() {
            self.abort();
            return Err(failure.into());
        }
        let mine = Message::Bytes(post.outgoing(body_bytes).to_vec());
        let laid = self.meet(mine, local.limit)?;
        let message_bytes = Post::message_bytes(body_bytes);
        let incoming = post.incoming(body_bytes).chunks_exact_mut(message_bytes);
        for (to, message) in incoming.zip(laid.iter()) {
            match message {
                Message::Bytes(bytes) if bytes.len() == to.len() => to.copy_from_slice(bytes),
                // A message of another kind or length comes from a rank that is out of step. It is replaced by zeros, which say that its
                // rank has failed.
                _ => to.fill(0),
            }
        }
        Ok(())
    }

    fn exchange(&mut self, local: Local<'_>, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        let message = Message::Parcels(sends.to_vec(), local.entered.home());
        let laid = self.meet(message, local.limit)?;
        let fetched = self.fetch(local, &laid, receives);
        if fetched.is_err() {
            // Waits for the copies that are already queued.
            let _ = local.stream.synchronize();
        }
        // This round ends when all ranks have copied. Then a rank may change or free the memory that it has sent. A rank whose copies have
        // failed also takes part, so that the round can end.
        let met = self.meet(Message::Bytes(Vec::new()), local.limit);
        if fetched.is_err() {
            self.abort();
        }
        fetched.and(met.map(drop))
    }

    fn abort(&mut self) {
        self.room.leave(self.rank);
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.room.leave(self.rank);
    }
}

impl Room {
    /// Deposits a message, and waits for the messages of all ranks.
    fn meet(
        &self,
        rank: usize,
        message: Message,
        limit: Duration,
    ) -> Result<Arc<Vec<Message>>, Fault> {
        let begin = Instant::now();
        let mut state = self.lock();
        if let Some(fault) = &state.closed {
            return Err(fault.clone());
        }
        state.laid[rank] = Some(message);
        if state.laid.iter().all(Option::is_some) {
            state.last = Arc::new(state.laid.iter_mut().filter_map(Option::take).collect());
            state.rounds += 1;
            self.tell();
            return Ok(Arc::clone(&state.last));
        }
        let round = state.rounds;
        let seen = self.news.load(Ordering::Acquire);
        drop(state);
        self.look_for_news(seen, begin, limit);
        state = self.lock();
        loop {
            if state.rounds != round {
                return Ok(Arc::clone(&state.last));
            }
            if let Some(fault) = &state.closed {
                return Err(fault.clone());
            }
            let left = limit.saturating_sub(begin.elapsed());
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            let is_news = state.rounds != round || state.closed.is_some();
            if !is_news && begin.elapsed() >= limit {
                let ranks = state.laid.iter().enumerate();
                let missing = ranks.filter(|(_, laid)| laid.is_none());
                let fault = Fault::TimedOut {
                    limit,
                    missing: missing.map(|(rank, _)| rank).collect(),
                };
                self.close(&mut state, fault.clone());
                return Err(fault);
            }
        }
    }

    /// Spins until there is a newer event than `seen`, but no longer than [`EAGER`] or the limit.
    fn look_for_news(&self, seen: u64, begin: Instant, limit: Duration) {
        while self.news.load(Ordering::Acquire) == seen && begin.elapsed() < EAGER.min(limit) {
            thread::yield_now();
        }
    }

    /// Signals an event to the other ranks. The caller has locked the state and changed it.
    fn tell(&self) {
        self.news.fetch_add(1, Ordering::Release);
        self.changed.notify_all();
    }

    /// Closes the room after a rank has left, so that the other ranks stop waiting for it.
    fn leave(&self, rank: usize) {
        self.close(&mut self.lock(), Fault::RankLeft { rank });
    }

    /// Closes the room, unless it is closed already.
    fn close(&self, state: &mut State, fault: Fault) {
        state.closed.get_or_insert(fault);
        self.tell();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
