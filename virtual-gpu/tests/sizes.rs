//! How much memory a text may declare in each space: as much as `ptxas` allows, and in global memory as much as the device has. Also tests
//! variables without a size or with forbidden initial values, a large variable, the limits of statements and registers, and deeply nested
//! loops.

mod support;

use support::Device;
use virtual_gpu::{LoadError, Memory, Module};

const MOST: u64 = u64::MAX;

fn text(version: &str, globals: &str, params: &str, body: &str) -> String {
    format!(
        ".version {version}\n.target sm_70\n.address_size 64\n{globals}\n.entry k({params}) {{\n\
         .reg .b32 %r<9>;\n{body}\nret; }}"
    )
}

/// The problems of a text, each as a string.
fn problems(text: &str) -> Vec<String> {
    let device = Device::new();
    match Module::load(text, &device.config, &device.memory) {
        Ok(_) => Vec::new(),
        Err(LoadError::Invalid(problems)) => {
            assert_eq!(device.memory.live_bytes(), 0, "nothing is left over");
            problems.into_iter().map(|problem| problem.what).collect()
        }
        Err(other) => vec![other.to_string()],
    }
}

fn in_body(body: &str) -> Vec<String> {
    problems(&text("8.1", "", "", body))
}

fn in_module(globals: &str) -> Vec<String> {
    problems(&text("8.1", globals, "", ""))
}

#[test]
fn shared_memory_of_a_variable() {
    assert!(in_body(".shared .b8 x[49152]; .shared .b8 y;").len() == 1);
    assert!(in_body(".shared .b8 x[49152];").is_empty());
    let alone =
        |bytes: u64| format!("`x` has {bytes} bytes of shared memory, of which there are 49152");
    for (declared, bytes) in [
        (".b8 x[49153]", 49153),
        (".align 8 .b8 x[18446744073709551615]", MOST),
        (".b64 x[2305843009213693953]", MOST),
        (".b8 x[4294967296][4294967296]", MOST),
        (".v4 .b32 x[3][1025]", 49200),
    ] {
        assert_eq!(in_body(&format!(".shared {declared};")), [alone(bytes)]);
        assert_eq!(in_module(&format!(".shared {declared};")), [alone(bytes)]);
    }
}

#[test]
fn shared_memory_of_all_variables_of_a_kernel() {
    let sum = "`y` of 30000 bytes takes the shared memory to 60000 bytes, of which there are 49152";
    assert_eq!(
        in_body(".shared .b8 x[30000]; .shared .b8 y[30000];"),
        [sum]
    );
    let declared = ".shared .b8 x[30000]; .shared .b8 y[30000];";
    assert!(in_module(declared).is_empty(), "no kernel names them");
    let one = text("8.1", declared, "", "mov.u32 %r1, x;");
    assert!(problems(&one).is_empty());
    let both = "mov.u32 %r1, x; mov.u32 %r2, y; st.shared.u32 [y], %r1;";
    assert_eq!(
        problems(&text("8.1", declared, "", both)),
        [sum],
        "told once"
    );
}

#[test]
fn constant_memory_of_a_text() {
    assert!(in_module(".const .b8 x[65536];").is_empty());
    assert_eq!(
        in_module(".const .b8 x[65537];"),
        ["`x` has 65537 bytes of constant memory, of which there are 65536"]
    );
    assert_eq!(
        in_module(".const .b8 x[60000]; .const .align 256 .b8 y[5377];"),
        ["`y` of 5377 bytes takes the constant memory to 65537 bytes, of which there are 65536"]
    );
}

#[test]
fn parameters_of_a_kernel() {
    let declared =
        |version, bytes| problems(&text(version, "", &format!(".param .b8 p[{bytes}]"), ""));
    assert!(declared("8.1", 32764).is_empty());
    assert!(declared("8.0", 4352).is_empty());
    assert_eq!(
        declared("8.1", 32765),
        ["`p` has 32765 bytes of parameters, of which there are 32764"]
    );
    assert_eq!(
        declared("7.8", 4353),
        ["`p` has 4353 bytes of parameters, of which there are 4352"]
    );
    let two = text(
        "8.1",
        "",
        ".param .b8 p[5], .param .b64 q[18446744073709551615]",
        "",
    );
    let whole = format!("`q` has {MOST} bytes of parameters, of which there are 32764");
    assert_eq!(problems(&two), [whole]);
}

#[test]
fn local_memory_of_a_thread() {
    assert!(in_body(".local .b8 x[524288];").is_empty());
    assert_eq!(
        in_body(".local .b8 x[524289];"),
        ["`x` has 524289 bytes of local memory, of which there are 524288"]
    );
}

