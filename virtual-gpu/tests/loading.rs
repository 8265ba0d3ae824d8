//! The errors of texts that cannot be loaded, refused launches, and the properties of modules.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{LoadError, MemoryError, Module, Problem};

fn at(line: u32, what: &str) -> Problem {
    Problem {
        line,
        what: what.to_owned(),
    }
}

#[test]
fn every_problem_is_listed_with_its_line() {
    let device = Device::new();
    let text = kernel(
        0,
        "\nfrobnicate.u32 %r1, %r2;\nadd.u32 %r1, %r2, %d1;\nadd.u32 %r1, %r2;\n\
         bra NOWHERE;\nmov.u32 %r77, 1;\nadd.rn.bogus.f32 %f1, %f2, %f3;\ntex.1d.v4.f32.s32 \
         %r1, [t, {%r2}];\nld.global.u32 %r1 [%d1];\nmov.pred %p1, %r1;\nvote.any.pred %p1, %p2;",
    );
    let expected = [
        at(2, "`frobnicate` is not supported"),
        at(3, "`%d1` of 64 bits where .u32 is read"),
        at(4, "2 operands where 3 are taken"),
        at(5, "`NOWHERE` is not a label here"),
        at(6, "`%r77` is not declared"),
        at(7, "`add` with `.bogus` is not supported"),
        at(8, "expected `]`, found `,`"),
        at(9, "expected `;`, found `[`"),
        at(10, "`%r1` is not a predicate"),
        at(11, "`vote` without `.sync` is not supported"),
    ];
    assert_eq!(device.problems(&text), expected);
}

#[test]
fn the_error_prints_all_problems() {
    let device = Device::new();
    let text = kernel(0, "\nfoo;\nbar.u32;");
    let error = Module::load(&text, &device.config, &device.memory).unwrap_err();
    assert_eq!(error.cu_result(), 218);
    assert_eq!(
        error.to_string(),
        "the PTX cannot be loaded:\n  line 2: `foo` is not supported\n  line 3: this form of `bar` is \
         not supported"
    );
}

#[test]
fn a_target_newer_than_the_device_has_its_own_error() {
    let mut device = Device::new();
    let text = ".version 8.7 .target sm_100 .address_size 64";
    let error = Module::load(text, &device.config, &device.memory).unwrap_err();
    let expected = LoadError::NoBinaryForDevice {
        target: "sm_100".into(),
        device: (9, 0),
    };
    assert_eq!((error.cu_result(), error), (218, expected));
    for (capability, target, loads) in [
        ((8, 0), "sm_70", true),
        ((8, 0), "sm_80", true),
        ((8, 0), "sm_86", false),
        ((8, 0), "sm_90a", false),
        ((9, 0), "sm_90a", true),
        ((10, 0), "sm_90a", false),
        ((10, 3), "sm_100f", true),
        ((10, 0), "sm_103f", false),
        ((12, 0), "sm_100f", false),
        ((12, 1), "sm_120", true),
    ] {
        device.config.compute_capability = capability;
        let text = format!(".version 8.0\n.target {target}\n.address_size 64");
        let loaded = Module::load(&text, &device.config, &device.memory);
        assert_eq!(loaded.is_ok(), loads, "{target} on {capability:?}");
    }
    assert_eq!(device.problems(".version 8.0"), [at(1, "no `.target`")]);
    for unknown in ["sm_90af", "sm_", "sm_a", "compute_90"] {
        let text = format!(".version 8.0\n.target {unknown}");
        let expected = format!("the target `{unknown}` is not known");
        assert_eq!(device.problems(&text), [at(2, &expected)]);
    }
}

#[test]
fn recursion_and_calls_of_undefined_functions_are_refused() {
    let device = Device::new();
    let text = format!(
        "{}\n.func f() {{ call f; }}\n.func g();",
        kernel(0, "\ncall f;\ncall g;\ncall h;")
    );
    let expected = [
        at(3, "`g` is called and not defined"),
        at(4, "`h` is called and not defined"),
        at(6, "`f` calls itself: recursion is not supported"),
    ];
    assert_eq!(device.problems(&text), expected);
}

#[test]
fn parameters_limits_and_shared_memory() {
    let device = Device::new();
    let module = device.load(
        ".version 8.0 .target sm_80 .address_size 64 .shared .align 8 .b8 a[12]; .shared .u64 unused;
         .entry k(.param .u8 p, .param .u64 .ptr .global .align 4 q, .param .align 4 .b8 r[12],
                  .param .f32 s) .maxntid 128, 2 .minnctapersm 3 {
             .shared .align 16 .b8 b[4]; .reg .u32 %r<3>;
             ld.shared.u32 %r1, [a]; ld.shared.u32 %r2, [b]; ret;
         }
         .entry l() .reqntid 32 { ret; }",
    );
    let kernel = module.kernel("k").unwrap();
    let offsets: Vec<_> = kernel
        .parameters()
        .iter()
        .map(|p| (p.offset, p.bytes))
        .collect();
    assert_eq!(offsets, [(0, 1), (8, 8), (16, 12), (28, 4)]);
    assert_eq!(kernel.parameter_bytes(), 32);
    assert_eq!(kernel.max_block_dim(), Some([128, 2, 1]));
    assert_eq!(kernel.min_blocks_per_multiprocessor(), Some(3));
    assert_eq!(kernel.static_shared_bytes(), 20);
    assert_eq!(
        module.kernel("l").unwrap().required_block_dim(),
        Some([32, 1, 1])
    );
    assert_eq!(module.kernels().count(), 2);
    assert!(module.kernel("m").is_none());
}

