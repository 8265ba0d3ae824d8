//! A kernel for each building block, which writes what each thread has.

/// What a block of 256 threads shares: 8 values of 4 bytes, four times.
pub const SHARED_BYTES: u32 = 128;

warpfold::kernels! {
    /// The sum of every other item from the second on, of five.
    pub fn folds(items: *const u32, results: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::thread;
        let result = unsafe { thread::fold::<Sum, u32>(items, 1, 5, 2) };
        unsafe { results.add(thread::index() as usize).write(result) };
    }

    /// A warp's lanes: what the lane below, the lane above and lane 7 have; the reduction; both scans. Six rows of 32.
    pub fn warps(results: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::{thread, warp};
        let lane = thread::lane();
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

    /// A block's threads: the reduction, the inclusive scan and its total, the exclusive scan, thread 0's value. Five rows of 256.
    pub fn blocks(results: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
        let thread = thread::index();
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

    /// A scratch that is used again after a barrier: the running sum of the items, 256 at a time.
    pub fn running_sums(items: *const u32, item_count: u32, sums: *mut u32) {
        use warpfold::Sum;
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
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
}
