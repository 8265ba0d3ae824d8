//! Reductions and scans of all items.

use virtual_gpu::{Counters, LaunchError, RunOptions};
use warpfold::{Element, Op};
use warpfold_kernels::contract::{BLOCK_THREADS, reduce_chunk_count};
use warpfold_kernels::launch::{
    reduce_shared_bytes, scan_block_threads, scan_buffers, scan_shared_bytes,
};
use warpfold_kernels::scan::tuning;

use super::{Engine, shape};

impl Engine {
    /// Launches the engine's kernel, which must be a reduction.
    pub fn reduce<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<(O::Output, Counters), LaunchError> {
        let chunk_count = reduce_chunk_count::<T>(items.len() as u64);
        let (result, mut counters) =
            self.reduce_in_pieces::<O, T>(items, &[chunk_count], options)?;
        Ok((result, counters.remove(0)))
    }

    /// Launches the engine's kernel, which must be a reduction, once for each piece. For each piece, `ends` has the index one past the
    /// piece's last chunk.
    pub fn reduce_in_pieces<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        ends: &[u64],
        options: &RunOptions,
    ) -> Result<(O::Output, Vec<Counters>), LaunchError> {
        let output = self.memory.alloc(size_of::<O::Output>() as u64).unwrap();
        let input = self.upload(items);
        let launch = |(begin, end): (u64, u64)| {
            let parameters = [
                input,
                items.len() as u64,
                0,
                begin,
                self.workspace,
                self.states(),
                self.state_words,
                output,
            ];
            let shared_bytes = reduce_shared_bytes::<O::Accumulator>();
            let shape = shape(end - begin, BLOCK_THREADS, shared_bytes);
            self.launch(&shape, &parameters, options)
        };
        let counters = pieces(ends).map(launch).collect::<Result<_, _>>()?;
        Ok((self.download(output, 1)[0], counters))
    }

    /// Launches the engine's kernel, which must be a scan.
    pub fn scan<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Counters), LaunchError> {
        let tile_count = tuning::tiles::<O, T>().count(items.len() as u64);
        let (results, mut counters) = self.scan_in_pieces::<O, T>(items, &[tile_count], options)?;
        Ok((results, counters.remove(0)))
    }

    /// Launches the engine's kernel, which must be a scan, once for each piece. For each piece, `ends` has the index one past the piece's
    /// last tile.
    pub fn scan_in_pieces<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        ends: &[u64],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Vec<Counters>), LaunchError> {
        let output_bytes = items.len() * size_of::<O::Output>();
        let output = self.memory.alloc(output_bytes as u64).unwrap();
        let input = self.upload(items);
        let launch = |(begin, end): (u64, u64)| {
            let parameters = [
                input,
                output,
                0,
                items.len() as u64,
                0,
                begin,
                end,
                self.workspace,
                self.states(),
                self.state_words,
            ];
            let blocks = self
                .resident_scan_blocks::<O, T>(items.len())
                .min(end - begin);
            let (threads, shared_bytes) = self.scan_block::<O, T>(items.len());
            let shape = shape(blocks, threads, shared_bytes);
            self.launch(&shape, &parameters, options)
        };
        let counters = pieces(ends).map(launch).collect::<Result<_, _>>()?;
        Ok((self.download(output, items.len()), counters))
    }

    /// The number of blocks that scan `item_count` items: one block for each tile, but no more blocks than the device holds at a time.
    pub fn scan_blocks<O: Op<T>, T: Element>(&self, item_count: usize) -> u64 {
        let tiles = tuning::tiles::<O, T>().count(item_count as u64);
        tiles.min(self.resident_scan_blocks::<O, T>(item_count))
    }

    fn resident_scan_blocks<O: Op<T>, T: Element>(&self, item_count: usize) -> u64 {
        let (threads, shared_bytes) = self.scan_block::<O, T>(item_count);
        let each = self.device.blocks_per_multiprocessor(threads, shared_bytes);
        u64::from(each * self.device.multiprocessors)
    }

    /// The number of threads, and the number of bytes of shared memory, of a block in a scan of `item_count` items.
    fn scan_block<O: Op<T>, T: Element>(&self, item_count: usize) -> (u32, u32) {
        let shape = tuning::tiles::<O, T>().shape(item_count as u64);
        let most = scan_buffers::<O::Accumulator>(shape, self.generation.copies(), u32::MAX);
        let buffers = self.scan_buffers.unwrap_or(most);
        let shared_bytes = scan_shared_bytes::<O::Accumulator>(shape, buffers);
        (scan_block_threads(shape), shared_bytes)
    }
}

/// The beginning and the end of each piece. The first piece begins at 0, and each later piece begins at the end of the previous piece.
fn pieces(ends: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends.iter().copied())
}
