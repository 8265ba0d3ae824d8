//! A lost context, and the calls that work afterwards. The whole process loses the context, so each test has a process of
//! its own.

use cust::context::Context;
use cust::device::Device;
use cust::memory::DeviceBuffer;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use virtual_gpu::Mode;
use virtual_gpu::driver::{Code, live};
use virtual_gpu::inject::{Calls, Failure, Moment, fail};
use warpfold::{DriverCode, Error, Gpu, Result, Sum, cust, gpu_sum, reduce, scan};

use crate::child::in_child;
use crate::common::{gpu, mode};

/// A kernel that writes to address 0.
const FAULTY: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry faulty()
{
	.reg .b64 %address;
	.reg .b32 %value;
	mov.u64 %address, 0;
	mov.u32 %value, 1;
	st.global.u32 [%address], %value;
	ret;
}
";

/// The code that reports the fault.
const FAULT: DriverCode = DriverCode(700);

/// Queues a kernel that faults.
fn queue_fault() {
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let module = Module::from_ptx(FAULTY, &[]).unwrap();
    let faulty = module.get_function("faulty").unwrap();
    // SAFETY: the kernel has no parameters, and the launch passes none. It only writes to address 0, which the device reports as a fault.
    unsafe { cust::launch!(faulty<<<1, 1, 0, stream>>>()) }.unwrap();
    // The stream and the module end with the context.
    std::mem::forget((stream, module));
}

/// Makes `gpu` lose its context by a fault.
fn lose(gpu: &Gpu) {
    queue_fault();
    let found = gpu.synchronize();
    let is_fault = |error: &Error| matches!(error, Error::Driver { code, .. } if *code == FAULT);
    assert!(found.as_ref().is_err_and(is_fault), "{found:?}");
}

/// Whether a result is the error of a process that gets no new context.
fn is_without_context<T>(result: &Result<T>, code: DriverCode) -> bool {
    matches!(result, Err(Error::ContextLost { code: told, .. }) if *told == code)
}

#[test]
fn a_fault_poisons_its_gpu_alone() {
    in_child("loss::a_fault_poisons_its_gpu_alone", &[], || {
        let own = Gpu::new().unwrap();
        own.make_current().unwrap();
        let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
        let buffer = DeviceBuffer::from_slice(&[1.0f32, 2.0]).unwrap();
        let mut output = DeviceBuffer::from_slice(&[0.0f32]).unwrap();
        lose(&own);

        let poisoned = Error::Poisoned { code: FAULT };
        assert_eq!(reduce::<Sum, _>(&buffer).wait(&own), Err(poisoned.clone()));
        let queued = reduce::<Sum, _>(&buffer)
            .to(&mut output)
            .queue(&own, &stream);
        assert_eq!(queued, Err(poisoned.clone()));
        assert_eq!(own.make_current(), Err(poisoned.clone()));
        assert_eq!(own.trim(), Err(poisoned.clone()));
        assert_eq!(
            reduce::<Sum, _>(&buffer.index(..0))
                .wait(&own)
                .map(f32::to_bits),
            Ok((-0.0f32).to_bits())
        );
        let text = poisoned.to_string();
        assert!(text.contains("700 (CUDA_ERROR_ILLEGAL_ADDRESS)"), "{text}");
        if mode() == Mode::Real {
            // After a fault, NVIDIA's driver makes no other context in the process.
            let refused = Gpu::new();
            assert!(is_without_context(&refused, FAULT), "{refused:?}");
            return;
        }
        let new = Gpu::new().unwrap();
        new.make_current().unwrap();
        let buffer = DeviceBuffer::from_slice(&[1.0f32, 2.0]).unwrap();
        assert_eq!(reduce::<Sum, _>(&buffer).wait(&new), Ok(3.0));
        assert_eq!(reduce::<Sum, _>(&buffer).wait(&own), Err(poisoned));
    });
}

#[test]
fn slice_functions_recover_after_a_fault() {
    let test = "loss::slice_functions_recover_after_a_fault";
    in_child(test, &[], || {
        let items = vec![1u32; 300_000];
        for round in 0..3 {
            assert_eq!(gpu_sum(&items), Ok(300_000), "round {round}");
            let global = gpu();
            lose(global);
            // The process-wide `Gpu` returns this error until a call requests a new context.
            assert_eq!(global.synchronize(), Err(Error::Poisoned { code: FAULT }));
            let again = scan::<Sum, _>(&items).wait(Gpu::global());
            if mode() == Mode::Real {
                assert!(is_without_context(&again, FAULT), "{again:?}");
                let text = again.unwrap_err().to_string();
                assert!(text.contains("process"), "{text}");
                return;
            }
            assert_eq!(again.map(|items| items[299_999]), Ok(300_000));
            assert_eq!(global.synchronize(), Ok(()));
        }
        // The lost contexts are no longer alive.
        Gpu::global().unwrap().trim().unwrap();
        assert_eq!(live().map(|live| live.contexts), Some(1));
    });
}

