//! Modules, functions, occupancy, launches.

use crate::kernels::PTX;
use crate::raw::*;
use std::ffi::{CStr, c_void};
use std::ptr;

#[test]
fn what_is_not_in_a_module_is_not_found() {
    let _context = Context::new();
    let module = load(PTX);
    let mut found = 0;
    // SAFETY: texts that end with NUL.
    unsafe {
        assert_eq!(
            cuModuleGetFunction(&mut found, module, c"subtract".as_ptr()),
            NOT_FOUND
        );
        assert_eq!(
            cuModuleGetFunction(&mut found, module, ptr::null()),
            INVALID_VALUE
        );
    }
    let twice = [function(module, c"trap"), function(module, c"trap")];
    assert_eq!(twice[0], twice[1], "one handle for one function");
    assert_eq!(cuModuleUnload(module), 0);
    assert_eq!(launch(twice[0], 1, 1, 0, &[]), INVALID_HANDLE);
    assert_eq!(cuModuleUnload(module), INVALID_HANDLE);
}

#[test]
fn a_text_that_cannot_be_loaded_is_explained_in_the_log() {
    const ERROR_LOG: i32 = 5;
    const ERROR_LOG_BYTES: i32 = 6;
    let _context = Context::new();
    let text =
        c".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate.u32; }\n";
    let load_into = |log: &mut [u8]| {
        let (mut module, options) = (0, [ERROR_LOG, ERROR_LOG_BYTES]);
        let bytes = ptr::without_provenance_mut::<c_void>(log.len());
        let mut values = [log.as_mut_ptr().cast(), bytes];
        let (image, options) = (text.as_ptr(), options.as_ptr());
        // SAFETY: two options with a buffer and its length, and a text that ends with NUL.
        let code =
            unsafe { cuModuleLoadDataEx(&mut module, image, 2, options, values.as_mut_ptr()) };
        assert_eq!(code, INVALID_PTX);
        values[1].addr()
    };
    let mut log = [b'x'; 500];
    let length = load_into(&mut log);
    let written = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert_eq!(written.len(), length);
    assert!(
        written.contains("line 4") && written.contains("frobnicate"),
        "{written}"
    );
    let mut short = [b'x'; 5];
    assert_eq!(load_into(&mut short), 4);
    assert_eq!(
        &short,
        &[log[0], log[1], log[2], log[3], 0],
        "cut short, with a NUL"
    );
}

#[test]
fn code_for_another_device_is_refused() {
    let _context = Context::new();
    let mut module = 0;
    let newer = c".version 8.7\n.target sm_120\n.address_size 64\n";
    // SAFETY: texts that end with NUL.
    unsafe {
        assert_eq!(
            cuModuleLoadData(&mut module, newer.as_ptr()),
            NO_BINARY_FOR_GPU
        );
        let binary = c"\x7fELF\x02\x01";
        assert_eq!(
            cuModuleLoadData(&mut module, binary.as_ptr()),
            NO_BINARY_FOR_GPU
        );
        assert_eq!(cuModuleLoadData(&mut module, ptr::null()), INVALID_VALUE);
    }
}

#[test]
fn a_launch_that_does_not_fit_is_refused() {
    let _context = Context::new();
    let module = load(PTX);
    let (trap, bounded) = (function(module, c"trap"), function(module, c"with_shared"));
    assert_eq!(launch(trap, 0, 1, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(trap, 1, 0, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(trap, 1, 1025, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(bounded, 1, 513, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(0x77, 1, 1, 0, &[]), INVALID_HANDLE);
    let none = ptr::null_mut();
    // SAFETY: the missing parameters are what is tried.
    let missing = unsafe {
        cuLaunchKernel(
            function(module, c"write"),
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            0,
            none,
            none,
        )
    };
    assert_eq!(missing, INVALID_VALUE);
    assert_eq!(cuCtxSynchronize(), 0, "nothing was launched");
}

#[test]
fn shared_memory_beyond_the_default_must_be_asked_for() {
    const MAX_DYNAMIC_SHARED_BYTES: i32 = 8;
    let _context = Context::new();
    let function = function(load(PTX), c"with_shared");
    let launch = |shared_bytes| {
        let none = ptr::null_mut();
        // SAFETY: the kernel has no parameters.
        unsafe { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, shared_bytes, 0, none, none) }
    };
    assert_eq!(launch(32 << 10), 0);
    assert_eq!(launch((32 << 10) + 1), INVALID_VALUE);
    assert_eq!(
        cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_BYTES, 212 << 10),
        INVALID_VALUE
    );
    assert_eq!(
        cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_BYTES, 211 << 10),
        0
    );
    assert_eq!(launch(211 << 10), 0);
    assert_eq!(cuCtxSynchronize(), 0);
}

#[test]
fn occupancy_is_by_threads_shared_memory_and_blocks() {
    let _context = Context::new();
    let module = load(PTX);
    let occupancy = |name, threads, shared_bytes| {
        let mut blocks = -1;
        let function = function(module, name);
        let code = cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            function,
            threads,
            shared_bytes,
        );
        assert_eq!(code, 0);
        blocks
    };
    assert_eq!(occupancy(c"trap", 256, 0), 8, "2048 threads");
    assert_eq!(occupancy(c"trap", 32, 0), 32, "32 blocks");
    assert_eq!(
        occupancy(c"with_shared", 32, 0),
        13,
        "228 KiB, 17 KiB a block"
    );
    assert_eq!(occupancy(c"with_shared", 1024, 0), 0, "512 threads at most");
}

#[test]
fn functions_are_found_by_name() {
    start();
    type GetId = unsafe extern "C" fn(usize, &mut u64) -> i32;
    let mut address = ptr::null_mut();
    // SAFETY: a text that ends with NUL, and the type of the function that it names.
    unsafe {
        assert_eq!(
            cuGetProcAddress(c"cuStreamGetId".as_ptr(), &mut address, 12_000, 0),
            0
        );
        let get_id = std::mem::transmute::<*mut c_void, GetId>(address);
        assert_eq!(get_id(0x77, &mut 0), INVALID_HANDLE);
        assert_eq!(
            cuGetProcAddress(c"cuMemAlloc".as_ptr(), &mut address, 12_000, 0),
            0
        );
        assert_eq!(address, cuMemAlloc_v2 as *mut c_void);
        assert_eq!(
            cuGetProcAddress(c"cuNothing".as_ptr(), &mut address, 12_000, 0),
            NOT_FOUND
        );
    }
    assert!(address.is_null());
}

#[test]
fn codes_have_names() {
    let mut name = ptr::null();
    // SAFETY: the names live as long as the program.
    unsafe {
        assert_eq!(cuGetErrorName(NOT_READY, &mut name), 0);
        assert_eq!(CStr::from_ptr(name), c"CUDA_ERROR_NOT_READY");
        assert_eq!(cuGetErrorName(12_345, &mut name), INVALID_VALUE);
    }
    assert!(name.is_null());
}
