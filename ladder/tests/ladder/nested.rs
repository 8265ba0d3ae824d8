//! Kernels that launch kernels: the number of launched grids, the printed lines, and the library and the limits that these kernels need.

use std::fs;

use bytemuck::{bytes_of_mut, cast_slice};
use virtual_gpu::driver::{Code, watch_launches};
use virtual_gpu::inject::{self, Calls, Failure, Moment};
use virtual_gpu::{DeviceConfig, Memory, Mode, Module, RunOptions, Shape};
use warpfold::Sum;
use warpfold::cust::memory::DeviceBuffer;
use warpfold_ladder::{Error, Refusal, Rung};

use crate::child::{in_child, printed_in_child};
use crate::common::mode;
use crate::device::ladder;
use crate::launches::{additions, launches};

/// Document 5's figures: 2,048 blocks, and eight levels of launches.
#[test]
fn blocks_of_512_launch_eight_levels_separately_or_together() {
    let (blocks, block) = (2048, 512);
    let n = blocks * block;
    for (rung, children) in [
        (Rung::RecursiveWaiting, 16_384),
        (Rung::Recursive, 16_384),
        (Rung::RecursiveOneLauncher, 8),
    ] {
        for counters in launches(rung, n, block as u32) {
            assert_eq!(counters.device_launches, children, "{rung}");
            let of_children = match rung {
                Rung::RecursiveOneLauncher => children * blocks,
                _ => children,
            };
            assert_eq!(counters.blocks, blocks + of_children, "{rung}");
            // With one launcher, no block has a barrier. In the other rungs, each block that launches a grid has one barrier before the
            // launch.
            let barriers = match rung {
                Rung::RecursiveOneLauncher => 0,
                _ => children,
            };
            assert_eq!(counters.barriers, barriers, "{rung}");
            assert_eq!(additions(&[counters]), n - blocks, "{rung}");
        }
    }
}

#[test]
fn more_launches_than_the_default_limit_may_be_pending() {
    // The default limit is 2,048 pending launches.
    let (blocks, block) = (2100, 4);
    for rung in [Rung::RecursiveWaiting, Rung::Recursive] {
        for counters in launches(rung, blocks * block, block as u32) {
            assert_eq!(counters.device_launches, blocks, "{rung}");
        }
    }
}

#[test]
fn hello_is_printed_by_each_thread_of_each_level() {
    let printed = printed_in_child(
        "nested::hello_is_printed_by_each_thread_of_each_level",
        &[],
        || {
            let watch = watch_launches();
            match ladder().nested_hello(2, 8) {
                Err(Error::Refused(Refusal::DeviceRuntimeNotFound { .. }))
                    if mode() == Mode::Real => {}
                result => result.unwrap(),
            }
            for launch in watch.take() {
                assert_eq!(launch.outcome.unwrap().device_launches, 2 * 3);
            }
        },
    );
    let Some(printed) = printed.filter(|_| mode() == Mode::Virtual) else {
        return;
    };
    let count = |what: &str| printed.matches(what).count();
    assert_eq!(count("Recursion=0: Hello World from thread 7 block 1\n"), 1);
    // Every launched grid has one block, whose number is 0.
    for (depth, threads) in [(1, 4), (2, 2), (3, 1)] {
        for thread in 0..threads {
            let line = format!("Recursion={depth}: Hello World from thread {thread} block 0\n");
            assert_eq!(count(&line), 2, "{printed}");
        }
        let deeper = format!("-------> nested execution depth: {depth}\n");
        assert_eq!(count(&deeper), 2, "{printed}");
    }
    assert_eq!(count("Hello World"), 2 * (8 + 4 + 2 + 1));
}

/// The path of a toolkit's folder, which a test may make.
fn toolkit(name: &str) -> String {
    let name = format!("warpfold-toolkit-{name}");
    let folder = std::env::temp_dir().join(name);
    folder.to_str().expect("a UTF-8 name").to_owned()
}

