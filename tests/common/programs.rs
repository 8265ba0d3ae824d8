//! Runs examples as programs, and checks their help, their complaints and their exit codes.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs an example.
pub fn run(example: &str, arguments: &[impl AsRef<OsStr>]) -> Output {
    command(example).args(arguments).output().unwrap()
}

/// A command that runs an example.
pub fn command(example: &str) -> Command {
    Command::new(executable(example))
}

/// The path of the example's executable. `cargo xtask bundle` puts it beside this test. `cargo test` builds it in the folder `examples`.
fn executable(example: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    let bundled = folder.join(format!("example-{example}"));
    if bundled.exists() {
        return bundled;
    }
    let built = folder.with_file_name("examples").join(example);
    assert!(
        built.exists(),
        "{} is not there: `cargo test` builds it, `cargo test --test` alone does not",
        built.display()
    );
    built
}

/// A folder for files of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("warpfold-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Asserts that `--help` and `-h` print how to use the example.
pub fn assert_helps(example: &str) {
    let program = executable(example);
    let usage = format!("Usage: {}", program.file_name().unwrap().display());
    for flag in ["--help", "-h"] {
        let output = run(example, &[flag]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(complaint(&output), "");
        let help = printed(&output);
        assert!(help.contains(&usage), "{help}");
        assert!(help.contains("GPU") || help.contains("device"), "{help}");
    }
}

/// Asserts that the example refuses these arguments, and that its complaint names the last of them.
pub fn assert_refuses(example: &str, arguments: &[&str]) {
    let output = run(example, arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(printed(&output), "");
    let complaint = complaint(&output);
    let unexpected = arguments[arguments.len() - 1];
    assert!(complaint.contains(unexpected), "{complaint}");
    assert!(complaint.contains("Usage: "), "{complaint}");
}

/// Asserts that the example ends silently if nobody reads its output. With `arguments`, the example must run only for a short time.
pub fn assert_ends_unread(example: &str, arguments: &[&str]) {
    for arguments in [arguments, &["--help"]] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = command(example);
        let output = command.args(arguments).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(complaint(&output), "");
    }
}

/// Asserts that the example fails if its output cannot be written. With `arguments`, the example must run only for a short time.
pub fn assert_fails_unwritten(example: &str, arguments: &[&str]) {
    for arguments in [arguments, &["--help"]] {
        let full = File::create("/dev/full").unwrap();
        let output = command(example).args(arguments).stdout(full).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let complaint = complaint(&output);
        assert!(
            complaint.contains("cannot write the output: "),
            "{complaint}"
        );
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
}

/// Asserts that a complaint is short, and has no control characters except line feeds.
#[track_caller]
pub fn assert_one_page(complaint: &str) {
    let bytes = complaint.len();
    assert!(bytes < 1000, "{bytes} bytes, beginning {:.2000}", complaint);
    let is_plain = |c: char| c == '\n' || !c.is_control();
    assert!(complaint.chars().all(is_plain), "{complaint:?}");
}

/// Asserts that complaints about an argument pass [`assert_one_page`].
pub fn assert_complains_plainly(example: &str) {
    let long = "x".repeat(100_000);
    for argument in [&long, "--\x1b[31mred\x07"] {
        let output = run(example, &["5", argument]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_one_page(&complaint(&output));
    }
}
