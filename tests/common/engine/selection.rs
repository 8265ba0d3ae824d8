//! Selections.

use virtual_gpu::{Counters, LaunchError, RunOptions};
use warpfold::Element;
use warpfold_kernels::selection::{self, BeforeRun};

use super::{Engine, shape};

/// The outputs of a selection. Each list has as many elements as the input has items. The results are at the beginning of the list, and the
/// elements after them are 0. A list that is not requested is empty.
pub struct SelectionOutput<T> {
    pub count: u64,
    pub items: Vec<T>,
    pub others: Vec<T>,
    pub lengths: Vec<u32>,
    pub counters: Counters,
}

impl Engine {
    /// Launches the engine's kernel, which must be a selection whose tiles have prefixes of type `A`. If `A` is the prefix for runs, the
    /// launch requests the lengths of the runs. Otherwise, it requests the items that are not selected.
    pub fn select<T: Element, A>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<SelectionOutput<T>, LaunchError> {
        let finds_runs = size_of::<A>() == size_of::<BeforeRun>();
        let places = vec![T::zeroed(); items.len()];
        let selected = self.upload(&places);
        let (others, lengths) = match finds_runs {
            true => (0, self.upload(&vec![0_u32; items.len()])),
            false => (self.upload(&places), 0),
        };
        let count = self.upload(&[0_u64]);
        let room = items.len() as u64;
        let parameters = [
            self.upload(items),
            items.len() as u64,
            0,
            0,
            selected,
            0,
            4,
            0,
            lengths,
            4,
            room,
            others,
            if finds_runs { 0 } else { room },
            0,
            count,
            self.workspace,
            self.states(),
            self.state_words,
        ];
        let buffers = selection::buffers::<T, A>(self.generation.copies(), u32::MAX);
        let shared_bytes = selection::shared_bytes::<T, A>(buffers.expect("room enough"));
        let threads = selection::BLOCK_THREADS;
        let each = self.device.blocks_per_multiprocessor(threads, shared_bytes);
        let resident = u64::from(each * self.device.multiprocessors);
        let blocks = selection::tile_count::<T>(room).min(resident);
        let shape = shape(blocks, threads, shared_bytes);
        let counters = self.launch(&shape, &parameters, options)?;
        Ok(SelectionOutput {
            count: self.download::<u64>(count, 1)[0],
            items: self.download(selected, items.len()),
            others: match others {
                0 => Vec::new(),
                _ => self.download(others, items.len()),
            },
            lengths: match lengths {
                0 => Vec::new(),
                _ => self.download(lengths, items.len()),
            },
            counters,
        })
    }
}
