//! Executables that cargo builds, from the messages that it prints.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// One executable.
pub struct Executable {
    /// The target's name. A test's name has the prefix `test-`, an example's name the prefix `example-`.
    pub name: String,
    /// The package's name.
    pub package: String,
    /// Its path.
    pub path: PathBuf,
}

/// Runs a cargo command that builds in release. Returns the executables.
pub fn build(root: &Path, arguments: &[&str]) -> Result<Vec<Executable>> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).arg("--release").current_dir(root);
    among(&messages(&mut cargo)?)
}

/// Runs a cargo command that builds. Returns cargo's messages.
pub fn messages(cargo: &mut Command) -> Result<Vec<serde_json::Value>> {
    let output = cargo
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .context("running cargo")?;
    ensure!(output.status.success(), "cargo: {}", output.status);
    let lines = String::from_utf8(output.stdout)?;
    lines
        .lines()
        .map(|line| serde_json::from_str(line).context("reading cargo's messages"))
        .collect()
}

/// The executables in cargo's messages.
pub fn among(messages: &[serde_json::Value]) -> Result<Vec<Executable>> {
    let executables = messages
        .iter()
        .filter_map(|message| executable(message).transpose());
    executables.collect()
}

/// The executable in one of cargo's messages.
fn executable(message: &serde_json::Value) -> Result<Option<Executable>> {
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
    let id = message["package_id"]
        .as_str()
        .context("a package has an id")?;
    Ok(Some(Executable {
        name,
        package: package_name(id).to_owned(),
        path: PathBuf::from(path),
    }))
}

/// The name in a package's id: `path+file:///folder#name@version`, or `path+file:///name#version`.
fn package_name(id: &str) -> &str {
    let (place, end) = id.split_once('#').unwrap_or((id, ""));
    match end.split_once('@') {
        Some((name, _)) => name,
        None => place.rsplit('/').next().unwrap_or(place),
    }
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn a_package_is_named_in_its_id() {
        let name = "path+file:///checkout/tests/own#own-operators@0.1.0";
        assert_eq!(package_name(name), "own-operators");
        assert_eq!(
            package_name("path+file:///checkout/virtual-gpu#0.1.0"),
            "virtual-gpu"
        );
    }
}
