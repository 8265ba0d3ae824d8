//! Gathering the executables, for a machine that has a GPU and no cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::Outcome;

/// The folder, ignored by git, that the executables are gathered in.
const FOLDER: &str = "bundle";

/// Builds tests, examples and the benchmark in release, strips them, and copies them to [`FOLDER`].
pub fn gather(root: &Path) -> Result<Outcome> {
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut bytes = 0;
    for (name, executable) in build(root)? {
        let to = folder.join(&name);
        fs::copy(&executable, &to)?;
        let stripped = Command::new("strip").arg(&to).status();
        if !stripped.is_ok_and(|status| status.success()) {
            eprintln!("{name}: not stripped");
        }
        bytes += fs::metadata(&to)?.len();
        println!("{FOLDER}/{name}");
    }
    println!("{} MiB", bytes >> 20);
    Ok(Outcome::Done)
}

/// The cargo commands whose executables are gathered.
const BUILDS: [&[&str]; 2] = [
    &[
        "test",
        "--workspace",
        "--exclude=xtask",
        "--exclude=warpfold-bench",
        "--no-run",
    ],
    &["build", "--package=warpfold-bench"],
];

/// Builds, and gives the name and path of each executable as cargo reports them.
fn build(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut executables = Vec::new();
    for arguments in BUILDS {
        let output = Command::new("cargo")
            .args(arguments)
            .args(["--release", "--message-format=json"])
            .current_dir(root)
            .stderr(Stdio::inherit())
            .output()
            .context("running cargo")?;
        ensure!(output.status.success(), "cargo: {}", output.status);
        for line in String::from_utf8(output.stdout)?.lines() {
            executables.extend(executable(&serde_json::from_str(line)?)?);
        }
    }
    Ok(executables)
}

/// The executable that one of cargo's messages tells of.
fn executable(message: &serde_json::Value) -> Result<Option<(String, PathBuf)>> {
    let Some(path) = message["executable"].as_str() else {
        return Ok(None);
    };
    let target = &message["target"];
    let name = target["name"].as_str().context("a target has a name")?;
    let kind = target["kind"][0].as_str().context("a target has a kind")?;
    let is_test = message["profile"]["test"].as_bool() == Some(true);
    let name = match (kind, is_test) {
        ("example", false) => format!("example-{name}"),
        (_, true) => format!("test-{name}"),
        (_, false) => name.to_owned(),
    };
    Ok(Some((name, PathBuf::from(path))))
}
