//! Which device a process gets from its environment or from its own settings; calls before `cuInit`, and at the end of a thread or process.
//! A process chooses its device only once, so each case is a separate process. For each case, this program starts itself with the word of
//! the case as the argument, and compares the output with the expected one.
//!
//! The real driver's results are not tested here, so that the outcome is the same with and without a real driver.

#[path = "driver_modes/late.rs"]
mod late;

use std::env;
use std::process::{Command, ExitCode};
use virtual_gpu::driver::Devices;

unsafe extern "C" {
    safe fn cuInit(flags: u32) -> i32;
    safe fn cuDeviceGetCount(count: &mut i32) -> i32;
    safe fn cuDeviceGetAttribute(value: &mut i32, attribute: i32, device: i32) -> i32;
    safe fn cuDeviceTotalMem_v2(bytes: &mut usize, device: i32) -> i32;
}

const MULTIPROCESSORS: i32 = 16;
const CAPABILITY_MAJOR: i32 = 75;
const CAPABILITY_MINOR: i32 = 76;

struct Case {
    name: &'static str,
    word: &'static str,
    environment: &'static [(&'static str, &'static str)],
    output: &'static str,
}

const CASES: [Case; 11] = [
    Case {
        name: "on: the virtual device",
        word: "report",
        environment: &[("VIRTUAL_GPU", "on")],
        output: "mode Virtual, init 0, devices 1: 4 SMs, sm_90, 17179869184 bytes",
    },
    Case {
        name: "the make of the device",
        word: "report",
        environment: &[
            ("VIRTUAL_GPU", "on"),
            ("VIRTUAL_GPU_DEVICES", "3"),
            ("VIRTUAL_GPU_SMS", "12"),
            ("VIRTUAL_GPU_ARCH", "sm_86"),
            ("VIRTUAL_GPU_MEMORY", "2M"),
        ],
        output: "mode Virtual, init 0, devices 3: 12 SMs, sm_86, 2097152 bytes",
    },
    Case {
        name: "an unknown mode",
        word: "report",
        environment: &[("VIRTUAL_GPU", "maybe")],
        output: "no mode: VIRTUAL_GPU=\"maybe\" is not on, off or auto, init 1",
    },
    Case {
        name: "a number that is none",
        word: "report",
        environment: &[("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_SMS", "many")],
        output: "no mode: VIRTUAL_GPU_SMS=\"many\" is not a number of multiprocessors from 1 to 1024, \
                 init 1",
    },
    Case {
        name: "a misspelt variable",
        word: "report",
        environment: &[("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_STEP", "9")],
        output: "no mode: there is no setting VIRTUAL_GPU_STEP: did you mean VIRTUAL_GPU_STEPS?, init 1",
    },
    Case {
        name: "an architecture that there is not",
        word: "report",
        environment: &[("VIRTUAL_GPU_ARCH", "sm_199")],
        output: "no mode: VIRTUAL_GPU_ARCH=\"sm_199\" is not one of sm_70, sm_72, sm_75, sm_80, sm_86, \
                 sm_87, sm_88, sm_89, sm_90 (or sm_90a), and sm_100, sm_101, sm_103, sm_107, sm_110, \
                 sm_120, sm_121 (each also with an a or an f at its end), init 1",
    },
    Case {
        name: "before cuInit no call works",
        word: "forget-init",
        environment: &[("VIRTUAL_GPU", "on")],
        output: "count 3",
    },
    Case {
        name: "with nobody to answer no call works",
        word: "forget-init",
        environment: &[("VIRTUAL_GPU", "maybe")],
        output: "count 3",
    },
    Case {
        name: "a thread that ends",
        word: "thread-end",
        environment: &[("VIRTUAL_GPU", "on")],
        output: "late: 7 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
    },
    Case {
        name: "a process that ends",
        word: "process-end",
        environment: &[("VIRTUAL_GPU", "on")],
        output: "late: 7 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
    },
    Case {
        name: "the program's settings come before the environment's, and once",
        word: "start",
        environment: &[("VIRTUAL_GPU", "maybe")],
        output: "started Ok(()), again Err(AlreadyStarted), \
                 mode Virtual, init 0, devices 2: 4 SMs, sm_90, 17179869184 bytes",
    },
];

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("report") => println!("{}", report()),
        Some("forget-init") => println!("count {}", cuDeviceGetCount(&mut 0)),
        Some("start") => println!("{}, {}", start(), report()),
        Some("thread-end") => late::at_the_end_of_a_thread(),
        Some("process-end") => late::at_the_end_of_the_process(),
        _ => return run_all(),
    }
    ExitCode::SUCCESS
}

fn report() -> String {
    let mode = match virtual_gpu::mode() {
        Ok(mode) => format!("mode {mode:?}"),
        Err(error) => return format!("no mode: {error}, init {}", cuInit(0)),
    };
    let init = cuInit(0);
    let (mut count, mut bytes) = (0, 0);
    assert_eq!(cuDeviceGetCount(&mut count), 0);
    assert_eq!(cuDeviceTotalMem_v2(&mut bytes, count - 1), 0);
    let attribute = |attribute| {
        let mut value = 0;
        assert_eq!(cuDeviceGetAttribute(&mut value, attribute, count - 1), 0);
        value
    };
    let [multiprocessors, major, minor] =
        [MULTIPROCESSORS, CAPABILITY_MAJOR, CAPABILITY_MINOR].map(attribute);
    format!(
        "{mode}, init {init}, devices {count}: {multiprocessors} SMs, sm_{major}{minor}, {bytes} bytes"
    )
}

fn start() -> String {
    let settings = || virtual_gpu::Settings {
        choice: virtual_gpu::driver::Choice::On,
        devices: Devices::new(2).unwrap_or_default(),
        ..Default::default()
    };
    let first = virtual_gpu::start(settings());
    let second = virtual_gpu::start(settings());
    format!("started {first:?}, again {second:?}")
}

fn run_all() -> ExitCode {
    let mut failed = 0;
    for case in CASES {
        let output = run(&case);
        if output.trim_end() == case.output {
            println!("ok: {}", case.name);
        } else {
            failed += 1;
            println!(
                "FAILED: {}\n  expected: {}\n  got:      {output}",
                case.name, case.output
            );
        }
    }
    ExitCode::from(failed)
}

fn run(case: &Case) -> String {
    let program = env::current_exe().expect("the path of this program");
    let mut command = Command::new(program);
    command.arg(case.word);
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("VIRTUAL_GPU") {
            command.env_remove(name);
        }
    }
    command.envs(case.environment.iter().copied());
    let output = command.output().expect("this program starts once more");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
