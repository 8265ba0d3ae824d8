//! Linking: a text that calls the device runtime, with the device runtime.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;

const TEXT: i32 = 1;
const LIBRARY: i32 = 4;

/// A kernel `parent` that launches `child`, which sets the word at its parameter to 7.
const LAUNCHING: &CStr = c"
.version 8.0 .target sm_80 .address_size 64
.extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 a,
    .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);
.visible .entry child(.param .u64 p) { .reg .b64 %d<3>;
    ld.param.u64 %d1, [p]; st.global.u32 [%d1], 7; ret; }
.visible .entry parent(.param .u64 p) { .reg .b64 %d<4>;
    { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;
      .param .b64 r; mov.u64 %d2, child; st.param.b64 [f], %d2;
      st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
      st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
      call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %d2, [r]; }
    ld.param.u64 %d1, [p]; st.u64 [%d2], %d1;
    { .param .b64 q; .param .b64 t; .param .b32 e; st.param.b64 [q], %d2; st.param.b64 [t], 0;
      call.uni (e), cudaLaunchDeviceV2, (q, t); }
    ret; }
";

fn linker() -> usize {
    let mut linker = 0;
    let none = ptr::null_mut();
    // SAFETY: no options.
    let created = unsafe { cuLinkCreate_v2(0, ptr::null(), none, &mut linker) };
    assert_eq!(created, 0);
    linker
}

fn add(linker: usize, kind: i32, text: &CStr) -> i32 {
    let bytes = text.to_bytes_with_nul();
    let (data, none) = (bytes.as_ptr().cast(), ptr::null_mut());
    // SAFETY: as many bytes as the call is told, a name, and no options.
    unsafe {
        let name = c"input".as_ptr();
        cuLinkAddData_v2(linker, kind, data, bytes.len(), name, 0, ptr::null(), none)
    }
}

fn add_file(linker: usize, kind: i32, path: &CStr) -> i32 {
    // SAFETY: a text that ends with NUL, and no options.
    unsafe { cuLinkAddFile_v2(linker, kind, path.as_ptr(), 0, ptr::null(), ptr::null_mut()) }
}

fn complete(linker: usize) -> (i32, *const c_char) {
    let (mut image, mut bytes) = (ptr::null(), 0);
    let code = cuLinkComplete(linker, &mut image, &mut bytes);
    assert_eq!(code == 0, bytes > 0);
    (code, image)
}

#[test]
fn what_is_linked_launches_grids() {
    if virtual_only("where the device runtime's library lies is not known here") {
        return;
    }
    let _context = Context::new();
    let linker = linker();
    assert_eq!(add(linker, TEXT, LAUNCHING), 0);
    assert_eq!(add_file(linker, LIBRARY, c"nowhere/libcudadevrt.a"), 0);
    let (code, image) = complete(linker);
    assert_eq!(code, 0);
    // SAFETY: an image as the linker makes it.
    let module = load(unsafe { CStr::from_ptr(image) });
    assert_eq!(cuLinkDestroy(linker), 0);
    let word = zeros(1);
    let parent = function(module, c"parent");
    assert_eq!(launch(parent, 1, 1, 0, &[word]), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(word), 7);
    assert_eq!(cuLinkDestroy(linker), INVALID_HANDLE);
}

#[test]
fn a_text_that_calls_the_device_runtime_loads_as_it_is() {
    if virtual_only("a real driver wants it linked") {
        return;
    }
    let _context = Context::new();
    let word = zeros(1);
    let parent = function(load(LAUNCHING), c"parent");
    assert_eq!(launch(parent, 1, 1, 0, &[word]), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(word), 7);
}

#[test]
fn what_cannot_be_linked_is_refused() {
    let _context = Context::new();
    let linker = linker();
    let mut compare = Comparison::default();
    compare.expect(
        "no such file",
        add_file(linker, LIBRARY, c"nowhere/a.a"),
        301,
    );
    let nonsense = c".version 7.0\n.target sm_80\n.address_size 64\nnonsense\n";
    compare.expect("nonsense", add(linker, TEXT, nonsense), INVALID_PTX);
    compare.expect("a text", add(linker, TEXT, PTX), 0);
    if virtual_only("a real driver links several texts, and compiled code") {
        return;
    }
    assert_eq!(add(linker, TEXT, PTX), 801);
    assert_eq!(add(linker, 0, c"\x7fELF\x02\x01"), NO_BINARY_FOR_GPU);
    assert_eq!(add(linker, 9, PTX), INVALID_VALUE);
    assert_eq!(complete(linker).0, 0);
    assert_eq!(cuLinkDestroy(linker), 0);
    assert_eq!(complete(self::linker()).0, INVALID_IMAGE);
}

#[test]
fn a_linker_tells_in_the_log_of_its_options() {
    const ERROR_LOG: i32 = 5;
    const ERROR_LOG_BYTES: i32 = 6;
    let _context = Context::new();
    let (mut linker, mut log) = (0, [0_u8; 400]);
    let options = [ERROR_LOG, ERROR_LOG_BYTES];
    let bytes = ptr::without_provenance_mut::<c_void>(log.len());
    let mut values = [log.as_mut_ptr().cast(), bytes];
    // SAFETY: two options with a buffer and its length, which stay until the linker goes.
    let created = unsafe { cuLinkCreate_v2(2, options.as_ptr(), values.as_mut_ptr(), &mut linker) };
    assert_eq!(created, 0);
    let text =
        c".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate; }";
    assert_eq!(add(linker, TEXT, text), INVALID_PTX);
    let written = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(written.contains("frobnicate"), "{written}");
    assert_eq!(cuLinkDestroy(linker), 0);
}
