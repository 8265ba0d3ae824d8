use super::*;
use crate::direction::{backward, forward};
use crate::inspect::{Rules, Thing, inspect};
use crate::text::Text;

const DECLARED: &str =
    "\t.reg .pred %p<9>;\n\t.reg .b16 %rs<9>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n";

/// An entry with these lines. Each line includes its semicolon or colon.
fn entry(lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("\t{line}\n")).collect();
    format!(".visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n{DECLARED}{lines}}}\n")
}

/// Makes an entry of these lines, renumbers it, and returns its new lines.
fn lines(lines: &[&str]) -> Vec<String> {
    let text = entry(lines);
    let new = renumbered(&text).unwrap();
    assert_eq!(renumbered(&new).unwrap(), new, "a second renumbering");
    let code = new
        .lines()
        .skip_while(|line| !line.contains("%rd<"))
        .skip(1);
    let code = code.map(|line| line.trim().to_owned());
    let mut lines: Vec<String> = code.collect();
    assert_eq!(lines.pop().as_deref(), Some("}"));
    lines
}

#[test]
fn values_that_are_no_longer_needed_leave_their_numbers() {
    let loads = [
        "add.s64 %rd4, %rd8, 4;",
        "ld.global.b32 %r4, [%rd4];",
        "add.s64 %rd5, %rd8, 8;",
        "ld.global.b32 %r5, [%rd5];",
        "add.s32 %r6, %r4, %r5;",
        "st.global.b32 [%rd8], %r6;",
    ];
    let expected = [
        "add.s64 %rd0, %rd1, 4;",
        "ld.global.b32 %r0, [%rd0];",
        "add.s64 %rd0, %rd1, 8;",
        "ld.global.b32 %r1, [%rd0];",
        "add.s32 %r2, %r0, %r1;",
        "st.global.b32 [%rd1], %r2;",
    ];
    assert_eq!(lines(&loads), expected);
    let text = renumbered(&entry(&loads)).unwrap();
    for count in ["%p<1>;", "%rs<1>;", "%r<3>;", "%rd<2>;"] {
        assert!(text.contains(count), "{count}: {text}");
    }
}

#[test]
fn each_block_begins_with_the_lowest_numbers() {
    let blocks = [
        "mov.b32 %r3, %tid.x;",
        "setp.eq.b32 %p4, %r3, 0;",
        "@%p4 bra $L__BB_7;",
        "mov.b32 %r5, 1;",
        "st.global.b32 [%rd1], %r5;",
        "$L__BB_7:",
        "mov.b32 %r6, 2;",
        "mov.b32 %r7, 3;",
        "st.global.v2.b32 [%rd1], {%r6, %r7};",
    ];
    let expected = [
        "mov.b32 %r0, %tid.x;",
        "setp.eq.b32 %p0, %r0, 0;",
        "@%p0 bra $L__BB_0;",
        "mov.b32 %r0, 1;",
        "st.global.b32 [%rd0], %r0;",
        "$L__BB_0:",
        "mov.b32 %r0, 2;",
        "mov.b32 %r1, 3;",
        "st.global.v2.b32 [%rd0], {%r0, %r1};",
    ];
    assert_eq!(lines(&blocks), expected);
}

#[test]
fn a_value_that_another_block_or_the_next_turn_reads_has_a_number_alone() {
    let counting = [
        "mov.b32 %r7, 0;",
        "mov.b32 %r6, 5;",
        "$L__BB_3:",
        "add.s32 %r5, %r7, 1;",
        "mov.b32 %r7, %r5;",
        "setp.lt.s32 %p1, %r7, %r6;",
        "@%p1 bra $L__BB_3;",
    ];
    let expected = [
        "mov.b32 %r1, 0;",
        "mov.b32 %r2, 5;",
        "$L__BB_0:",
        "add.s32 %r0, %r1, 1;",
        "mov.b32 %r1, %r0;",
        "setp.lt.s32 %p0, %r1, %r2;",
        "@%p0 bra $L__BB_0;",
    ];
    assert_eq!(lines(&counting), expected);
    // In each turn of the loop, the block reads what the turn before has written.
    let turning = [
        "$L__BB_3:",
        "st.shared.b32 [%rd1], %r7;",
        "mov.b32 %r7, 1;",
        "mov.b32 %r6, 2;",
        "bra.uni $L__BB_3;",
    ];
    assert_eq!(
        lines(&turning)[1..4],
        [
            "st.shared.b32 [%rd0], %r1;",
            "mov.b32 %r1, 1;",
            "mov.b32 %r0, 2;"
        ]
    );
}

