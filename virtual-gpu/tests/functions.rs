//! Functions that the system defines, undefined functions, calls that expand exponentially, registers of 128 bits, atomic additions of
//! 16-bit floats, and declarations that the fuzz test found.

mod support;

use support::{Arg, Device};
use virtual_gpu::{FaultKind, LaunchError};

const PRINTING: &str = r#"
.version 8.6 .target sm_90 .address_size 64
.extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;
.global .align 1 .b8 format[12] = {116, 104, 114, 101, 97, 100, 32, 37, 100, 10, 0, 0};
.global .align 1 .b8 message[6] = {97, 32, 60, 32, 98, 0};
.global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};
.global .align 1 .b8 name[2] = {107, 0};
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
    .local .align 8 .b8 depot[8];
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %d<10>;
    ld.param.u64 %d1, [p0];
    mov.u64 %d2, depot; cvta.local.u64 %d3, %d2;
    mov.u32 %r1, %tid.x; st.local.u32 [%d2], %r1;
    mov.u64 %d4, format; cvta.global.u64 %d5, %d4;
    { .reg .b32 temp_param_reg;
      .param .b64 param0; st.param.b64 [param0+0], %d5;
      .param .b64 param1; st.param.b64 [param1+0], %d3;
      .param .b32 retval0;
      call.uni (retval0), vprintf, (param0, param1);
      ld.param.b32 %r2, [retval0+0]; }
    mul.wide.u32 %d6, %r1, 4; add.u64 %d6, %d6, %d1; st.global.u32 [%d6], %r2;
    setp.lt.u32 %p1, %r1, 2; @%p1 bra DONE;
    mov.u64 %d4, message; cvta.global.u64 %d5, %d4;
    mov.u64 %d7, file; cvta.global.u64 %d7, %d7;
    mov.u64 %d8, name; cvta.global.u64 %d8, %d8;
    { .param .b64 q0; st.param.b64 [q0+0], %d5;
      .param .b64 q1; st.param.b64 [q1+0], %d7;
      .param .b32 q2; st.param.b32 [q2+0], 17;
      .param .b64 q3; st.param.b64 [q3+0], %d8;
      .param .b64 q4; st.param.b64 [q4+0], 1;
      call.uni __assertfail, (q0, q1, q2, q3, q4); }
    DONE: ret;
}
"#;

#[test]
fn printf_returns_the_number_of_values() {
    let device = Device::new();
    let to = device.zeros(64);
    device.run(PRINTING, 1, 2, &[Arg::U64(to), Arg::U64(0)]);
    assert_eq!(device.download::<u32>(to, 2), [1, 1]);
}

