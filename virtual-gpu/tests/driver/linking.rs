//! Linking: a text with the device runtime that it calls, and two texts of which one calls the other.

use crate::kernels::PTX;
use crate::launching::{self, FIRE_AND_FORGET, NULL_STREAM, TAIL_LAUNCH};
use crate::raw::*;
use crate::support::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr;

const TEXT: i32 = 1;
const LIBRARY: i32 = 4;

/// The path of the device runtime's library, if there is one. For the virtual device, the file need not exist.
fn device_runtime() -> Option<CString> {
    let folders = [
        std::env::var("CUDA_PATH").ok(),
        Some("/usr/local/cuda".into()),
    ];
    let path = |folder: String| format!("{folder}/lib64/libcudadevrt.a");
    let known = folders.into_iter().flatten().map(path);
    let found = match on_real_device() {
        true => known.into_iter().find(|path| Path::new(path).exists())?,
        false => "nowhere/libcudadevrt.a".to_owned(),
    };
    CString::new(found).ok()
}

/// Links a text with the device runtime, and runs its kernel `k`. The parameters are a buffer and `number`. The buffer has eight numbers: 5
/// and seven zeros. Returns the buffer, or the error code.
fn run_linked(body: &str, number: u64) -> Result<[u64; 8], i32> {
    let text = CString::new(launching::text(body)).unwrap();
    let (linker, runtime) = (linker(), device_runtime().unwrap());
    assert_eq!(add(linker, TEXT, &text), 0);
    assert_eq!(add_file(linker, LIBRARY, &runtime), 0);
    let (code, image) = complete(linker);
    assert_eq!(code, 0);
    // SAFETY: the linker's image is PTX that ends with NUL, or an ELF file, which contains NUL. It lives until the linker is destroyed
    // below.
    let module = load(unsafe { CStr::from_ptr(image) });
    assert_eq!(cuLinkDestroy(linker), 0);
    let address = zeros(16);
    assert_eq!(upload(address, &[5]), 0);
    let launched = launch(function(module, c"k"), 1, 1, 0, &[address, number]);
    let mut words = [0; 16];
    for code in [launched, cuCtxSynchronize(), download(&mut words, address)] {
        if code != 0 {
            return Err(code);
        }
    }
    let pair = |k: usize| u64::from(words[2 * k]) | u64::from(words[2 * k + 1]) << 32;
    Ok(std::array::from_fn(pair))
}

/// Whether to skip a test because there is no device runtime.
fn without_device_runtime() -> bool {
    let missing = device_runtime().is_none();
    if missing {
        eprintln!("not tried on a real device: there is no libcudadevrt.a");
    }
    missing
}

pub fn linker() -> usize {
    let mut linker = 0;
    let none = ptr::null_mut();
    // SAFETY: with 0 options, both lists may be null.
    let created = unsafe { cuLinkCreate_v2(0, ptr::null(), none, &mut linker) };
    assert_eq!(created, 0);
    linker
}

fn add(linker: usize, kind: i32, text: &CStr) -> i32 {
    let bytes = text.to_bytes_with_nul();
    let (data, none) = (bytes.as_ptr().cast(), ptr::null_mut());
    // SAFETY: `data` has `bytes.len()` bytes, the name ends with NUL, and with 0 options both lists may be null.
    unsafe {
        let name = c"input".as_ptr();
        cuLinkAddData_v2(linker, kind, data, bytes.len(), name, 0, ptr::null(), none)
    }
}

fn add_file(linker: usize, kind: i32, path: &CStr) -> i32 {
    // SAFETY: the path ends with NUL, and with 0 options both lists may be null.
    unsafe { cuLinkAddFile_v2(linker, kind, path.as_ptr(), 0, ptr::null(), ptr::null_mut()) }
}

fn complete(linker: usize) -> (i32, *const c_char) {
    let (mut image, mut bytes) = (ptr::null(), 0);
    let code = cuLinkComplete(linker, &mut image, &mut bytes);
    assert_eq!(code == 0, bytes > 0);
    (code, image)
}

