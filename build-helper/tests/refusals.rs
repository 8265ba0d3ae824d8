//! Operators that cannot run in a kernel are refused, each with its function and the reason.

mod common;

use std::process::ExitCode;

use common::skip::{device_tests, run};
use warpfold_build::{Error, Reason};

fn main() -> ExitCode {
    run(device_tests![
        each_operator_is_refused_for_its_reason,
        the_compilers_own_messages_name_the_users_file,
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
            .unwrap_or_else(|| panic!("{operator} is not refused"));
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
    let operators = refusals.iter().map(|refusal| &refusal.operator);
    assert_eq!(operators.count(), 10, "{refusals:?}");
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
