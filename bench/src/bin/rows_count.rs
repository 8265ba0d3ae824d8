use virtual_gpu::driver::{Choice, run_with, watch_launches};
use virtual_gpu::{Checks, RunOptions, Settings};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{ArgMax, Gpu, LogSumExp, Moments, Statistics, Sum, reduce};

fn main() -> anyhow::Result<()> {
    virtual_gpu::start(Settings {
        choice: Choice::On,
        ..Settings::default()
    })?;
    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let n: usize = std::env::args()
        .nth(1)
        .map_or(1 << 20, |a| a.parse().unwrap());
    let items: Vec<f32> = (0..n).map(|i| ((i * 7919) % 1013) as f32 / 31.0).collect();
    let input = DeviceBuffer::from_slice(&items)?;
    for row in [1024usize, 65536, 1000, 1001, 100, 4] {
        let k = n / row * row;
        macro_rules! one { ($op:ident) => {{
            let z: Vec<<$op as warpfold::Op<f32>>::Output> = vec![bytemuck::Zeroable::zeroed(); k / row]; let mut out = DeviceBuffer::from_slice(&z)?; let watch = watch_launches();
            run_with(RunOptions { checks: Checks::none(), ..RunOptions::default() }, || -> anyhow::Result<()> {
                reduce::<$op, _>(&input.index(..k)).rows(row).to(&mut out).wait(gpu)?; Ok(()) })?;
            for l in watch.take() {
                let c = l.outcome.map_err(|e| anyhow::anyhow!("{e}"))?;
                let per = |x: u64| x as f64 / (k as f64 / 32.0);
                println!("{row:6} {:12} blocks {:4} warp instr/item {:7.2} lane/item {:7.2} shared {:5.2} conflicts {:5.2} local {} shuffles {:.2} classes {:.1?}", stringify!($op), c.blocks,
                    per(c.warp_instructions), c.lane_instructions() as f64 / k as f64, per(c.shared_accesses), per(c.bank_conflicts), c.local_bytes, per(c.shuffles),
                    c.lane_instructions_by_class.map(|x| x as f64 / k as f64));
            }
        }}; }
        one!(Sum);
        one!(ArgMax);
        one!(Moments);
        one!(LogSumExp);
        one!(Statistics);
    }
    Ok(())
}