#[test]
fn linked_kernels_launch_grids() {
    if without_device_runtime() {
        return;
    }
    let _context = Context::new();
    let mut compare = Comparison::default();
    let mut expect = |what: &str, body: String, number: u64, expected: [u64; 2]| {
        let seen = run_linked(&body, number).map(|words| [words[0], words[1]]);
        compare.expect(what, seen, Ok(expected));
    };
    for stream in [NULL_STREAM, 1, 2, FIRE_AND_FORGET, TAIL_LAUNCH] {
        let raise = launching::launch("raise", "3", stream);
        expect(&format!("a grid in stream {stream}"), raise, 0, [8, 0]);
    }
    let raise_and_look = |first, second| {
        launching::launch("raise", "3", first) + &launching::launch("look", "0", second)
    };
    let in_order = raise_and_look(NULL_STREAM, NULL_STREAM);
    expect("one after the other", in_order, 0, [8, 8]);
    let tail = raise_and_look(FIRE_AND_FORGET, TAIL_LAUNCH);
    expect("a tail launch", tail, 0, [8, 8]);
    let tails = raise_and_look(TAIL_LAUNCH, TAIL_LAUNCH);
    expect("two tail launches", tails, 0, [8, 8]);
    for (stream, number, expected) in [
        (NULL_STREAM, 3, [9, 0]),
        (FIRE_AND_FORGET, 24, [30, 0]),
        (FIRE_AND_FORGET, 25, [30, 65]),
        (TAIL_LAUNCH, 100, [106, 0]),
    ] {
        let what = format!("{number} grids below another in stream {stream}");
        expect(&what, launching::again(stream), number, expected);
    }
}

#[test]
fn pinned_memory_does_not_disturb_launches_of_grids() {
    if without_device_runtime() {
        return;
    }
    let _context = Context::new();
    // The parameters of the launched grid lie in device memory. On the virtual device, pinned memory lies at a higher address.
    pinned(4);
    let raise = launching::launch("raise", "3", FIRE_AND_FORGET);
    assert_eq!(run_linked(&raise, 0).map(|words| words[0]), Ok(8));
}

#[test]
fn invalid_launches_of_grids_are_refused() {
    if without_device_runtime() {
        return;
    }
    let _context = Context::new();
    let mut compare = Comparison::default();
    let mut expect = |what: &str, body: String, expected: u64| {
        let stores_code = body + "cvt.u64.u32 %d4, %r30; st.global.u64 [%d1+16], %d4;";
        let seen = run_linked(&stores_code, 0).map(|words| words[2]);
        compare.expect(what, seen, Ok(expected));
    };
    let write = "@%p8 st.u64 [%d31], %d1; @%p8 st.u64 [%d31+8], %d1;";
    let shaped = |grid, block, stream| {
        launching::buffer("set", grid, block) + write + &launching::start(stream)
    };
    expect("no blocks", shaped(0, 1, 0), 9);
    expect("too many threads", shaped(1, 1025, 0), 9);
    let null = "mov.u64 %d31, 0;".to_owned() + &launching::start(0);
    expect("no buffer", null, 1);
    expect("no such stream", shaped(1, 1, 77), 400);
}

#[test]
fn calls_of_the_device_runtime_need_no_linking() {
    if virtual_only("a real driver wants it linked") {
        return;
    }
    let _context = Context::new();
    let (text, address) = (launching::launch("set", "7", NULL_STREAM), zeros(2));
    let module = load(&CString::new(launching::text(&text)).unwrap());
    assert_eq!(launch(function(module, c"k"), 1, 1, 0, &[address, 0]), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(address), 7);
}

#[test]
fn invalid_files_and_texts_are_not_linked() {
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
    if virtual_only("a real driver links compiled code") {
        return;
    }
    assert_eq!(add(linker, 0, c"\x7fELF\x02\x01"), NO_BINARY_FOR_GPU);
    assert_eq!(add(linker, 9, PTX), INVALID_VALUE);
    assert_eq!(complete(linker).0, 0);
    assert_eq!(cuLinkDestroy(linker), 0);
    assert_eq!(complete(self::linker()).0, INVALID_IMAGE);
}

