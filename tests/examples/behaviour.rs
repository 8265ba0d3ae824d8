//! Examples as programs: help, unknown arguments, outputs that cannot be written, and files of any name and any
//! content.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use crate::programs::*;
use crate::{sum_of, value};

/// All examples with a command line, except `many_gpus`. Each has arguments that keep its run short.
const EXAMPLES: [(&str, &[&str]); 7] = [
    ("sum", &[]),
    ("statistics", &[]),
    ("prefix_sum", &["3", "4"]),
    ("compact", &[]),
    ("word_count", &[]),
    ("sparse", &[]),
    ("axes", &[]),
];

#[test]
fn the_help_of_every_example_says_what_it_does() {
    for (example, _) in EXAMPLES {
        assert_helps(example);
    }
}

#[test]
fn unknown_arguments_are_refused() {
    for (example, arguments) in [
        ("sum", &["--bogus"][..]),
        ("sum", &["one", "two"]),
        ("prefix_sum", &["--bogus"]),
        ("compact", &["--bogus"]),
        ("compact", &["file"]),
        ("word_count", &["one", "two"]),
        ("sparse", &["file"]),
        ("axes", &["file"]),
    ] {
        assert_refuses(example, arguments);
    }
}

#[test]
fn an_example_with_a_closed_output_ends_silently() {
    for (example, arguments) in EXAMPLES {
        assert_ends_unread(example, arguments);
    }
}

#[test]
fn an_example_with_a_full_output_fails() {
    for (example, arguments) in EXAMPLES {
        assert_fails_unwritten(example, arguments);
    }
}

#[test]
fn a_closed_standard_error_keeps_the_exit_code() {
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
fn an_argument_that_is_neither_utf_8_nor_a_file_is_refused() {
    for example in ["prefix_sum", "compact"] {
        let output = run(example, &[OsStr::from_bytes(b"5\xff")]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_one_page(&complaint(&output));
    }
}

#[test]
fn an_unreadable_file_is_named() {
    for (path, why) in [("no/such/file.txt", "No such file"), ("/dev", "directory")] {
        let output = run("sum", &[path]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let complaint = complaint(&output);
        let quoted = format!("cannot read `{path}`: ");
        assert!(complaint.contains(&quoted), "{complaint}");
        assert!(complaint.contains(why), "{complaint}");
    }
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
fn a_complaint_shows_unprintable_text_as_escapes() {
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
fn complaints_about_arguments_are_short_and_escaped() {
    for (example, _) in EXAMPLES {
        assert_complains_plainly(example);
    }
}
