//! Gathers the executables of tests, examples and the benchmark, for a machine that has a GPU but no cargo.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::Outcome;
use crate::executables::{self, Executable};

/// The folder for the executables. Git ignores it.
const FOLDER: &str = "bundle";

/// The script `run.sh`, which runs the tests of [`FOLDER`].
const SCRIPT: &str = include_str!("bundle.sh");

/// Builds tests, examples and the benchmark with `--release`, copies the executables to [`FOLDER`], and strips the copies. If several
/// executables have the same name, the name of the package is appended to the name of each copy. Writes [`SCRIPT`] too.
pub fn gather(root: &Path) -> Result<Outcome> {
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut bytes = 0;
    let mut executables = Vec::new();
    for arguments in BUILDS {
        executables.extend(executables::build(root, arguments)?);
    }
    let count_of = |name: &str| {
        executables
            .iter()
            .filter(|other| other.name == name)
            .count()
    };
    for Executable {
        name,
        package,
        path,
    } in &executables
    {
        let name = match count_of(name) {
            1 => name.clone(),
            _ => format!("{name}-{package}"),
        };
        let to = folder.join(&name);
        fs::copy(path, &to)?;
        let stripped = Command::new("strip").arg(&to).status();
        if !stripped.is_ok_and(|status| status.success()) {
            eprintln!("{name}: not stripped");
        }
        bytes += fs::metadata(&to)?.len();
        println!("{FOLDER}/{name}");
    }
    write_script(&folder)?;
    println!("{} MiB, and {FOLDER}/run.sh", bytes >> 20);
    Ok(Outcome::Done)
}

fn write_script(folder: &Path) -> Result<()> {
    let path = folder.join("run.sh");
    fs::write(&path, SCRIPT)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The cargo commands whose executables are gathered.
const BUILDS: [&[&str]; 4] = [
    &[
        "test",
        "--workspace",
        "--exclude=xtask",
        "--exclude=warpfold-bench",
        "--exclude=with-cudarc-tests",
        "--no-run",
        "--lib",
        // Including the tests that `cargo test` skips.
        "--test=*",
    ],
    // These tests need a build of warpfold that opens the driver at run time. They are built separately, since the other packages turn on
    // the virtual GPU.
    &[
        "test",
        "--package=with-cudarc-tests",
        "--no-run",
        "--test=*",
    ],
    // Tests run these examples.
    &[
        "build",
        "--package=warpfold",
        "--package=warpfold-ladder",
        "--examples",
    ],
    &["build", "--package=warpfold-bench", "--bin=warpfold-bench"],
];

#[cfg(all(test, unix))]
mod tests {
    use super::write_script;
    use anyhow::Result;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// A folder with the script and tests. Each test is a script.
    fn folder(name: &str, tests: &[(&str, &str)]) -> Result<PathBuf> {
        let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        for (name, body) in tests {
            let path = folder.join(name);
            fs::write(&path, format!("#!/bin/sh\n{body}\n"))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        write_script(&folder)?;
        Ok(folder)
    }

    fn run(folder: &Path) -> Result<(bool, String)> {
        // Another test's new process may still have the file open for writing, and then the system does not execute the file. A shell only
        // reads it.
        let mut shell = Command::new("sh");
        let script = shell.arg(folder.join("run.sh")).args(["2", "5"]);
        let output = script.env_remove("OUT").output()?;
        Ok((output.status.success(), String::from_utf8(output.stdout)?))
    }

    #[test]
    fn the_script_runs_tests_that_need_the_whole_gpu_alone() -> Result<()> {
        // A script that may run beside others leaves a mark while it runs. A script that must run alone looks for such marks.
        let beside = "touch mark-$$; sleep 0.3; rm mark-$$";
        let alone = "sleep 0.1; ! ls mark-* 2>/dev/null";
        let tests = [
            ("test-bits", beside),
            ("test-errors", beside),
            ("test-large", alone),
            ("test-memory", alone),
            ("warpfold-bench", "exit 1"),
        ];
        let folder = folder("alone", &tests)?;
        let (succeeded, printed) = run(&folder)?;
        let mut lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[..2], ["0 test-memory", "0 test-large"]);
        lines.sort_unstable();
        let all = [
            "0 test-bits",
            "0 test-errors",
            "0 test-large",
            "0 test-memory",
        ];
        assert_eq!(lines, all);
        assert!(succeeded);
        fs::remove_dir_all(folder)?;
        Ok(())
    }

    #[test]
    fn the_script_reports_failures() -> Result<()> {
        let folder = folder(
            "failures",
            &[("test-bits", "echo right"), ("test-errors", "exit 3")],
        )?;
        let (succeeded, printed) = run(&folder)?;
        assert!(printed.contains("3 test-errors") && !succeeded, "{printed}");
        assert_eq!(
            fs::read_to_string(folder.join("out/test-bits.txt"))?,
            "right\n"
        );
        fs::remove_dir_all(folder)?;
        Ok(())
    }
}
