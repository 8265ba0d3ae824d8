//! If the committed device code matches the source, a build uses the committed code and compiles nothing.

mod common;

use std::fs;
use std::process::ExitCode;

use common::skip::{device_tests, run};
use warpfold_build::{Build, Error};

fn main() -> ExitCode {
    run(device_tests![committed_device_code_needs_no_compiler,])
}

fn committed_device_code_needs_no_compiler() {
    let mut build = common::build("small");
    let own = build.output.join("operators.rs");
    fs::copy(&build.source, &own).expect("a copy of the operators");
    build.source = own.clone();
    build.updates = true;
    build.run().expect("device code");
    let included = |name: &str| fs::read(build.output.join(name)).expect("what is included");
    let (table, bytes) = (
        included("warpfold_operators.rs"),
        included("warpfold_operators.bin"),
    );
    let text = String::from_utf8(table.clone()).expect("a table");
    // The table has a text for compute capability 9.0 only: the library makes texts for older devices from it.
    let entries = text.matches("symbol: \"reduce_union\"").count();
    assert_eq!(entries, 1, "{text}");
    assert!(text.contains("capability: (9, 0)"), "{text}");
    assert!(text.contains(&format!("..{},", bytes.len())), "{text}");

    // This target folder is a file, so cargo cannot compile into it. A build that succeeds has compiled nothing.
    let without_compiler = Build {
        target: own.clone(),
        updates: false,
        ..build.clone()
    };
    fs::remove_file(build.output.join("warpfold_operators.rs")).expect("removing the table");
    without_compiler.run().expect("the committed device code");
    assert_eq!(included("warpfold_operators.rs"), table);
    assert_eq!(included("warpfold_operators.bin"), bytes);

    let source = fs::read_to_string(&own).expect("the operators");
    fs::write(&own, format!("{source}// A comment.\n")).expect("a comment");
    without_compiler.run().expect("a comment changes no token");
    fs::write(&own, source + "pub struct Changed;\n").expect("a change");
    assert!(matches!(
        without_compiler.run(),
        Err(Error::Compiler { .. })
    ));
}
