//! Tests in separate processes. Some decisions are made once per process, such as the choice of the device.

use std::env;
use std::process::Command;

/// The environment variable that holds the name of the child's test.
const VARIABLE: &str = "WARPFOLD_TEST_CHILD";

/// Whether this process is a child.
#[allow(dead_code, reason = "used by some tests")]
pub fn is_child() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// Runs `body` in a child process with these environment variables. The child is this test binary, with only the test named `test`. In the
/// child, this function runs the body. In the parent, it panics with the child's output unless the test passes.
pub fn in_child(test: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    printed_in_child(test, variables, body);
}

/// Like [`in_child`]. Returns what the child printed to its standard output, or `None` in the child.
pub fn printed_in_child(
    test: &str,
    variables: &[(&str, &str)],
    body: impl FnOnce(),
) -> Option<String> {
    if env::var_os(VARIABLE).is_some_and(|name| name == test) {
        body();
        return None;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args([
            test,
            "--exact",
            "--include-ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(VARIABLE, test)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{complaints}");
    assert!(printed.contains("1 passed"), "{printed}\n{complaints}");
    Some(printed)
}
