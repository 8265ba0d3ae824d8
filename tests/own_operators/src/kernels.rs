//! Kernels that call the building blocks for users' kernels, and write what the building blocks return.

/// Bytes of a block's shared memory: four scratches, each of 8 values of 4 bytes.
pub const SHARED_BYTES: u32 = 128;

warpfold::kernels! {
    /// Sums items 1 and 3 of five items, by a fold with a step of 2.
    pub fn folds(items: *const u32, results: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::thread;
        // SAFETY: there are five items, and the step is 2.
        let result = unsafe { thread::fold::<Sum, u32>(items, 1, 5, 2) };
        // SAFETY: there is a result for each thread.
        unsafe { results.add(thread::index() as usize).write(result) };
    }

    /// Writes six rows of 32 numbers, one number for each lane of a warp. The rows are: the value of the lane below, the value of the lane
    /// above, the value of lane 7, the warp's reduction, the inclusive scan, and the exclusive scan.
    pub fn warps(results: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::{thread, warp};
        let lane = thread::lane();
        // SAFETY: all 32 lanes reach every call, and there are six results for each lane.
        unsafe {
            let values = [
                warp::shuffle_up(lane, 1),
                warp::shuffle_down(lane, 1),
                warp::shuffle_from(lane, 7),
                warp::reduce::<Sum, u32>(lane),
                warp::inclusive_scan::<Sum, u32>(lane),
                warp::exclusive_scan::<Sum, u32>(lane),
            ];
            let [a, b, c, d, e, f] = values;
            let row = |row: u32| results.add((row * 32 + lane) as usize);
            row(0).write(a);
            row(1).write(b);
            row(2).write(c);
            row(3).write(d);
            row(4).write(e);
            row(5).write(f);
        }
    }

    /// Writes five rows of 256 numbers, one number for each thread of a block. The rows are: the block's reduction, the inclusive scan, the
    /// total of that scan, the exclusive scan, and thread 0's value.
    pub fn blocks(results: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
        let thread = thread::index();
        // SAFETY: all 256 threads reach every call. The block has `SHARED_BYTES` of shared memory, in which the four scratches do not
        // overlap. There are five results for each thread.
        unsafe {
            let scratch = [Scratch::at(0), Scratch::at(32), Scratch::at(64), Scratch::at(96)];
            let sum = block::reduce::<Sum, u32>(thread, &scratch[0]);
            let (upto, total) = block::inclusive_scan::<Sum, u32>(thread, &scratch[1]);
            let (before, _) = block::exclusive_scan::<Sum, u32>(thread, &scratch[2]);
            let first = block::broadcast(thread, &scratch[3]);
            let row = |row: u32| results.add((row * block::THREADS + thread) as usize);
            row(0).write(sum);
            row(1).write(upto);
            row(2).write(total);
            row(3).write(before);
            row(4).write(first);
        }
    }

    /// Writes the running sums of the items. The block scans 256 items at a time. Its threads meet at a barrier before they use the scratch
    /// again.
    pub fn running_sums(items: *const u32, item_count: u32, sums: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
        // SAFETY: all 256 threads reach every call, since `item_count` is the same for all. A barrier comes before the scratch is used
        // again. The block has `SHARED_BYTES`, enough for one scratch. There are `item_count` items, and `item_count` sums.
        unsafe {
            let scratch = Scratch::at(0);
            let mut before = 0;
            let mut first = 0;
            while first < item_count {
                let index = first + thread::index();
                let item = if index < item_count { items.add(index as usize).read() } else { 0 };
                let (upto, total) = block::inclusive_scan::<Sum, u32>(item, &scratch);
                if index < item_count {
                    sums.add(index as usize).write(before + upto);
                }
                before += total;
                first += block::THREADS;
                block::barrier();
            }
        }
    }

    /// Reverses the values of a warp's lanes, through shared memory.
    pub fn reversed(results: *mut u32) {
        use warpfold::device::{block, thread, warp};
        let lane = thread::lane() as usize;
        let shared = block::shared_memory::<u32>();
        // SAFETY: all 32 lanes reach the barrier. `SHARED_BYTES` is room for 32 words, and there are 32 results.
        unsafe {
            shared.add(lane).write(lane as u32);
            warp::barrier();
            results.add(lane).write(shared.add(31 - lane).read());
        }
    }

    /// The sum, the maximum and the minimum of the items, by a grid-stride loop. A block combines its items in shared memory, and then
    /// combines its results with the results of other blocks. Also writes how many threads a block and the grid have.
    pub fn strides(items: *const u32, item_count: u32, results: *mut u32) {
        use warpfold::device::{atomic, block, thread};
        let shared = block::shared_memory::<u32>();
        // SAFETY: all threads reach the barriers. There are `item_count` items, three words of shared memory, and five results.
        unsafe {
            if thread::index() == 0 {
                shared.write(0);
                shared.add(1).write(0);
                shared.add(2).write(u32::MAX);
            }
            block::barrier();
            let mut index = thread::index_in_grid();
            while index < u64::from(item_count) {
                let item = items.add(index as usize).read();
                atomic::shared_add_u32(shared, item);
                atomic::shared_max_u32(shared.add(1), item);
                atomic::shared_min_u32(shared.add(2), item);
                index += thread::grid_threads();
            }
            block::barrier();
            if thread::index() == 0 {
                atomic::global_add_u32(results, shared.read());
                atomic::global_max_u32(results.add(1), shared.add(1).read());
                atomic::global_min_u32(results.add(2), shared.add(2).read());
                atomic::global_max_u32(results.add(3), thread::block_threads());
                atomic::global_max_u32(results.add(4), thread::grid_threads() as u32);
            }
        }
    }

    /// Atomic sums of `f32` and maxima of `i32`, in global memory and in shared memory. The atomic functions take a value as its bits, a
    /// `u32`.
    pub fn atomics(floats: *const f32, integers: *const i32, results: *mut u32) {
        use warpfold::device::{atomic, block, thread};
        let shared = block::shared_memory::<u32>();
        let thread = thread::index() as usize;
        // SAFETY: all threads reach the barriers. There is a float and an integer for each thread, two words of shared memory, and
        // four results.
        unsafe {
            if thread == 0 {
                shared.write(0);
                shared.add(1).write(i32::MIN as u32);
            }
            block::barrier();
            let (float, integer) = (floats.add(thread).read(), integers.add(thread).read());
            atomic::shared_add_f32(shared, float.to_bits());
            atomic::shared_max_i32(shared.add(1), integer as u32);
            atomic::global_add_f32(results, float.to_bits());
            atomic::global_max_i32(results.add(1), integer as u32);
            block::barrier();
            if thread == 0 {
                results.add(2).write(shared.read());
                results.add(3).write(shared.add(1).read());
            }
        }
    }
}
