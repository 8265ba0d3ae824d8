//! How fast the interpreter is: `cargo run --release -p virtual-gpu --example speed`.
//!
//! Prints millions of lane instructions per second on one core, for loops of integer arithmetic, float arithmetic, 64-bit remainders,
//! loads, shuffles, and arithmetic with an undefined value. Each loop runs first with the memory checks alone, which are always on, and
//! then with further checks. The fastest of several runs counts.

use std::time::Instant;

use virtual_gpu::{Checks, DeviceConfig, Memory, Module, RunOptions, Shape};

const ITEMS: u32 = 1 << 20;
const RUNS: u32 = 5;
const CHECKS: [&str; 5] = ["none", "sync", "sync,init", "sync,race", "all"];

fn text(body: &str) -> String {
    format!(
        ".version 8.0 .target sm_80 .address_size 64
         .entry k(.param .u64 input, .param .u64 output) {{
             .reg .pred %p<3>; .reg .b32 %r<10>; .reg .f32 %f<9>; .reg .b64 %d<9>;
             ld.param.u64 %d1, [input]; ld.param.u64 %d2, [output];
             mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
             mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d3, %r4, 4;
             add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
             mov.u32 %r5, 0; mov.u32 %r6, 1; mov.u32 %r7, 0;
             mov.f32 %f1, 0f00000000; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
             L: {body} add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 128; @%p1 bra L;
             st.global.f32 [%d2], %f1; ret;
         }}"
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = DeviceConfig::default();
    let memory = Memory::new(device.memory_bytes);
    let (input, output) = (memory.alloc(4 * u64::from(ITEMS))?, memory.alloc(4 * 8192)?);
    memory.fill(input, 4 * u64::from(ITEMS), &[0])?;
    let params: Vec<u8> = [input, output]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
    let shape = Shape {
        grid: [32, 1, 1],
        block: [256, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let bodies = [
        (
            "integers",
            "mad.lo.u32 %r6, %r6, 5, %r5; xor.b32 %r7, %r6, %r1; shr.u32 %r8, %r7, 3;",
        ),
        (
            "floats",
            "fma.rn.f32 %f2, %f1, %f3, %f4; add.rn.f32 %f1, %f1, %f2; mul.rn.f32 %f4, %f1, %f3;",
        ),
        (
            "remainder",
            "mov.b64 %d3, {%r1, %r5}; rem.s64 %d4, %d2, %d3; cvt.u32.u64 %r6, %d4;",
        ),
        (
            "memory",
            "ld.global.f32 %f2, [%d1]; add.rn.f32 %f1, %f1, %f2; add.u64 %d1, %d1, 32768;",
        ),
        (
            "shuffles",
            "shfl.sync.down.b32 %r6, %r5, 16, 31, -1; add.u32 %r7, %r7, %r6;",
        ),
        // Nothing writes %r9.
        (
            "undefined",
            "mad.lo.u32 %r6, %r9, 5, %r5; xor.b32 %r7, %r6, %r1; shr.u32 %r8, %r7, 3;",
        ),
    ];
    println!("M lane instructions/s with checks:");
    print!("{:9}", "");
    for name in CHECKS {
        print!(" {name:>10}");
    }
    println!();
    for (name, body) in bodies {
        let module = Module::load(&text(body), &device, &memory)?;
        let kernel = module.kernel("k").ok_or("no kernel")?;
        print!("{name:9}");
        for checks in CHECKS {
            let options = RunOptions {
                checks: Checks::parse(checks).ok_or("no such checks")?,
                ..RunOptions::default()
            };
            let mut fastest = 0.0_f64;
            for _ in 0..RUNS {
                let start = Instant::now();
                let counters = kernel.launch(&shape, &params, &memory, &device, &options)?;
                let seconds = start.elapsed().as_secs_f64();
                fastest = fastest.max(counters.lane_instructions() as f64 / seconds / 1e6);
            }
            print!(" {fastest:10.0}");
        }
        println!();
    }
    Ok(())
}
