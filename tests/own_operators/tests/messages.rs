//! What the compiler says of a request whose operator lacks the kernel: the user's line, and what to write.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The compiler's messages about a `main` of this body. It sees this package's library as this test does.
fn messages(name: &str, body: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("messages")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join("main.rs");
    let text = format!(
        "#![allow(unused_imports)]\n\
         use own_operators::{{operators::*, warpfold::{{Gpu, reduce, scan}}}};\n\
         fn main() {{\n    let gpu = Gpu::new().unwrap();\n    {body}\n}}\n"
    );
    fs::write(&source, text).unwrap();
    let libraries = env::current_exe().unwrap();
    let libraries = libraries.parent().unwrap();
    let output = Command::new("rustc")
        .args(["--edition=2024", "--emit=metadata", "--color=never"])
        .arg(format!(
            "--extern=own_operators={}",
            newest(libraries).display()
        ))
        .arg(format!("-Ldependency={}", libraries.display()))
        .arg(&source)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(!output.status.success(), "{body} compiles");
    String::from_utf8(output.stderr).unwrap()
}

/// This package's library, which was built just before its tests.
fn newest(libraries: &Path) -> PathBuf {
    let files = fs::read_dir(libraries).unwrap().flatten();
    let files = files.filter(|file| {
        let name = file.file_name().into_string().unwrap_or_default();
        name.starts_with("libown_operators-") && name.ends_with(".rlib")
    });
    let built =
        |file: &fs::DirEntry| -> SystemTime { file.metadata().unwrap().modified().unwrap() };
    files.max_by_key(built).unwrap().path()
}

#[test]
fn a_reduction_by_an_operator_that_does_not_commute_is_told_of_in_order() {
    let call = "reduce::<Composition, _>(&[Affine::default()]).wait(&gpu)";
    let messages = messages("in_order", &format!("let _ = {call};"));
    let first = messages.lines().next().unwrap();
    assert!(first.contains("there is no `"), "{messages}");
    assert!(
        first.contains("reduce` kernel for the operator"),
        "{messages}"
    );
    assert!(first.contains("Composition"), "{messages}");
    assert!(messages.contains("main.rs:5:"), "{messages}");
    assert!(
        messages.contains("`reduce::<…>(&items).in_order()`"),
        "{messages}"
    );
    assert!(!messages.contains(".to(&mut results)"), "{messages}");
}

#[test]
fn a_scan_by_an_operator_that_only_reduces_is_told_of_its_row() {
    let messages = messages("scan", "let _ = scan::<CountEven, _>(&[1u32]).wait(&gpu);");
    let first = messages.lines().next().unwrap();
    assert!(first.contains("`inclusive_scan` kernel"), "{messages}");
    assert!(messages.contains("main.rs:5:"), "{messages}");
    assert!(messages.contains("`reduction only`"), "{messages}");
}
