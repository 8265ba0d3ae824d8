//! A kernel that this program defines, made of the library's building blocks. Compiled by `build.rs` for the GPU.

/// Bytes of shared memory that a block of [`standardise`] takes: two scratches of 8 sums (8 bytes each), and one of 8 maxima (4 bytes each).
pub const SHARED_BYTES: u32 = 64 + 64 + 32;

warpfold::kernels! {
    /// Subtracts each row's mean from its items, and writes the largest distance from the mean. Each block handles one row.
    pub fn standardise(rows: *mut f32, columns: u64, largest: *mut f32) {
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
        use warpfold::{Max, WideSum};

        let (thread, threads) = (u64::from(thread::index()), u64::from(block::THREADS));
        // SAFETY: for each block, `rows` has a row of `columns` items and `largest` has an element; `columns + threads` does not
        // overflow. The block has 256 threads and `SHARED_BYTES`, and its three scratches are aligned and do not overlap. All its
        // threads reach every call, and no two of them access the same item.
        unsafe {
            let row = rows.add((u64::from(thread::block()) * columns) as usize);

            // A thread adds every 256th item. Then the threads combine their sums.
            let sum = thread::fold::<WideSum, f32>(row, thread, columns, threads);
            let sum = block::reduce::<WideSum, f32>(sum, &Scratch::at(0));
            let mean = block::broadcast(sum, &Scratch::at(64)) / columns as f64;

            let mut farthest = 0.0;
            let mut index = thread;
            while index < columns {
                let item = row.add(index as usize);
                let distance = (f64::from(item.read()) - mean) as f32;
                item.write(distance);
                farthest = if distance.abs() > farthest { distance.abs() } else { farthest };
                index += threads;
            }
            let farthest = block::reduce::<Max, f32>(farthest, &Scratch::at(128));
            if thread == 0 {
                largest.add(thread::block() as usize).write(farthest);
            }
        }
    }
}