#[test]
fn any_label_begins_a_block() {
    let waiting = [
        "mov.b64 %rd5, 0;",
        "{ .reg .pred %p; again: ld.relaxed.gpu.global.b64 %rd6, [%rd8];",
        "setp.eq.u64 %p, %rd6, %rd5; mov.b64 %rd5, %rd6; @%p bra again; }",
    ];
    let expected = [
        "mov.b64 %rd1, 0;",
        "{ .reg .pred %p; again: ld.relaxed.gpu.global.b64 %rd0, [%rd2];",
        "setp.eq.u64 %p, %rd0, %rd1; mov.b64 %rd1, %rd0; @%p bra again; }",
    ];
    assert_eq!(lines(&waiting), expected);
}

#[test]
fn a_guarded_definition_keeps_the_value() {
    // If the guard is false, the store reads a value that this block has not written.
    let first = [
        "mov.b32 %r6, 5;",
        "@%p1 mov.b32 %r5, 1;",
        "st.shared.b32 [%rd1], %r5;",
    ];
    assert_eq!(
        lines(&first),
        [
            "mov.b32 %r0, 5;",
            "@%p0 mov.b32 %r1, 1;",
            "st.shared.b32 [%rd0], %r1;"
        ]
    );
    // If the guard is false here, the store reads the first statement's value.
    let later = [
        "mov.b32 %r5, 1;",
        "setp.eq.b32 %p1, %r5, 0;",
        "mov.b32 %r6, 2;",
        "@!%p1 mov.b32 %r5, 3;",
        "st.shared.v2.b32 [%rd1], {%r5, %r6};",
    ];
    let expected = [
        "mov.b32 %r0, 1;",
        "setp.eq.b32 %p0, %r0, 0;",
        "mov.b32 %r1, 2;",
        "@!%p0 mov.b32 %r0, 3;",
        "st.shared.v2.b32 [%rd0], {%r0, %r1};",
    ];
    assert_eq!(lines(&later), expected);
}

#[test]
fn a_statement_never_writes_a_number_that_it_reads_unless_it_did() {
    let hole = [
        "mov.b32 %r5, 1;",
        "mov.b32 %r6, 2;",
        "HOLE combine %r7, %r8 <- %r5, %r6;",
        "HOLE lower %r3 <- %r7, %r8;",
        "add.s32 %r3, %r3, 1;",
        "st.shared.b32 [%rd1], %r3;",
    ];
    let expected = [
        "mov.b32 %r0, 1;",
        "mov.b32 %r1, 2;",
        "HOLE combine %r2, %r3 <- %r0, %r1;",
        "HOLE lower %r0 <- %r2, %r3;",
        "add.s32 %r0, %r0, 1;",
        "st.shared.b32 [%rd0], %r0;",
    ];
    assert_eq!(lines(&hole), expected);
}

#[test]
fn all_of_a_vector_and_both_of_a_pair_are_defined() {
    let vectors = [
        "ld.global.v4.b32 {%r5, %r6, _, %r7}, [%rd1];",
        "mov.b64 %rd5, {%r5, %r6};",
        "mov.b64 {_, %r8}, %rd5;",
        "shfl.sync.down.b32 %r4|%p3, %r8, 1, 31, -1;",
        "setp.eq.b32 %p4|%p5, %r4, %r7;",
        "@%p3 st.shared.b32 [%rd1], %r7;",
        "and.pred %p6, %p4, %p5;",
    ];
    let expected = [
        "ld.global.v4.b32 {%r0, %r1, _, %r2}, [%rd1];",
        "mov.b64 %rd0, {%r0, %r1};",
        "mov.b64 {_, %r0}, %rd0;",
        "shfl.sync.down.b32 %r1|%p0, %r0, 1, 31, -1;",
        "setp.eq.b32 %p1|%p2, %r1, %r2;",
        "@%p0 st.shared.b32 [%rd1], %r2;",
        "and.pred %p0, %p1, %p2;",
    ];
    assert_eq!(lines(&vectors), expected);
}

