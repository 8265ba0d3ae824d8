//! Late calls: at the end of a thread, from the last destructor of thread-local storage; and at the end of the process, from a function
//! registered with `atexit`.

use std::ffi::c_void;
use std::ptr;

unsafe extern "C" {
    safe fn cuInit(flags: u32) -> i32;
    safe fn cuDevicePrimaryCtxRetain(context: &mut usize, device: i32) -> i32;
    safe fn cuDevicePrimaryCtxRelease_v2(device: i32) -> i32;
    safe fn cuCtxPushCurrent_v2(context: usize) -> i32;
    safe fn cuCtxPopCurrent_v2(context: &mut usize) -> i32;
    safe fn cuCtxGetCurrent(context: &mut usize) -> i32;
    safe fn cuMemAlloc_v2(address: &mut u64, bytes: usize) -> i32;
    safe fn cuMemFree_v2(address: u64) -> i32;
    safe fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: usize) -> i32;
    safe fn cuStreamCreate(stream: &mut usize, flags: u32) -> i32;
    safe fn cuStreamSynchronize(stream: usize) -> i32;
    safe fn cuStreamDestroy_v2(stream: usize) -> i32;
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> i32;
    safe fn atexit(function: extern "C" fn()) -> i32;
}

/// Makes calls in the primary context, and then releases the context. Prints a downloaded word, and the result of each call except the
/// release.
fn work() {
    let (mut context, mut popped, mut address, mut stream, mut word) = (0, 0, 0, 0, 0_u32);
    let mut codes = vec![
        cuDevicePrimaryCtxRetain(&mut context, 0),
        cuCtxPushCurrent_v2(context),
        cuMemAlloc_v2(&mut address, 4),
        cuStreamCreate(&mut stream, 1),
        cuMemsetD32Async(address, 7, 1, stream),
        cuStreamSynchronize(stream),
    ];
    // SAFETY: `word` has four bytes, and the call writes them before it returns.
    codes.push(unsafe { cuMemcpyDtoH_v2(ptr::from_mut(&mut word).cast(), address, 4) });
    codes.push(cuStreamDestroy_v2(stream));
    codes.push(cuMemFree_v2(address));
    codes.push(cuCtxPopCurrent_v2(&mut popped));
    assert_eq!(popped, context);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    println!("late: {word} {codes:?}");
}

/// Uses the driver, so that its thread-local storage exists.
fn work_early() {
    assert_eq!(cuInit(0), 0);
    assert_eq!(cuCtxGetCurrent(&mut 0), 0);
}

struct Late;

impl Drop for Late {
    fn drop(&mut self) {
        work();
    }
}

thread_local! {
    static LATE: Late = const { Late };
}

/// `LATE` is made before the driver's thread-local storage, and destroyed after that storage.
pub fn at_the_end_of_a_thread() {
    let thread = std::thread::spawn(|| {
        LATE.with(|_| ());
        work_early();
    });
    assert!(thread.join().is_ok());
}

pub fn at_the_end_of_the_process() {
    extern "C" fn handler() {
        work();
    }
    assert_eq!(atexit(handler), 0);
    work_early();
}
