//! A rank's board: the workspace of the rank's scans, and of those reductions in which several ranks have chunks. The host publishes the
//! values of other ranks on the board, as if launches on this rank had published them. The host also reads the values that this rank's
//! launches publish on the board.
//!
//! The host writes the epoch before the launches, so it knows the launches' tag. Each call of [`Board::prepare`] begins a new epoch, so the
//! host need not clear the state words between two of these calls.

use warpfold_kernels::element::Accumulator;

use super::post::Post;
use crate::driver::{self, Address, Stream};
use crate::error::Result;
use crate::gpu::{Entered, Need, Workspace, WorkspaceSpan};
use crate::launch::states::{state_bytes, to_states};

/// Bytes of the control words that the host writes: the counter of tickets, the epoch, and the counter of departures.
const CONTROL_BYTES: usize = 16;

/// The last epoch of a board. In the next epoch, the launches would clear the state words themselves.
const LAST_EPOCH: u32 = u32::MAX - 2;

/// A rank's board.
#[derive(Default)]
pub(super) struct Board {
    workspace: Option<Workspace>,
    epoch: u32,
}

impl Board {
    /// Queues the preparation of the board for launches that need `state_words` state words. A seed is a slot and a value: the launches
    /// find this value published in this slot. Returns the board's addresses and sizes.
    ///
    /// The caller ensures that no queued work uses the board or the notes of `post`.
    pub fn prepare<A: Accumulator>(
        &mut self,
        entered: Entered<'_>,
        stream: Stream<'_>,
        post: &mut Post,
        state_words: u64,
        seeds: &[(u64, A)],
    ) -> Result<WorkspaceSpan> {
        let place = self.next_epoch(entered, stream, state_words)?;
        let tag = self.epoch + 1;
        let notes = post.notes();
        notes[..8].copy_from_slice(&(u64::from(self.epoch) << 32).to_ne_bytes());
        notes[8..CONTROL_BYTES].fill(0);
        let states = seeds.iter().flat_map(|&(_, value)| to_states(tag, value));
        for (note, state) in notes[CONTROL_BYTES..].chunks_exact_mut(8).zip(states) {
            note.copy_from_slice(&state.to_ne_bytes());
        }
        debug_assert!(CONTROL_BYTES + seeds.len() * state_bytes::<A>() <= notes.len());
        let start = post.notes_start();
        // SAFETY: `start` is page-locked memory, and the notes are longer than `CONTROL_BYTES`. Only this function writes the notes, once
        // per pass. A call waits for its stream between its passes and before it ends, so the copy is done before the notes are written
        // again.
        unsafe { driver::queue_copy_to_device(place.control, start, CONTROL_BYTES, stream) }?;
        let mut note = CONTROL_BYTES;
        for (first, count) in runs(seeds.iter().map(|&(slot, _)| slot)) {
            let bytes = count * state_bytes::<A>();
            let to = place.states + first * state_bytes::<A>() as u64;
            // SAFETY: as above. The range is in the notes: `NOTES_BYTES` is enough for the aggregates of a tile group's tiles and a prefix,
            // and the seeds are some of these values.
            unsafe { driver::queue_copy_to_device(to, start.add(note), bytes, stream) }?;
            note += bytes;
        }
        Ok(place)
    }

    /// Queues copies of these slots to the body of the outgoing message, one slot after the other. The caller ensures that launches on the
    /// stream publish the slots, and that the body has room for them.
    pub fn take<A: Accumulator>(
        place: WorkspaceSpan,
        stream: Stream<'_>,
        post: &Post,
        slots: impl Iterator<Item = u64>,
    ) -> Result<()> {
        let mut at = 0;
        for (first, count) in runs(slots) {
            let from = place.states + first * state_bytes::<A>() as u64;
            let (to, room) = post.place_in_body(at);
            let bytes = (count * state_bytes::<A>()).min(room);
            // SAFETY: by `place_in_body`, `to` has room for `bytes` bytes of page-locked memory. Nobody uses these bytes before the message
            // is sent, and sending waits for the stream.
            unsafe { driver::queue_copy_to_host(to, from, bytes, stream) }?;
            at += bytes;
        }
        Ok(())
    }

    /// Begins an epoch. If the board has fewer than `state_words` state words, or no epochs are left, it gets a new workspace.
    fn next_epoch(
        &mut self,
        entered: Entered<'_>,
        stream: Stream<'_>,
        state_words: u64,
    ) -> Result<WorkspaceSpan> {
        let kept = self.workspace.take();
        let kept =
            kept.filter(|kept| kept.span.state_words >= state_words && self.epoch < LAST_EPOCH);
        self.epoch += 1;
        let workspace = match kept {
            Some(workspace) => workspace,
            None => {
                self.epoch = 0;
                entered.with_room(|| Workspace::allocate(stream, Need::states(state_words)))?
            }
        };
        let place = workspace.span;
        self.workspace = Some(workspace);
        Ok(place)
    }
}

/// The workspace of `place`, with one change: its slots from `first_slot` on lie in the body of the outgoing message. It is for launches
/// that publish only these slots, and read no slots.
pub(super) fn place_in_body<A: Accumulator>(
    place: WorkspaceSpan,
    post: &Post,
    first_slot: u64,
) -> WorkspaceSpan {
    let before: Address = first_slot.wrapping_mul(state_bytes::<A>() as u64);
    WorkspaceSpan {
        states: post.body().wrapping_sub(before),
        ..place
    }
}

/// Divides the slots into stretches of consecutive slots. Returns the first slot and the length of each stretch.
fn runs(slots: impl Iterator<Item = u64>) -> Vec<(u64, usize)> {
    let mut runs: Vec<(u64, usize)> = Vec::new();
    for slot in slots {
        match runs.last_mut() {
            Some((first, count)) if *first + *count as u64 == slot => *count += 1,
            _ => runs.push((slot, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_slots_form_one_run() {
        assert_eq!(runs([].into_iter()), []);
        let slots = [3, 4, 5, 9, 7, 8].into_iter();
        assert_eq!(runs(slots), [(3, 3), (9, 1), (7, 2)]);
    }
}
