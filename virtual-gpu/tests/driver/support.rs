//! Helpers for the tests. [`Context`] gives a test a context of its own, so that the test does not poison the contexts of parallel tests.
//! Other helpers let a test run on the virtual and on a real device.

use crate::raw::*;
use std::ffi::{CStr, c_void};
use std::fmt::Debug;
use std::io::{self, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use virtual_gpu::driver::{Choice, run_with};
use virtual_gpu::{Mode, Settings, Switch};

/// The longest time that a test waits for a flag or an answer.
pub const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Starts the driver once. If `VIRTUAL_GPU` is set, it chooses the device; otherwise the device is virtual. The options of launches come
/// from the environment, and all other settings are the defaults.
pub fn start() {
    let environment = Settings::from_env().unwrap();
    let choice = match std::env::var_os("VIRTUAL_GPU") {
        Some(_) => environment.choice,
        None => Choice::On,
    };
    let settings = Settings {
        choice,
        run: environment.run,
        ..Default::default()
    };
    // Only the first call of `virtual_gpu::start` in a process starts the driver. Later calls fail, and change no settings.
    let _ = virtual_gpu::start(settings);
    assert_eq!(cuInit(0), 0);
}

/// Whether the device is real.
pub fn on_real_device() -> bool {
    start();
    virtual_gpu::mode() == Ok(Mode::Real)
}

/// On a real device, prints a message and returns true. The caller then skips checks that only hold on the virtual device.
pub fn virtual_only(what: &str) -> bool {
    let skipped = on_real_device();
    if skipped {
        // The test harness captures `print!`, and shows captured output of failed tests only. It does not capture this write.
        let line = format!("SKIPPED on a real device: {what}\n");
        io::stderr().write_all(line.as_bytes()).unwrap();
    }
    skipped
}

/// Whether this process runs only the named test. If not, runs the test in a new process, and fails if the
/// test fails.
pub fn in_a_process_of_its_own(test: &str) -> bool {
    const MARK: &str = "DRIVER_TEST_CHILD";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--nocapture", test]).env(MARK, "1");
    let output = child.output().unwrap();
    let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let passed = output.status.success() && text.contains("1 passed");
    assert!(passed, "{text}{errors}");
    false
}

/// Compares answers with expected answers. The test fails only when the comparison is dropped. One run on a real device therefore shows all
/// differences.
#[derive(Default)]
pub struct Comparison(Vec<String>);

impl Comparison {
    pub fn expect<T: PartialEq + Debug>(&mut self, what: &str, seen: T, expected: T) {
        if seen != expected {
            let difference = format!("{what}: {seen:?}, not {expected:?}");
            eprintln!("{difference}");
            self.0.push(difference);
        }
    }
}

impl Drop for Comparison {
    fn drop(&mut self) {
        assert!(
            std::thread::panicking() || self.0.is_empty(),
            "{:#?}",
            self.0
        );
    }
}

/// Delays the work of a stream until the gate is opened. The virtual device needs no delay, as its
/// work is lazy. On a real device a host function waits, with a time limit so that a synchronising
/// call does not hang the test.
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    pub fn closed(stream: usize) -> Self {
        unsafe extern "C" fn wait(data: *mut c_void) {
            // SAFETY: `closed` passes a pointer that `Arc::into_raw` returned for an `Arc<AtomicBool>`. This call takes over the ownership
            // of that `Arc`.
            let open = unsafe { Arc::from_raw(data.cast::<AtomicBool>().cast_const()) };
            let begun = Instant::now();
            while !open.load(Ordering::Acquire) && begun.elapsed() < LONGEST_WAIT {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let open = Arc::new(AtomicBool::new(false));
        if on_real_device() {
            let data = Arc::into_raw(Arc::clone(&open)).cast_mut().cast();
            // SAFETY: `wait` takes `data`, which comes from `Arc::into_raw`. The driver calls `wait` once.
            assert_eq!(unsafe { cuLaunchHostFunc(stream, Some(wait), data) }, 0);
        }
        Self(open)
    }

    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

/// Asks again while the answer is "not ready", but no longer than a time limit.
pub fn ask_until_ready(ask: impl Fn() -> i32) -> i32 {
    let begun = Instant::now();
    while begun.elapsed() < LONGEST_WAIT {
        match ask() {
            NOT_READY => std::thread::sleep(Duration::from_millis(1)),
            answer => return answer,
        }
    }
    NOT_READY
}

/// A new context, current on this thread, and destroyed on drop.
pub struct Context(pub usize);

impl Context {
    pub fn new() -> Self {
        start();
        let mut context = 0;
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), 0);
        Self(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        cuCtxDestroy_v2(self.0);
    }
}

pub fn alloc(words: usize) -> u64 {
    let mut address = 0;
    assert_eq!(cuMemAlloc_v2(Some(&mut address), words * 4), 0);
    address
}

pub fn stream(flags: u32) -> usize {
    let mut stream = 0;
    assert_eq!(cuStreamCreate(&mut stream, flags), 0);
    stream
}

pub fn event() -> usize {
    let mut event = 0;
    assert_eq!(cuEventCreate(&mut event, 0), 0);
    event
}

/// Copies to the device, on the legacy default stream.
pub fn upload(to: u64, words: &[u32]) -> i32 {
    // SAFETY: the call reads `size_of_val(words)` bytes, the size of the slice, before it returns.
    unsafe { cuMemcpyHtoD_v2(to, words.as_ptr(), size_of_val(words)) }
}

/// Copies from the device, on the legacy default stream.
pub fn download(words: &mut [u32], from: u64) -> i32 {
    // SAFETY: the call writes `size_of_val(words)` bytes, the size of the slice, before it returns.
    unsafe { cuMemcpyDtoH_v2(words.as_mut_ptr(), from, size_of_val(words)) }
}

/// Device memory that holds zeros.
pub fn zeros(words: usize) -> u64 {
    let address = alloc(words);
    assert_eq!(upload(address, &vec![0; words]), 0);
    address
}

/// Runs `work` without the race check, because `work` may race on purpose.
pub fn without_race_check<R>(work: impl FnOnce() -> R) -> R {
    let mut options = Settings::from_env().unwrap().run;
    options.checks.race = Switch::Off;
    run_with(options, work)
}

/// Reads one word of device memory on a new stream, unordered with any other work.
pub fn peek(address: u64) -> u32 {
    let (mut word, own) = (0, stream(1));
    // SAFETY: `word` is four bytes of pageable memory, and the call writes them before it returns.
    let copied = without_race_check(|| unsafe { cuMemcpyDtoHAsync_v2(&mut word, address, 4, own) });
    assert_eq!(copied, 0);
    assert_eq!(cuStreamDestroy_v2(own), 0);
    word
}

/// Pinned memory of the host, freed with its context at the latest.
pub fn pinned(words: usize) -> *mut u32 {
    let mut pointer = std::ptr::null_mut();
    assert_eq!(cuMemAllocHost_v2(&mut pointer, words * 4), 0);
    pointer
}

pub fn load(text: &CStr) -> usize {
    let mut module = 0;
    // SAFETY: the text ends with NUL.
    let loaded = unsafe { cuModuleLoadData(&mut module, text.as_ptr()) };
    assert_eq!(loaded, 0);
    module
}

pub fn function(module: usize, name: &CStr) -> usize {
    let mut function = 0;
    // SAFETY: `name` ends with NUL.
    let found = unsafe { cuModuleGetFunction(&mut function, module, name.as_ptr()) };
    assert_eq!(found, 0);
    function
}

/// Pointers to parameters that are 64-bit words.
fn pointers(parameters: &[u64]) -> Vec<*mut c_void> {
    let pointers = parameters
        .iter()
        .map(|word| std::ptr::from_ref(word).cast_mut().cast());
    pointers.collect()
}

/// Launches a kernel whose parameters are 64-bit words.
pub fn launch(function: usize, grid: u32, block: u32, stream: usize, parameters: &[u64]) -> i32 {
    let mut pointers = pointers(parameters);
    // SAFETY: the tests pass the kernel's parameters, each of 64 bits, and the list has a pointer to each. The call reads the parameters
    // before it returns.
    unsafe {
        let (parameters, list) = (pointers.as_mut_ptr(), std::ptr::null_mut());
        cuLaunchKernel(
            function, grid, 1, 1, block, 1, 1, 0, stream, parameters, list,
        )
    }
}

/// Like [`launch`], for two blocks of 32 threads, with launch attributes. Each attribute is a pair of an id and a value.
pub fn launch_with(
    attributes: &[(i32, i32)],
    function: usize,
    stream: usize,
    parameters: &[u64],
) -> i32 {
    let attribute = |&(id, value): &(i32, i32)| LaunchAttribute {
        id,
        padding: [0; 4],
        value,
        rest: [0; 60],
    };
    let attributes: Vec<LaunchAttribute> = attributes.iter().map(attribute).collect();
    let config = LaunchConfig {
        grid: [2, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
        stream,
        attributes: attributes.as_ptr(),
        attribute_count: attributes.len() as u32,
    };
    let mut pointers = pointers(parameters);
    // SAFETY: the parameters are as in `launch`. The configuration has the address of the attributes and their count.
    unsafe {
        cuLaunchKernelEx(
            &config,
            function,
            pointers.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    }
}

/// Ends a capture, and returns its graph.
pub fn end_with_graph(stream: usize) -> usize {
    let mut graph = 0;
    assert_eq!(cuStreamEndCapture(stream, &mut graph), 0);
    graph
}

pub fn instantiate(graph: usize) -> usize {
    let mut executable = 0;
    assert_eq!(cuGraphInstantiateWithFlags(&mut executable, graph, 0), 0);
    executable
}
