//! Unsuitable operators are refused. Each refusal has the reason, and the name of the function or kernel that is at fault.

mod common;

use std::fs;
use std::process::ExitCode;

use common::skip::{device_tests, run};
use warpfold_build::{Error, Reason};

fn main() -> ExitCode {
    run(device_tests![
        each_operator_is_refused_for_its_reason,
        the_compilers_own_messages_name_the_users_file,
        a_mistake_is_reported_with_its_line_and_advice,
        each_mistake_in_a_row_or_a_type_gets_advice,
        mistakes_in_several_rows_are_reported_at_once,
    ])
}

fn each_operator_is_refused_for_its_reason() {
    let Err(Error::Refused(refusals)) = common::build("refused").compile() else {
        panic!("not refused");
    };
    let reason = |function: &str, operator: &str| {
        let mut found = refusals
            .iter()
            .filter(|refusal| refusal.function == function && refusal.operator == operator);
        let refusal = found
            .next()
            .unwrap_or_else(|| panic!("{function} of {operator} is not refused: {refusals:?}"));
        &refusal.reason
    };
    let panics = |function, operator, when: &str| match reason(function, operator) {
        Reason::Panics(found) => assert!(found.contains(when), "{operator}: {found}"),
        found => panic!("{operator}: {found:?}"),
    };
    panics("combine", "indexes", "index");
    panics("combine", "divides", "zero");
    panics("combine", "unwraps", "nothing");
    panics("combine", "panics", "some case");
    panics("lift", "lifts", "zero");
    match reason("combine", "calls") {
        Reason::Calls(callee) => assert!(callee.ends_with("::helper"), "{callee}"),
        found => panic!("{found:?}"),
    }
    assert_eq!(reason("combine", "local"), &Reason::LocalMemory);
    match reason("combine", "looks") {
        Reason::Static(name) => assert!(name.ends_with("::TABLE"), "{name}"),
        found => panic!("{found:?}"),
    }
    assert_eq!(reason("combine", "hangs"), &Reason::Endless);
    match reason("combine", "writes") {
        Reason::Effect(instruction) => assert!(instruction.contains("st.volatile")),
        found => panic!("{found:?}"),
    }
    match reason("combine", "loops") {
        Reason::Static(name) => assert!(name.starts_with("anon"), "{name}"),
        found => panic!("{found:?}"),
    }
    assert_eq!(reason("reduce", "unaligned"), &Reason::LocalMemory);
    // The message names the line of the operator's row, and says what to write instead.
    let calls = refusals.iter().find(|refusal| refusal.operator == "local");
    let message = calls.map(ToString::to_string).unwrap_or_default();
    assert!(
        message.contains("`local`, whose row is in line 158:"),
        "{message}"
    );
    // The row already has `reduction only`, so the message does not advise it.
    assert!(!message.contains("`reduction only`"), "{message}");
    assert!(
        message.contains("`let [a, b, c, d] = item.field"),
        "{message}"
    );
    let operators = refusals.iter().map(|refusal| &refusal.operator);
    assert_eq!(operators.count(), 12, "{refusals:?}");
}

/// A mistake in an otherwise right file: the replaced text, its replacement, the line, and a part of the message's first line.
const MISTAKES: [(&str, &str, usize, &str); 7] = [
    (
        "use warpfold",
        "use crate::helper;\nuse warpfold",
        3,
        "move what it needs into it",
    ),
    (
        "use warpfold",
        "mod helper;\nuse warpfold",
        3,
        "has no modules in other files",
    ),
    (
        "same: Mine, u32;",
        "same: Mine;",
        28,
        "`name: Operator, Item;`",
    ),
    (
        "same: Mine, u32;",
        "same: Mine, u32, reduce only;",
        27,
        "`, reduction only`",
    ),
    (
        "same: Mine, u32;",
        "same: Mine, u32",
        28,
        "`name: Operator, Item;`",
    ),
    (
        "type Accumulator = u32",
        "type Accumulator = (u32, bool)",
        9,
        "a struct for a tuple",
    ),
    (
        "left.max(right)",
        "{ let mut both = [left, right]; both.sort_by(u32::cmp); both[1] }",
        15,
        "there is no sorting on the GPU",
    ),
];