#[test]
fn the_device_runtime_is_linked_from_cuda_home() {
    let home = toolkit("found");
    let test = "nested::the_device_runtime_is_linked_from_cuda_home";
    in_child(test, &[("CUDA_HOME", &home)], || {
        if mode() == Mode::Real {
            return;
        }
        let library = format!("{home}/lib64/libcudadevrt.a");
        fs::create_dir_all(format!("{home}/lib64")).unwrap();
        fs::write(library, "!<arch>\n").unwrap();
        let ladder = ladder();
        let input = DeviceBuffer::from_slice(&[1u32; 1000]).unwrap();
        let reduce = || ladder.reduce::<Sum, _>(Rung::Recursive, &input, 64);
        let (sum, calls) = inject::record(reduce);
        fs::remove_dir_all(&home).unwrap();
        assert_eq!(sum, Ok(1000));
        assert!(calls.contains(&"cuLinkComplete"), "{calls:?}");
    });
}

#[test]
fn a_missing_device_runtime_is_reported() {
    let test = "nested::a_missing_device_runtime_is_reported";
    let nowhere = toolkit("missing");
    in_child(test, &[("CUDA_HOME", &nowhere)], || {
        let ladder = ladder();
        let input = DeviceBuffer::from_slice(&[1u32; 1000]).unwrap();
        let reduce = || ladder.reduce::<Sum, _>(Rung::Recursive, &input, 64);
        // The error code of a driver that cannot resolve a kernel's calls.
        let needs_linking = inject::fail(Failure {
            calls: Calls::Named("cuModuleLoadDataEx"),
            nth: 1,
            code: Code(218),
            moment: Moment::Before,
        });
        let (refused, calls) = inject::record(reduce);
        if mode() == Mode::Real || calls.contains(&"cuLinkCreate_v2") {
            // A toolkit is in one of the usual folders, or the driver is real. In either case this test does not apply.
            return;
        }
        drop(needs_linking);
        let Err(Error::Refused(Refusal::DeviceRuntimeNotFound { searched })) = &refused else {
            panic!("{refused:?}");
        };
        assert!(searched[0].starts_with(&nowhere));
        assert!(refused.unwrap_err().to_string().contains("libcudadevrt.a"));
        assert_eq!(reduce(), Ok(1000));
    });
}

/// The runtime's error code for too many pending grids.
const PENDING_COUNT_EXCEEDED: u32 = 69;

/// `Ladder` would make room for all launches. So this test makes another virtual device, with a low limit.
#[test]
fn a_failed_launch_in_a_kernel_stores_its_error_code() {
    let device = DeviceConfig {
        max_pending_launches: 3,
        ..DeviceConfig::default()
    };
    let memory = Memory::new(device.memory_bytes);
    let text = include_str!(concat!(env!("WARPFOLD_LADDER_TEXTS"), "/ladder_nested.ptx"));
    let module = Module::load(text, &device, &memory).unwrap();
    let (blocks, block) = (8, 64u32);
    let items = memory.alloc(u64::from(4 * blocks * block)).unwrap();
    memory
        .fill(items, u64::from(4 * blocks * block), &[0])
        .unwrap();
    let partials = memory.alloc(u64::from(4 * blocks)).unwrap();
    let refusal = memory.alloc(4).unwrap();
    memory.fill(refusal, 4, &[0]).unwrap();
    let shape = Shape {
        grid: [blocks, 1, 1],
        block: [block, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let parameters = [items, partials, refusal, block.into()];
    let kernel = module.kernel("ladder_recursive_waiting_sum_u32").unwrap();
    let options = RunOptions::default();
    let bytes = cast_slice(&parameters);
    let counters = kernel
        .launch(&shape, bytes, &memory, &device, &options)
        .unwrap();
    // Three blocks could launch, and each of them launched its five levels.
    assert_eq!(counters.device_launches, 3 * 5);
    let mut code = 0u32;
    memory.read(refusal, bytes_of_mut(&mut code)).unwrap();
    assert_eq!(code, PENDING_COUNT_EXCEEDED);
}
