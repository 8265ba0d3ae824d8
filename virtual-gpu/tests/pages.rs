//! The README agrees with the lists in the code and with the output of the example `hello`. Every example in the list of limits is refused.

#[path = "../examples/hello.rs"]
#[allow(dead_code, reason = "its `main` only prints")]
mod hello;
mod support;

use support::Device;
use virtual_gpu::{LIMITS, VARIABLES};

const README: &str = include_str!("../README.md");

/// The rows of the README's table with this heading.
fn rows(heading: &str) -> Vec<&'static str> {
    let (_, table) = README.split_once(heading).expect("a table of that heading");
    let rows = table.lines().skip(2);
    rows.take_while(|line| line.starts_with('|')).collect()
}

#[test]
fn the_readme_lists_every_limit_and_no_other() {
    let expected = LIMITS.map(|limit| format!("| {} | `{}` |", limit.what, limit.example));
    assert_eq!(rows("| not supported | for example |"), expected);
}

#[test]
fn the_readme_lists_every_variable_and_no_other() {
    let expected = VARIABLES.map(|v| {
        format!(
            "| `{}` | {} | {} | `{}` |",
            v.name, v.sets, v.values, v.default
        )
    });
    assert_eq!(rows("| variable | sets | value | without it |"), expected);
}

#[test]
fn the_readme_shows_the_first_examples_output() {
    let report = hello::report().unwrap();
    assert!(
        README.contains(&format!("```text\n{report}```")),
        "{report}"
    );
}

#[test]
fn every_limits_example_is_refused() {
    const REGISTERS: &str = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;";
    let device = Device::new();
    let start = ".version 8.6 .target sm_90";
    let module = |declarations: &str| match declarations.starts_with(".address_size") {
        true => format!("{start} {declarations}"),
        false => format!("{start} .address_size 64\n{declarations}"),
    };
    for limit in LIMITS {
        let text = match limit.example.starts_with('.') {
            true => module(limit.example),
            false => module(&format!(
                ".entry k() {{ {REGISTERS}\n{}\nret; }}",
                limit.example
            )),
        };
        let problems = device.problems(&text);
        assert_eq!(problems.len(), 1, "{}: {problems:?}", limit.what);
    }
}