fn each_mistake_in_a_row_or_a_type_gets_advice() {
    let mut build = common::build("twice");
    let source = fs::read_to_string(&build.source).expect("the operators");
    let right = source.replacen("    same: Mine, u32;\n", "", 1);
    build.source = build.output.join("mistaken.rs");
    for (before, after, line, advice) in MISTAKES {
        assert!(right.contains(before), "{before}");
        fs::write(&build.source, right.replacen(before, after, 1)).expect("a mistake");
        let error = build.compile().expect_err(after);
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        assert!(first.contains(advice), "{after}: {message}");
        let place = format!("mistaken.rs:{line}:");
        assert!(message.contains(&place), "{after}: {message}");
    }
}

/// Each row is compiled separately, but the errors of one row do not hide the errors of another row.
fn mistakes_in_several_rows_are_reported_at_once() {
    let mut build = common::build("twice");
    let source = fs::read_to_string(&build.source).expect("the operators");
    let source = source.replace("impl Commutative for Mine {}", "type Other = Mine;");
    build.source = build.output.join("mistaken_rows.rs");
    let source = source.replacen("same: Mine", "other: Other", 1);
    fs::write(&build.source, source).expect("two mistakes");
    let error = build.compile().expect_err("two rows that do not commute");
    let message = error.to_string();
    for line in [28, 29] {
        let place = format!("mistaken_rows.rs:{line}:");
        assert!(message.contains(&place), "{message}");
    }
}

fn the_compilers_own_messages_name_the_users_file() {
    let messages = |file: &str| match common::build(file).compile() {
        Err(Error::Compiler { messages, .. }) => messages,
        other => panic!("{other:?}"),
    };
    let mistyped = messages("mistyped");
    assert!(
        mistyped.contains("tests/operators/mistyped.rs:4:5"),
        "{mistyped}"
    );
    let wide = messages("wide");
    assert!(
        wide.contains("an accumulator must have 1 to 16 words of 4 bytes"),
        "{wide}"
    );
}

/// A message begins with the advice. The compiler's message comes after the advice, and names the mistake's line.
fn a_mistake_is_reported_with_its_line_and_advice() {
    for (file, line, advice) in [
        (
            "mathematics",
            15,
            "`warpfold::elementary` has `exp`, `ln` and `sqrt`",
        ),
        ("allocates", 15, "Use arrays of a fixed length"),
        ("ordered", 26, "write `scans only` after the row"),
        (
            "odd_size",
            31,
            "an item has 1 or 2 bytes, or a multiple of 4 up to 64",
        ),
    ] {
        let error = common::build(file).compile().expect_err(file);
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        assert!(first.contains(advice), "{file}: {message}");
        let place = format!("tests/operators/{file}.rs:{line}:");
        assert!(message.contains(&place), "{file}: {message}");
        // The messages have no warnings about the library's own code.
        assert!(!message.contains("warning"), "{file}: {message}");
    }
    let error = common::build("twice")
        .compile()
        .expect_err("two rows of one name");
    let message = error.to_string();
    assert!(
        message.contains("`same`") && message.contains("lines 28 and 29"),
        "{message}"
    );
    let mut build = common::build("twice");
    let source = fs::read_to_string(&build.source).expect("the operators");
    build.source = build.output.join("two_names.rs");
    fs::write(&build.source, source.replacen("same: ", "other: ", 1)).expect("two names");
    let message = build.compile().expect_err("two rows alike").to_string();
    let rows = "the rows `other` and `same`, in lines 28 and 29,";
    assert!(message.starts_with(rows), "{message}");
}
