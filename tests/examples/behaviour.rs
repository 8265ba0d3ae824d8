//! Examples as programs: help, arguments that are not theirs, outputs that cannot be written, and files of any name
//! and any content.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output};

use crate::{command, complaint, folder, printed, run, sum_of, value};

/// The examples that take arguments, each with some that keep it short.
const EXAMPLES: [(&str, &[&str]); 7] = [
    ("sum", &[]),
    ("statistics", &[]),
    ("prefix_sum", &["3", "4"]),
    ("compact", &[]),
    ("word_count", &[]),
    ("sparse", &[]),
    ("ladder", &["4"]),
];

#[test]
fn every_example_says_what_it_does() {
    for (example, _) in EXAMPLES {
        for flag in ["--help", "-h"] {
            let output = run(example, &[flag]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            assert_eq!(complaint(&output), "");
            let help = printed(&output);
            let usage = format!("Usage: {example}");
            assert!(help.contains(&usage), "{help}");
            assert!(help.contains("GPU") || help.contains("device"), "{help}");
        }
    }
}

#[test]
fn arguments_that_are_not_an_examples_are_refused() {
    for (example, arguments) in [
        ("sum", &["--bogus"][..]),
        ("sum", &["one", "two"]),
        ("prefix_sum", &["--bogus"]),
        ("compact", &["--bogus"]),
        ("compact", &["file"]),
        ("word_count", &["one", "two"]),
        ("sparse", &["file"]),
        ("ladder", &["--bogus"]),
    ] {
        let output = run(example, arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(printed(&output), "");
        let complaint = complaint(&output);
        let unexpected = arguments[arguments.len() - 1];
        assert!(complaint.contains(unexpected), "{complaint}");
        assert!(complaint.contains("Usage: "), "{complaint}");
    }
}

/// Runs each example, and its help, with what `prepare` makes of its output.
fn each_with_output(prepare: impl Fn(&mut Command), check: impl Fn(Output)) {
    for (example, arguments) in EXAMPLES {
        for arguments in [arguments, &["--help"]] {
            let mut command = command(example);
            prepare(command.args(arguments));
            check(command.output().unwrap());
        }
    }
}

#[test]
fn an_example_that_nobody_reads_ends_without_a_word() {
    let closed = |command: &mut Command| {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        command.stdout(writer);
    };
    each_with_output(closed, |output| {
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(complaint(&output), "");
    });
}

#[test]
fn an_example_whose_output_has_no_room_fails() {
    let full = |command: &mut Command| {
        command.stdout(File::create("/dev/full").unwrap());
    };
    each_with_output(full, |output| {
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let complaint = complaint(&output);
        assert!(
            complaint.contains("cannot write the output: "),
            "{complaint}"
        );
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    });
}

#[test]
fn a_complaint_that_nobody_reads_leaves_the_exit_code() {
    let mut command = command("sum");
    command.arg("no/such/file.txt");
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    command.stderr(writer);
    assert_eq!(command.status().unwrap().code(), Some(2));
}

#[test]
fn a_files_name_need_not_be_utf_8() {
    let output = sum_of(OsStr::from_bytes(b"num\xffbers"), "1 2");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = printed(&output);
    assert_eq!(value(&printed, "sum"), "3");
    assert!(printed.contains("num\\xffbers.txt`"), "{printed}");

    let output = run("sum", &[OsStr::from_bytes(b"no\xff\x1b[31m.txt")]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let complaint = complaint(&output);
    assert!(
        complaint.contains("`no\\xff\\u{1b}[31m.txt`"),
        "{complaint}"
    );
}

#[test]
fn an_argument_that_is_not_utf_8_is_refused_where_it_is_not_a_file() {
    for example in ["prefix_sum", "compact", "ladder"] {
        let output = run(example, &[OsStr::from_bytes(b"5\xff")]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_one_page(&complaint(&output));
    }
}

#[test]
fn a_folder_for_charts_need_not_be_utf_8() {
    let folder = folder("charts").join(OsStr::from_bytes(b"of \xff"));
    let arguments = [OsStr::new("4"), OsStr::new("--output"), folder.as_os_str()];
    let output = run("ladder", &arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let written = ["ladder.csv", "ladder.svg"].map(|name| folder.join(name).exists());
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    assert_eq!(written, [true, true]);
}

#[test]
fn what_cannot_be_read_is_named() {
    for (path, why) in [("no/such/file.txt", "No such file"), ("/dev", "directory")] {
        let output = run("sum", &[path]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let complaint = complaint(&output);
        let quoted = format!("cannot read `{path}`: ");
        assert!(complaint.contains(&quoted), "{complaint}");
        assert!(complaint.contains(why), "{complaint}");
    }
}

/// Asserts that a complaint neither floods nor commands a terminal.
#[track_caller]
fn assert_one_page(complaint: &str) {
    let bytes = complaint.len();
    assert!(bytes < 1000, "{bytes} bytes, beginning {:.2000}", complaint);
    let is_plain = |c: char| c == '\n' || !c.is_control();
    assert!(complaint.chars().all(is_plain), "{complaint:?}");
}

#[test]
fn a_complaint_shows_the_beginning_of_a_long_word() {
    let output = sum_of("long", "1\n".to_owned() + &"7x".repeat(1_500_000));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let complaint = complaint(&output);
    assert_one_page(&complaint);
    let shown = format!("line 2: `{}…` is not a number", "7x".repeat(20));
    assert!(complaint.contains(&shown), "{complaint}");
}

#[test]
fn a_complaint_shows_what_is_not_text_as_escapes() {
    for (text, shown) in [
        (&b"\x1b[31mred\x07"[..], "`\\u{1b}[31mred\\u{7}`"),
        (b"7\xff\xfe8", "`7\\xff\\xfe8`"),
        (b"1\0", "`1\\0`"),
        ("\u{202e}1".as_bytes(), "`\\u{202e}1`"),
    ] {
        let output = sum_of("escapes", text);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let complaint = complaint(&output);
        assert_one_page(&complaint);
        assert!(complaint.contains(shown), "{complaint}");
    }
}

#[test]
fn a_complaint_about_an_argument_is_as_plain() {
    let long = "x".repeat(100_000);
    for argument in [&long, "--\x1b[31mred\x07"] {
        for (example, _) in EXAMPLES {
            let output = run(example, &["5", argument]);
            assert_eq!(output.status.code(), Some(2), "{output:?}");
            assert_one_page(&complaint(&output));
        }
    }
}

#[test]
fn a_file_with_more_numbers_than_the_device_has_room_for_is_refused() {
    let path = folder("examples").join("many.txt");
    fs::write(&path, "1 ".repeat(10_000)).unwrap();
    let mut command = command("sum");
    command.arg(&path);
    command.envs([("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_MEMORY", "64K")]);
    let output = command.output().unwrap();
    fs::remove_file(path).unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let complaint = complaint(&output);
    assert!(complaint.contains("more than 8192 numbers"), "{complaint}");
}