#[test]
fn a_failed_assertion_has_its_source_line() {
    let device = Device::new();
    let to = device.zeros(64);
    let module = device.load(PRINTING);
    match device.launch(&module, "k", 1, 4, &[Arg::U64(to), Arg::U64(0)]) {
        Err(LaunchError::Fault(fault)) => {
            let what = "`a < b` in `k` at k.cu:17".to_owned();
            assert_eq!(fault.kind, FaultKind::Assertion { what });
            assert_eq!((fault.thread, fault.cu_result()), ([2, 0, 0], 710));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn undefined_functions_are_refused() {
    let device = Device::new();
    let text = ".version 8.0 .target sm_80 .address_size 64
                .extern .func nowhere; .entry k() { call nowhere; ret; }";
    let problems = device.problems(text);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].line, 2);
    assert!(problems[0].what.contains("`nowhere`"), "{problems:?}");
}

#[test]
fn exponentially_many_calls_are_refused() {
    // The first function is empty. Every other function only calls its predecessor, twice. In all, there are about 2^40 calls.
    let mut text = String::from(".version 8.0 .target sm_80 .address_size 64\n.func f0 { }\n");
    for i in 1..40 {
        let called = i - 1;
        text += &format!(".func f{i} {{ call f{called}; call f{called}; }}\n");
    }
    text += ".entry k() { call f39; ret; }";
    let problems = Device::new().problems(&text);
    assert!(
        problems
            .iter()
            .any(|p| p.what.contains("calls within calls"))
    );
}

#[test]
fn registers_of_128_bits() {
    let device = Device::new();
    let input: Vec<u64> = (1..=8).collect();
    let (from, to) = (device.upload(&input), device.zeros(128));
    let text = ".version 8.6 .target sm_90 .address_size 64
        .entry k(.param .u64 p0, .param .u64 p1) {
            .reg .b128 %q<5>; .reg .b64 %d<9>; .reg .b64 lo, hi;
            ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1];
            ld.relaxed.gpu.global.b128 %q1, [%d1];
            mov.b128 {lo, hi}, %q1; mov.b128 %q2, {hi, lo};
            st.relaxed.gpu.global.b128 [%d2], %q2;
            mov.u64 lo, 77; mov.u64 hi, 78; mov.b128 %q3, {lo, hi};
            atom.global.b128.exch %q4, [%d1], %q3;
            st.global.b128 [%d2+16], %q4;
            atom.cas.b128 %q4, [%d1], %q3, %q2;
            st.global.b128 [%d2+32], %q4;
            atom.cas.acq_rel.gpu.b128 %q4, [%d1], %q3, %q1;
            st.global.b128 [%d2+48], %q4;
            ld.global.b128 %q4, [%d1]; st.global.b128 [%d2+64], %q4;
            ret;
        }";
    device.run(text, 1, 1, &[Arg::U64(from), Arg::U64(to)]);
    let output: Vec<u64> = device.download(to, 10);
    assert_eq!(output, [2, 1, 1, 2, 77, 78, 2, 1, 2, 1]);
    let problems = device.problems(
        ".version 8.6 .target sm_90 .address_size 64
         .entry k() { .reg .b128 %q<3>; .reg .b64 %d<3>;
             add.u64 %d1, %q1, %d2;
             mov.u64 %q1, %d1; ret; }",
    );
    let lines: Vec<u32> = problems.iter().map(|p| p.line).collect();
    assert_eq!(lines, [3, 4]);
}

#[test]
fn atomic_additions_of_halves() {
    let device = Device::new();
    // 1.0 and 2.0 as f16, then 1.5 and 0.0 as bf16.
    let to = device.upload(&[0x4000_3c00_u32, 0x0000_3fc0]);
    let text = ".version 8.6 .target sm_90 .address_size 64
        .entry k(.param .u64 p0) {
            .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .b16 %h<3>;
            ld.param.u64 %d1, [p0];
            mov.b32 %r1, 0x3c003c00; atom.global.add.noftz.f16x2 %r2, [%d1], %r1;
            mov.b16 %h1, 0x3f80; red.global.add.noftz.bf16 [%d1+4], %h1;
            ret;
        }";
    device.run(text, 1, 2, &[Arg::U64(to)]);
    assert_eq!(device.download::<u32>(to, 2), [0x4400_4200, 0x0000_4060]);
}

#[test]
fn declarations_found_by_the_fuzz_test() {
    let text = |globals: &str, params: &str, body: &str| {
        format!(
            ".version 8.6 .target sm_90 .address_size 64 {globals}
             .entry k({params}) {{ {body} ret; }}"
        )
    };
    let device = Device::new();
    device.load(&text(".global .align 16 .b128 wide[2] = {1, 2};", "", ""));
    let huge = "[18446744073709551615]";
    let too_large = [
        text(
            "",
            &format!(".param .u64 a, .param .align 8 .b8 b{huge}"),
            "",
        ),
        text(
            "",
            "",
            &format!(".local .align 8 .b8 a{huge}; .local .b64 b;"),
        ),
        text(
            "",
            "",
            &format!(".shared .align 8 .b8 a{huge}; .shared .b64 b;"),
        ),
        text("", "", ".local .align 8 .b8 a[524289];"),
    ];
    for text in too_large {
        assert!(!device.problems(&text).is_empty());
    }
}
