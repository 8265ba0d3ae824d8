//! The example, run as a user runs it: its output and files. The example never panics: not for any argument, not if a file cannot be
//! written, and not if its output is closed.

#[path = "../../tests/common/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use programs::*;
use warpfold_ladder::{Document, Rung};

const EXAMPLE: &str = "ladder";

#[test]
fn the_example_writes_its_tables_and_its_chart() {
    let folder = folder("ladder");
    let output = run(EXAMPLE, &["4", "2", "--output", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let table = fs::read_to_string(folder.join("ladder.csv")).unwrap();
    let chart = fs::read_to_string(folder.join("ladder.svg")).unwrap();
    fs::remove_dir_all(folder).unwrap();
    let printed = printed(&output);
    for rung in Rung::ALL {
        if [Document::Second, Document::Fourth, Document::Library].contains(&rung.document()) {
            let title = rung.title();
            assert!(
                printed.contains(&format!("\n{title} ")),
                "{title}: {printed}"
            );
            assert!(table.contains(title), "{title}: {table}");
            assert!(chart.contains(title), "{title}: {chart}");
        }
    }
}

#[test]
fn unknown_arguments_are_refused() {
    for arguments in [&["6"][..], &["four"], &["--output"], &["1", "sweeps"]] {
        let output = run(EXAMPLE, arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[test]
fn the_error_names_a_folder_that_cannot_be_created() {
    let output = run(EXAMPLE, &["4", "--output", "/dev/null/charts"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let complaint = complaint(&output);
    assert!(complaint.contains("`/dev/null/charts`"), "{complaint}");
}

#[test]
fn a_folder_for_charts_need_not_be_utf_8() {
    let folder = folder("charts").join(OsStr::from_bytes(b"of \xff"));
    let arguments = [OsStr::new("4"), OsStr::new("--output"), folder.as_os_str()];
    let output = run(EXAMPLE, &arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let written = ["ladder.csv", "ladder.svg"].map(|name| folder.join(name).exists());
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    assert_eq!(written, [true, true]);
}

#[test]
fn the_example_behaves_like_all_examples() {
    assert_helps(EXAMPLE);
    assert_refuses(EXAMPLE, &["--bogus"]);
    assert_ends_unread(EXAMPLE, &["4"]);
    assert_fails_unwritten(EXAMPLE, &["4"]);
    assert_complains_plainly(EXAMPLE);
    let output = run(EXAMPLE, &[OsStr::from_bytes(b"5\xff")]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_one_page(&complaint(&output));
}
