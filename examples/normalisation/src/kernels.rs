//! Softmax and layer norm of the rows of a matrix, made of the library's building blocks. Compiled by `build.rs` for the GPU.

/// Bytes of shared memory that a block of [`softmax`] takes: a value of 8 bytes for each of 8 warps, twice.
pub const SOFTMAX_SHARED_BYTES: u32 = 64 + 64;

/// Bytes of shared memory that a block of [`layer_norm`] takes: a value of 24 bytes for each of 8 warps, twice.
pub const LAYER_NORM_SHARED_BYTES: u32 = 192 + 192;

warpfold::kernels! {
    /// Replaces each item `x` of a row by `exp(x) / sum of exp`, computed as `exp(x - greatest) / sum of exp(item - greatest)`. Each block
    /// handles one row. It reads each item twice: in one pass for the greatest item and the sum, in another for the item's result.
    pub fn softmax(rows: *mut f32, columns: u64) {
        use warpfold::LogSumExp;
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
        use warpfold::elementary::exp;

        let (thread, threads) = (u64::from(thread::index()), u64::from(block::THREADS));
        // SAFETY: `rows` has a row of `columns` items for each block; `columns + threads` does not overflow. The block has 256 threads and
        // `SOFTMAX_SHARED_BYTES`, and its two scratches are aligned and do not overlap. All its threads reach every call, and no two of
        // them access the same item.
        unsafe {
            let row = rows.add((u64::from(thread::block()) * columns) as usize);
            let all = thread::fold::<LogSumExp, f32>(row, thread, columns, threads);
            let all = block::reduce::<LogSumExp, f32>(all, &Scratch::at(0));
            let all = block::broadcast(all, &Scratch::at(64));

            let mut index = thread;
            while index < columns {
                let item = row.add(index as usize);
                item.write(exp(item.read() - all.greatest()) / all.sum());
                index += threads;
            }
        }
    }

    /// Replaces each item `x` of a row by `(x - mean) / sqrt(variance + epsilon) * gain + bias`, with the row's mean and variance, and the
    /// gain and the bias of the column. Each block handles one row.
    pub fn layer_norm(rows: *mut f32, columns: u64, gains: *const f32, biases: *const f32, epsilon: f32) {
        use warpfold::Moments;
        use warpfold::device::block::{self, Scratch};
        use warpfold::device::thread;
        use warpfold::elementary::sqrt;

        let (thread, threads) = (u64::from(thread::index()), u64::from(block::THREADS));
        // SAFETY: as for `softmax`, with `LAYER_NORM_SHARED_BYTES`; there are `columns` gains and biases.
        unsafe {
            let row = rows.add((u64::from(thread::block()) * columns) as usize);
            let moments = thread::fold::<Moments, f32>(row, thread, columns, threads);
            let moments = block::reduce::<Moments, f32>(moments, &Scratch::at(0));
            let moments = block::broadcast(moments, &Scratch::at(192));
            let mean = moments.mean();
            let deviation = sqrt((moments.variance() + f64::from(epsilon)) as f32);

            let mut index = thread;
            while index < columns {
                let (item, column) = (row.add(index as usize), index as usize);
                let distance = (f64::from(item.read()) - mean) as f32;
                let (gain, bias) = (gains.add(column).read(), biases.add(column).read());
                item.write(distance / deviation * gain + bias);
                index += threads;
            }
        }
    }
}