#[test]
fn the_names_of_a_scope_stay() {
    let scopes = [
        "mov.b32 %r5, %tid.x;",
        "{ .reg .pred %p; .reg .u64 %g; cvta.to.global.u64 %g, %rd7;",
        "setp.ne.u32 %p, %r5, 0; mov.u64 %rd6, 0;",
        "@%p atom.relaxed.gpu.global.add.u64 %rd6, [%g], 1; }",
        "mov.b64 %rd5, gpu_launch_sized_workgroup_mem;",
        "st.shared.b64 [%rd5], %rd6;",
        "{ .reg .b32 %mine<3>; mov.b32 %mine2, 1; mov.b32 %r6, %mine2; }",
        "{ .reg .b32 %our<3>; mov.b32 %our2, 1; }",
        "{ .reg .b32 %our<4>; mov.b32 %our2, 1; }",
    ];
    let expected = [
        "mov.b32 %r0, %tid.x;",
        "{ .reg .pred %p; .reg .u64 %g; cvta.to.global.u64 %g, %rd2;",
        "setp.ne.u32 %p, %r0, 0; mov.u64 %rd0, 0;",
        "@%p atom.relaxed.gpu.global.add.u64 %rd0, [%g], 1; }",
        "mov.b64 %rd1, gpu_launch_sized_workgroup_mem;",
        "st.shared.b64 [%rd1], %rd0;",
        "{ .reg .b32 %mine<1>; mov.b32 %mine0, 1; mov.b32 %r0, %mine0; }",
        "{ .reg .b32 %our<3>; mov.b32 %our2, 1; }",
        "{ .reg .b32 %our<4>; mov.b32 %our2, 1; }",
    ];
    assert_eq!(lines(&scopes), expected);
}

#[test]
fn a_register_that_is_stored_in_part_has_a_number_alone() {
    let stores = [
        "add.rn.f32 %r5, %r8, %r8;",
        "st.shared.b32 [%rd1], %r5;",
        "add.s32 %r6, %r7, 1;",
        "st.shared.b8 [%rd1], %r6;",
    ];
    let new = lines(&stores);
    assert_eq!(
        new[2..],
        ["add.s32 %r2, %r3, 1;", "st.shared.b8 [%rd0], %r2;"]
    );
    let text = renumbered(&entry(&stores)).unwrap();
    let rules = Rules {
        forbidden: &[Thing::Call],
        shared_array: "shared",
        barriers: None,
        waits_first: None,
    };
    let kernel = &Text::parse(&text).unwrap().functions[0];
    inspect(kernel, &rules).unwrap();
}

#[test]
fn the_same_registers_follow_from_the_direction() {
    let scan = [
        "{ .reg .b64 %direction; mov.b64 %direction, 0; mov.b64 %rd1, %direction; }",
        "xor.b64 %rd2, %rd1, 512;",
        "sub.s64 %rd3, %rd2, %rd1;",
        "add.s64 %rd4, %rd8, %rd3;",
        "st.shared.b64 [%rd4], %rd8;",
        "mov.b64 %rd5, %tid.x;",
        "and.b64 %rd6, %rd5, %rd1;",
        "st.shared.b64 [%rd5], %rd6;",
    ];
    let new = lines(&scan);
    assert_eq!(
        new[3..],
        [
            "add.s64 %rd0, %rd4, %rd3;",
            "st.shared.b64 [%rd0], %rd4;",
            "mov.b64 %rd0, %tid.x;",
            "and.b64 %rd5, %rd0, %rd1;",
            "st.shared.b64 [%rd0], %rd5;",
        ]
        .map(|line| line.to_owned())
    );
    let text = renumbered(&entry(&scan)).unwrap();
    for (made, offset) in [
        (forward(text.clone()), "512"),
        (backward(&text).unwrap(), "-512"),
    ] {
        assert!(made.contains(&format!("%rd4, {offset};")), "{made}");
    }
}

#[test]
fn a_holes_body_has_new_numbers_and_a_text_without_registers_stays() {
    let body = "\t{\n\t.reg .b32 %br<3>;\n\tadd.s32 %br0, %in0, %in1;\n\tshl.b32 %br1, %br0, 1;\n\
        \txor.b32 %br2, %br1, %in0;\n\tmov.b32 %out0, %br2;\n\t}";
    let expected = "\t{\n\t.reg .b32 %br<2>;\n\tadd.s32 %br0, %in0, %in1;\n\tshl.b32 %br1, %br0, 1;\n\
        \txor.b32 %br0, %br1, %in0;\n\tmov.b32 %out0, %br0;\n\t}";
    assert_eq!(renumbered(body).unwrap(), expected);
    for text in ["\tadd.s32 %out0, %in0, %in1;", ".version 7.8\n", expected] {
        assert_eq!(renumbered(text).unwrap(), text);
    }
}

#[test]
fn a_text_that_breaks_off_is_refused() {
    let text = entry(&["mov.b32 %r1, 2;"]);
    for text in [
        text.trim_end().trim_end_matches('}'),
        "{\n\tmov.b32 %r1, 2\n}\n",
    ] {
        assert_eq!(renumbered(text), Err(Malformed::BreaksOff));
    }
}