const CALLER: &CStr = c"
.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) other (.param .b32 value);
.extern .global .align 4 .u32 factor;
.global .align 4 .u32 own = 1000;
.weak .func (.param .b32 result) shared (.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value]; add.u32 %r2, %r1, 1; st.param.b32 [result], %r2; ret;
}
.visible .entry k(.param .u64 to)
{
    .reg .b32 %r<9>; .reg .b64 %d<3>;
    ld.param.u64 %d1, [to];
    ld.global.u32 %r1, [own];
    { .param .b32 value; .param .b32 result;
      st.param.b32 [value], %r1; call (result), other, (value); ld.param.b32 %r2, [result]; }
    { .param .b32 value; .param .b32 result;
      st.param.b32 [value], %r2; call (result), shared, (value); ld.param.b32 %r3, [result]; }
    ld.global.u32 %r4, [factor];
    mad.lo.u32 %r5, %r3, 1, %r4;
    st.global.u32 [%d1], %r5;
    ret;
}
";

/// The text whose functions are called. Each of the two texts has a private variable `own`. `shared` is the same function in both texts.
const CALLED: &CStr = c"
.version 7.1
.target sm_70
.address_size 64
.visible .global .align 4 .u32 factor = 7;
.global .align 4 .u32 own = 20;
.weak .func (.param .b32 result) shared (.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value]; add.u32 %r2, %r1, 1; st.param.b32 [result], %r2; ret;
}
.visible .func (.param .b32 result) other (.param .b32 value)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [value]; ld.global.u32 %r2, [own];
    add.u32 %r3, %r1, %r2; st.param.b32 [result], %r3; ret;
}
";

#[test]
fn texts_that_use_each_others_functions_and_variables_are_linked() {
    if virtual_only("a real driver's image is no text") {
        return;
    }
    let _context = Context::new();
    let mut compare = Comparison::default();
    for (order, texts) in [
        ("caller first", [CALLER, CALLED]),
        ("called first", [CALLED, CALLER]),
    ] {
        let linker = linker();
        for text in texts {
            assert_eq!(add(linker, TEXT, text), 0);
        }
        let (code, image) = complete(linker);
        assert_eq!(code, 0);
        assert_eq!(complete(linker), (0, image));
        // SAFETY: the virtual linker's image is a text that ends with NUL, and lives until the linker is destroyed below.
        let module = load(unsafe { CStr::from_ptr(image) });
        assert_eq!(cuLinkDestroy(linker), 0);
        let address = zeros(1);
        assert_eq!(launch(function(module, c"k"), 1, 1, 0, &[address]), 0);
        assert_eq!(cuCtxSynchronize(), 0);
        compare.expect(order, peek(address), 1000 + 20 + 1 + 7);
    }
}

#[test]
fn missing_and_duplicate_functions_are_not_linked() {
    let _context = Context::new();
    let mut compare = Comparison::default();
    for (what, texts) in [
        ("one that is not there", [CALLER, CALLER]),
        ("the same text twice", [CALLED, CALLED]),
    ] {
        let linker = linker();
        let added = texts.map(|text| add(linker, TEXT, text));
        let linked = match added.contains(&INVALID_PTX) {
            true => INVALID_PTX,
            false => complete(linker).0,
        };
        compare.expect(what, linked, INVALID_PTX);
        assert_eq!(cuLinkDestroy(linker), 0);
    }
}

#[test]
fn errors_of_a_linker_are_written_to_its_log() {
    const ERROR_LOG: i32 = 5;
    const ERROR_LOG_BYTES: i32 = 6;
    let _context = Context::new();
    let (mut linker, mut log) = (0, [0_u8; 400]);
    let options = [ERROR_LOG, ERROR_LOG_BYTES];
    let bytes = ptr::without_provenance_mut::<c_void>(log.len());
    let mut values = [log.as_mut_ptr().cast(), bytes];
    // SAFETY: there are two options, with a buffer and its length. The buffer lives until the linker is destroyed.
    let created = unsafe { cuLinkCreate_v2(2, options.as_ptr(), values.as_mut_ptr(), &mut linker) };
    assert_eq!(created, 0);
    let text =
        c".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate; }";
    assert_eq!(add(linker, TEXT, text), INVALID_PTX);
    let written = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(written.contains("frobnicate"), "{written}");
    assert_eq!(cuLinkDestroy(linker), 0);
}