#[test]
fn variables_without_a_size_or_with_forbidden_initial_values() {
    for declared in [
        ".global .b8 x[0];",
        ".const .b8 x[];",
        ".shared .b8 x[];",
        ".shared .b8 x[0];",
    ] {
        assert_eq!(in_module(declared), ["`x` has no size"], "{declared}");
    }
    for declared in [".local .b8 x[0];", ".shared .b8 x[];"] {
        assert_eq!(in_body(declared), ["`x` has no size"], "{declared}");
    }
    let contents = ["`x` has initial values, which this memory cannot have"];
    assert_eq!(in_module(".shared .b32 x[2] = {1, 2};"), contents);
    assert_eq!(in_body(".local .b32 x = 1;"), contents);
    assert!(in_module(".extern .shared .b8 x[]; .extern .shared .b8 y[0];").is_empty());
}

#[test]
fn global_variables_that_do_not_fit_are_out_of_memory() {
    let device = Device::new();
    for declared in [
        ".b8 x[17179869185]",
        ".b8 x[18446744073709551615]",
        ".b64 x[4294967296][4294967296]",
    ] {
        let text = text("8.1", &format!(".global {declared};"), "", "");
        let error = Module::load(&text, &device.config, &device.memory).unwrap_err();
        assert!(matches!(error, LoadError::Memory(_)), "{error}");
        assert_eq!(error.cu_result(), 2);
        assert_eq!(device.memory.live_bytes(), 0);
    }
}

/// Host memory that this process has touched, in bytes.
#[cfg(target_os = "linux")]
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let digits = line.unwrap().trim().trim_end_matches(" kB");
    digits.parse::<u64>().unwrap() << 10
}

/// A large variable takes host memory only where it is touched, and counts as written everywhere.
#[cfg(target_os = "linux")]
#[test]
fn a_large_variable_is_filled_lazily() {
    const BYTES: u64 = 6 << 30;
    let memory = Memory::new(BYTES);
    let text = text(
        "8.1",
        &format!(".global .b8 x[{BYTES}] = {{1, 2}};"),
        "",
        "",
    );
    let before = resident_bytes();
    let module = Module::load(&text, &Device::new().config, &memory).unwrap();
    assert!(resident_bytes().saturating_sub(before) < 1 << 30);
    let start = module.variable("x").unwrap().address;
    let (mut first, mut last) = ([9; 3], [9; 3]);
    memory.read(start, &mut first).unwrap();
    memory.read(start + BYTES - 3, &mut last).unwrap();
    assert_eq!((first, last), ([1, 2, 0], [0; 3]));
    assert_eq!(memory.first_unwritten(start + BYTES - 64, 64), Ok(None));
}

#[test]
fn multiplying_calls_are_limited() {
    let doubled = |name: &str, called: &str| {
        format!(".func {name}() {{ call {called}; call {called}; ret; }}\n")
    };
    let mut functions = format!(".func f0() {{ {} ret; }}\n", "frobnicate;".repeat(300));
    for level in 1..=15 {
        functions += &doubled(&format!("f{level}"), &format!("f{}", level - 1));
    }
    let kernels: String = (0..3)
        .map(|k| format!(".entry k{k}() {{ call f15; ret; }}\n"))
        .collect();
    let text = format!(".version 8.1 .target sm_70 .address_size 64\n{functions}{kernels}");
    let problems = problems(&text);
    assert!(problems.contains(&"`frobnicate` is not supported".to_owned()));
    let last = problems.last().unwrap();
    assert_eq!(
        last,
        "more than 4194304 statements in all kernels, calls written out"
    );
}

#[test]
fn registers_of_a_kernel_are_limited() {
    let moves: String = (0..66_000).map(|k| format!("mov.u32 %s{k}, 1;")).collect();
    assert_eq!(
        in_body(&format!(".reg .b32 %s<70000>;\n{moves}")),
        ["`k` has 66000 registers; 65536 are supported"]
    );
}

#[test]
fn deeply_nested_loops_load() {
    const DEPTH: usize = 20_000;
    let heads: String = (0..DEPTH)
        .map(|k| format!("L{k}: add.u32 %r1, %r1, 1;\n"))
        .collect();
    let ends: String = (0..DEPTH)
        .rev()
        .map(|k| format!("setp.eq.u32 %p1, %r1, {k}; @%p1 bra L{k};\n"))
        .collect();
    let body = format!(".reg .pred %p<2>;\n{heads}{ends}");
    assert!(in_body(&body).is_empty());
}
