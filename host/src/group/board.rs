//! A board whose words are known before and after a call's launches: what launches on other devices would have published is
//! written there first, and what these have published is read.
//!
//! Each board is begun anew, with epoch 0 and no tickets taken, so the launches' tag is 1, and nothing is left in it of before.

use std::ops::Range;

use warpfold_kernels::element::Accumulator;
use warpfold_kernels::workspace::{STATES_OFFSET, workspace_bytes};

use super::session::Session;
use super::words::{from_words, to_words, words_of};
use crate::driver::Address;
use crate::error::Result;
use crate::gpu::Place;
use crate::launch::Queue;

/// The tag of a board's launches.
const TAG: u64 = 1;

/// How long a board is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Board {
    /// State words of all.
    pub state_words: u64,
    /// Slots that have to be clear at first, from 0 on. The launches look at no other before they publish there.
    pub clear_slots: u64,
}

/// Has `work` queue launches on a board where these slots are published already, waits for them, and reads the slots `read`,
/// which they have published.
///
/// The launches come after all that the program has queued.
pub(super) fn run<A: Accumulator>(
    session: &Session<'_>,
    board: Board,
    seeds: &[(u64, A)],
    work: impl FnOnce(&mut Queue<'_>) -> Result<()>,
    read: Range<u64>,
) -> Result<Vec<A>> {
    let words = words_of::<A>();
    let bytes_to = |slot: u64| (STATES_OFFSET + slot * 8 * words as u64) as usize;
    let room = workspace_bytes(board.state_words) as usize;
    let mut lane = session.entered.lane(room)?;
    let image = &mut lane.bytes()[..bytes_to(board.clear_slots)];
    image.fill(0);
    for &(slot, value) in seeds {
        let states = image[bytes_to(slot)..].chunks_exact_mut(8);
        for (state, word) in states.zip(to_words(value)) {
            state.copy_from_slice(&(TAG << 32 | u64::from(word)).to_ne_bytes());
        }
    }
    let image_bytes = image.len();
    let busy = lane.send(image_bytes)?;
    busy.call().come_after(session.call.stream())?;
    let place = place(busy.device(), board.state_words);
    Queue::on_board(session.entered, busy.call(), place, work)?;
    let (start, end) = (bytes_to(read.start), bytes_to(read.end));
    let busy = match end > start {
        true => busy.receive(start, end - start)?,
        false => busy,
    };
    let mut lane = busy.wait()?;
    let states = lane.bytes()[..end.saturating_sub(start)].chunks_exact(8);
    let published: Vec<u32> = states
        .map(|state| u32::from_ne_bytes([state[0], state[1], state[2], state[3]]))
        .collect();
    Ok(published.chunks_exact(words).map(from_words).collect())
}

/// The workspace in a lane's memory, which begins with its control.
fn place(address: Address, state_words: u64) -> Place {
    Place {
        control: address,
        states: address + STATES_OFFSET,
        state_words,
    }
}