#[test]
fn variables_hold_their_initial_values_and_addresses() {
    let device = Device::new();
    let module = device.load(
        ".version 8.0 .target sm_80 .address_size 64
         .global .align 8 .u64 pointers[2] = {table+4, generic(table)};
         .const .align 4 .f32 table[4] = {0f3F800000, 2.5, -1.0};
         .visible .global .align 2 .u16 words[] = {1, 0x2, 03, -1};
         .visible .entry k(.param .u64 p0) { .reg .f32 %f<4>; .reg .b64 %d<4>;
             ld.param.u64 %d1, [p0]; ld.global.u64 %d2, [pointers]; ld.f32 %f1, [%d2];
             ld.const.f32 %f2, [table+8]; st.global.v2.f32 [%d1], {%f1, %f2}; ret; }",
    );
    let table = module.variable("table").unwrap();
    let pointers = module.variable("pointers").unwrap();
    let held: Vec<u64> = device.download(pointers.address, 2);
    assert_eq!(held, [table.address + 4, table.address]);
    assert_eq!((table.bytes, pointers.bytes), (16, 16));
    let floats: Vec<f32> = device.download(table.address, 4);
    assert_eq!(floats, [1.0, 2.5, -1.0, 0.0]);
    let words = module.variable("words").unwrap();
    assert_eq!(device.download::<u16>(words.address, 4), [1, 2, 3, 0xffff]);
    let out = device.zeros(8);
    device.launch(&module, "k", 1, 1, &[Arg::U64(out)]).unwrap();
    assert_eq!(device.download::<f32>(out, 2), [2.5, -1.0]);
    device.memory.free(out).unwrap();
    module.unload(&device.memory).unwrap();
    assert_eq!(device.memory.live_bytes(), 0);
}

#[test]
fn unloading_frees_the_variables_that_the_program_has_not_freed() {
    let device = Device::new();
    let module = device.load(
        ".version 8.0 .target sm_80 .address_size 64
         .global .u32 a; .global .u32 b; .global .u32 c; .global .u32 d;",
    );
    let [first, third] = ["a", "c"].map(|name| module.variable(name).unwrap().address);
    device.memory.free(first).unwrap();
    device.memory.free(third).unwrap();
    match module.unload(&device.memory) {
        Err(MemoryError::Freed { address, .. }) => assert_eq!(address, first),
        other => panic!("{other:?}"),
    }
    assert_eq!(device.memory.live_allocations(), 0);
}

/// A pragma as compilers emit it for inline assembly: in the middle of a block, before an instruction on the same line.
#[test]
fn a_pragma_does_not_remove_adjacent_instructions() {
    let device = Device::new();
    let out = device.zeros(8);
    let body = "ld.param.u64 %d1, [p0]; mov.u64 %d5, 3;\n\t.pragma \"nounroll\"; mov.u64 \t%d5, 1;\n\
                \tadd.u64 %d5, %d5, 4; .pragma \"a; b\"; st.global.u64 [%d1], %d5; ret;";
    device.run(&kernel(1, body), 1, 1, &[Arg::U64(out)]);
    assert_eq!(device.download::<u64>(out, 1), [5]);
}

#[test]
fn launches_outside_the_limits_are_refused() {
    let device = Device::new();
    let module = device.load(".version 8.0 .target sm_80 .entry k() .maxntid 64 { ret; }");
    let error = |grid, block| {
        let launched = device.launch(&module, "k", grid, block, &[]);
        launched.unwrap_err().to_string()
    };
    assert_eq!(
        error(0, 32),
        "a grid of [0, 1, 1] blocks; the device allows 1 to [2147483647, 65535, 65535]"
    );
    assert!(error(1, 65).contains("the kernel allows as many threads as [64, 1, 1] has"));
    assert!(error(1, 2048).contains("1024 threads in all"));
}

/// Loads a valid text with pieces removed, inserted and doubled. No such text causes a panic.
#[test]
fn mangled_texts_cause_no_panic() {
    const TEXT: &str = include_str!("ptx/compiled.ptx");
    let pieces = [
        "{",
        "}",
        ";",
        "%r99999999999999999999",
        "-",
        "0x",
        "0f1",
        "\"",
        "/*",
        "é",
        "[",
        ".v4",
        "<4000000000>",
        ".local .b8 x[99999999999];",
        "@!%p1",
        "call (a), b, (c);",
        "bra $L__BB1_1;",
        ",",
        "|",
        ".",
    ];
    let device = Device::new();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    let mut refused = 0;
    for _ in 0..300 {
        let mut text: Vec<char> = TEXT.chars().collect();
        for _ in 0..1 + below(4) {
            let start = below(text.len());
            let end = (start + below(40)).min(text.len());
            match below(3) {
                0 => drop(text.drain(start..end)),
                1 => drop(text.splice(start..start, pieces[below(pieces.len())].chars())),
                _ => {
                    let copy: Vec<char> = text[start..end].to_vec();
                    let to = below(text.len());
                    text.splice(to..to, copy);
                }
            }
        }
        let text: String = text.into_iter().collect();
        match Module::load(&text, &device.config, &device.memory) {
            Ok(module) => module.unload(&device.memory).unwrap(),
            Err(_) => refused += 1,
        }
        assert_eq!(device.memory.live_bytes(), 0);
    }
    assert!(refused > 100, "{refused}");
}