#[test]
fn a_lost_context_that_others_hold_is_reported() {
    let test = "loss::a_lost_context_that_others_hold_is_reported";
    in_child(test, &[], || {
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
        let holder = Context::new(Device::get_device(0).unwrap()).unwrap();
        lose(gpu());
        for _ in 0..3 {
            let sum = gpu_sum(&[1u32, 2]);
            assert!(is_without_context(&sum, FAULT), "{sum:?}");
            assert!(is_without_context(&Gpu::new(), FAULT));
        }
        drop(holder);
        if mode() == Mode::Virtual {
            assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
        }
    });
}

#[test]
fn a_refused_new_context_is_requested_again() {
    let test = "loss::a_refused_new_context_is_requested_again";
    in_child(test, &[], || {
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
        let failure = |call| Failure {
            calls: Calls::Named(call),
            nth: 1,
            code: Code(716),
            moment: Moment::Before,
        };
        let code = DriverCode(716);
        let lost = fail(failure("cuMemcpyHtoDAsync_v2"));
        let call = "cuMemcpyHtoDAsync_v2";
        assert_eq!(gpu_sum(&[1u32, 2]), Err(Error::Driver { call, code }));
        drop(lost);
        let call = "cuDevicePrimaryCtxRetain";
        for _ in 0..2 {
            let refused = fail(failure(call));
            assert_eq!(gpu_sum(&[1u32, 2]), Err(Error::ContextLost { call, code }));
            drop(refused);
        }
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
    });
}

#[test]
fn slice_functions_recover_after_a_reset() {
    let test = "loss::slice_functions_recover_after_a_reset";
    in_child(test, &[], || {
        for _ in 0..3 {
            assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
            let device = Device::get_device(0).unwrap();
            // SAFETY: only the library still has objects of the context, and it recognises the reset.
            unsafe { Context::reset(&device) }.unwrap();
            let code = DriverCode(709);
            let first = gpu_sum(&[1u32, 2]);
            assert!(
                matches!(&first, Err(Error::Driver { code: told, .. }) if *told == code),
                "{first:?}"
            );
        }
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
    });
}

#[test]
fn calls_while_the_context_is_lost_fail_or_succeed() {
    let test = "loss::calls_while_the_context_is_lost_fail_or_succeed";
    let variables = [("VIRTUAL_GPU", "on")];
    in_child(test, &variables, || {
        let items = &vec![1u32; 140_000];
        std::thread::scope(|scope| {
            let callers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(move || {
                        for _ in 0..5 {
                            match gpu_sum(items) {
                                Ok(sum) => assert_eq!(sum, 140_000),
                                Err(
                                    Error::Driver { code, .. } | Error::ContextLost { code, .. },
                                ) if code.is_sticky() => {}
                                Err(Error::Poisoned { .. }) => {}
                                Err(other) => panic!("{other:?}"),
                            }
                        }
                    })
                })
                .collect();
            for _ in 0..3 {
                if let Ok(global) = Gpu::global()
                    && global.make_current().is_ok()
                    && let Ok(stream) = Stream::new(StreamFlags::DEFAULT, None)
                    && let Ok(module) = Module::from_ptx(FAULTY, &[])
                    && let Ok(faulty) = module.get_function("faulty")
                {
                    // SAFETY: as in `queue_fault`: there are no parameters, and the only access is a fault.
                    let _ = unsafe { cust::launch!(faulty<<<1, 1, 0, stream>>>()) };
                    let _ = stream.synchronize();
                }
            }
            for caller in callers {
                caller.join().unwrap();
            }
        });
        // Whatever the threads' results were, the library works again.
        let served = (0..3).any(|_| gpu_sum(items) == Ok(140_000));
        assert!(served);
    });
}

#[test]
#[cfg(unix)]
fn a_forked_process_is_refused() {
    in_child("loss::a_forked_process_is_refused", &[], || {
        let items = vec![1u32; 300_000];
        assert_eq!(gpu_sum(&items), Ok(300_000));
        let gpu = Gpu::new().unwrap();
        // SAFETY: the child has one thread and only calls the library, which makes no driver call and waits for no lock after a fork. Then
        // the child ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let refused = [
                gpu_sum(&items).map(drop),
                gpu_sum(&[1u32]).map(drop),
                Gpu::new().map(drop),
                gpu.synchronize(),
            ];
            drop(gpu);
            let all = refused.iter().all(|result| *result == Err(Error::Forked));
            // SAFETY: `_exit` has no conditions. It runs no destructors, and ends the child here.
            unsafe { libc::_exit(if all { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: the pointer is to a live local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        assert_eq!(gpu_sum(&items), Ok(300_000));
    });
}
