//! The examples as a user runs them: their input, output and exit codes. No argument, file or closed output makes an example panic.

#[path = "examples/behaviour.rs"]
mod behaviour;
#[path = "../examples/many_gpus/id_file.rs"]
mod id_file;
#[path = "examples/many_gpus.rs"]
mod many_gpus;
#[path = "../examples/sum/parse.rs"]
mod parse;
#[path = "common/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufReader, ErrorKind, Read};
use std::process::Output;

use parse::{Fault, LONGEST_WORD};
use programs::{command, complaint, folder, printed, run};

#[test]
fn the_first_program_of_the_guide_is_an_example_that_runs() {
    let example = include_str!("../examples/quick_start.rs");
    let (_header, program) = example.split_once("\n\n").unwrap();
    let page = include_str!("../docs/guide/first-steps.md");
    assert!(page.contains(&format!("```rust\n{program}```\n")));
    let output = command("quick_start").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Compares the output of `sum` in README and the guide with its real output, line by line, except for times. On a real device, which has
/// another name and other numbers, only the labels are compared.
#[test]
fn the_pages_show_what_the_first_command_prints() {
    let found = printed(&run("sum", &[] as &[&str]));
    let label = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let is_virtual = found.starts_with("device     Virtual GPU");
    for page in [
        include_str!("../README.md"),
        include_str!("../docs/guide/first-steps.md"),
    ] {
        let (_, shown) = page.split_once("```text\ndevice").expect("the output");
        let (shown, _) = shown.split_once("```").unwrap();
        let shown = format!("device{shown}");
        let mut lines = found.lines();
        for line in shown.lines().filter(|&line| line != "…") {
            let found = lines.find(|found| label(found) == label(line));
            let found = found.unwrap_or_else(|| panic!("`sum` does not print: {line}"));
            assert!(
                !is_virtual || label(line) == "time" || found == line,
                "{found}\n{line}"
            );
        }
    }
}

/// All numbers of a text.
fn numbers(text: impl AsRef<[u8]>) -> Result<Vec<f64>, Fault> {
    parse::numbers(text.as_ref(), usize::MAX)
}

#[test]
fn numbers_are_separated_by_space_commas_and_semicolons() {
    let text = "1 2\t3\n4,5;6\r\n\n  -7.5e-1,, ;+8\u{a0}\n\x0b inf\u{2003}9";
    let expected = [1., 2., 3., 4., 5., 6., -0.75, 8., f64::INFINITY, 9.];
    assert_eq!(numbers(text).unwrap(), expected);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(numbers("\u{feff}1\n2").unwrap(), [1., 2.]);
    assert_eq!(numbers("\u{feff}").unwrap(), []);
}

#[test]
fn a_text_that_cannot_be_read_gives_no_numbers() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::TimedOut.into())
        }
    }
    let text = BufReader::new(b"1 2".chain(Broken));
    match parse::numbers(text, usize::MAX) {
        Err(Fault::Unreadable(error)) => assert_eq!(error.kind(), ErrorKind::TimedOut),
        other => panic!("{other:?}"),
    }
}

/// The line and the word for which a text is refused.
#[track_caller]
fn malformed(text: &[u8]) -> (usize, Vec<u8>) {
    match numbers(text) {
        Err(Fault::Malformed { line, word }) => (line, word),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_malformed_word_is_named_with_its_line() {
    for (text, line, word) in [
        ("x", 1, "x"),
        ("1\n2 3\n4 five 6\n7", 3, "five"),
        ("1\n\n2..5", 3, "2..5"),
        ("1|2", 1, "1|2"),
        ("0x10", 1, "0x10"),
        ("1\n\u{feff}2", 2, "\u{feff}2"),
    ] {
        assert_eq!(malformed(text.as_bytes()), (line, word.into()), "{text:?}");
    }
    assert_eq!(malformed(b"1\n2,\xff3"), (2, b"\xff3".into()));
}

#[test]
fn a_word_is_read_up_to_the_longest_length() {
    let longest = [vec![b'0'; LONGEST_WORD - 1], b"7".into()].concat();
    assert_eq!(numbers(&longest).unwrap(), [7.]);
    let (line, word) = malformed(&vec![b'0'; 10 * LONGEST_WORD]);
    assert_eq!((line, word.len()), (1, LONGEST_WORD + 1));
}

#[test]
fn every_number_has_its_line() {
    let (numbers, lines) = parse::numbers_and_lines(&b"5 6\n\n7\n,8"[..], 9).unwrap();
    assert_eq!((numbers, lines), (vec![5., 6., 7., 8.], vec![1, 1, 3, 4]));
}

#[test]
fn at_most_the_wanted_numbers_are_read() {
    assert_eq!(parse::numbers(&b"1 2 3"[..], 3).unwrap(), [1., 2., 3.]);
    for text in ["1 2 3", "1 2 3 ", "1 2 3 4 five"] {
        let numbers = parse::numbers(text.as_bytes(), 2);
        assert!(matches!(numbers, Err(Fault::TooMany)), "{numbers:?}");
    }
}

#[test]
fn sum_of_a_file() {
    let output = sum_of("few", "1 2\n3.5\n-10, 4");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = printed(&output);
    assert_eq!(value(&printed, "numbers").split(' ').next(), Some("5"));
    assert_eq!(value(&printed, "sum"), "0.5");
    assert_eq!(value(&printed, "minimum"), "-10");
    assert_eq!(value(&printed, "maximum"), "4");
    assert_eq!(value(&printed, "mean"), "0.1");
    assert_eq!(value(&printed, "check"), "the CPU agrees");
    assert!(!value(&printed, "device").is_empty());
    assert!(!value(&printed, "time").is_empty());
}

#[test]
fn sum_with_a_nan() {
    let output = sum_of("nan", "1 nan 3");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for name in ["sum", "minimum", "maximum", "mean"] {
        assert_eq!(value(&printed(&output), name), "NaN");
    }
}

#[test]
fn sum_of_an_empty_file() {
    for (name, text) in [("empty", ""), ("blank", " \n,;\n")] {
        let output = sum_of(name, text);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let printed = printed(&output);
        assert_eq!(value(&printed, "sum"), "0");
        assert!(printed.contains("no numbers, so no minimum, maximum or mean"));
        assert!(!printed.contains("\nminimum"), "{printed}");
    }
}

#[test]
fn sum_of_a_malformed_file() {
    let output = sum_of("malformed", "1\n2\n3 apples\n4");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let complaint = complaint(&output);
    assert!(complaint.contains("malformed.txt"), "{complaint}");
    let place = "line 3: `apples` is not a number";
    assert!(complaint.contains(place), "{complaint}");
}

#[test]
fn statistics_of_a_file_name_the_lines_of_the_extremes() {
    let output = of_file("statistics", "spread", "4 2\n\n7;-1\n7\n-1\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = printed(&output);
    assert_eq!(value(&printed, "numbers").split(' ').next(), Some("6"));
    assert_eq!(value(&printed, "mean"), "3");
    assert_eq!(value(&printed, "variance"), "11");
    assert_eq!(value(&printed, "minimum"), "-1 (line 3)");
    assert_eq!(value(&printed, "maximum"), "7 (line 3)");
    assert_eq!(value(&printed, "check"), "the CPU agrees");
}

#[test]
fn statistics_name_the_first_nan() {
    let output = of_file("statistics", "nans", "1\n-inf\nnan 3\nnan\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = printed(&output);
    for name in ["minimum", "maximum"] {
        assert_eq!(value(&printed, name), "NaN (line 3)");
    }
    for name in ["mean", "variance"] {
        assert_eq!(value(&printed, name), "NaN");
    }
}

#[test]
fn statistics_of_an_empty_and_of_a_malformed_file() {
    let output = of_file("statistics", "none", "\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(printed(&output).contains("no numbers, so no mean, variance or extremes"));
    let output = of_file("statistics", "fruit", "1\n2 apples\n");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let place = "line 2: `apples` is not a number";
    assert!(complaint(&output).contains(place), "{output:?}");
}

#[test]
fn offsets_of_given_lengths() {
    let output = run("prefix_sum", &["5", "0", "12", "3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let rows: Vec<Vec<u64>> = printed(&output)
        .lines()
        .map(|line| line.split_whitespace().map_while(|w| w.parse().ok()))
        .map(Iterator::collect)
        .filter(|row: &Vec<u64>| row.len() == 3)
        .collect();
    assert_eq!(rows, [[0, 5, 0], [1, 0, 5], [2, 12, 5], [3, 3, 17]]);
}

#[test]
fn offsets_of_a_malformed_length() {
    for argument in ["-1", "1.5", "five", "18446744073709551616"] {
        let output = run("prefix_sum", &["5", argument]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let allowed = "a whole number from 0 to 18446744073709551615";
        assert!(complaint(&output).contains(allowed), "{output:?}");
    }
}

#[test]
fn words_of_a_file_are_counted() {
    let folder = folder("words");
    let text = folder.join("text");
    fs::write(&text, "The cat. the DOG, the \u{fc}ber-cat!\n\n").unwrap();
    let output = command("word_count").arg(&text).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = printed(&output);
    assert!(printed.contains("words      7 "), "{printed}");
    assert!(printed.contains("different  4\n"), "{printed}");
    assert!(
        printed.contains("        3  the\n        2  cat\n"),
        "{printed}"
    );
    fs::write(&text, "").unwrap();
    let output = command("word_count").arg(&text).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = command("word_count").arg(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_sparse_product_agrees_with_the_cpu() {
    let output = command("sparse").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(value(&printed(&output), "check"), "the CPU agrees");
}

#[test]
fn compaction_agrees_with_the_cpu() {
    let output = command("compact").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(value(&printed(&output), "check"), "the CPU agrees");
}

/// Runs `sum` on a file with this text. The file has this name and the extension `txt`.
fn sum_of(name: impl AsRef<OsStr>, text: impl AsRef<[u8]>) -> Output {
    of_file("sum", name, text)
}

/// Runs an example on a file with this text. The file has this name and the extension `txt`.
fn of_file(example: &str, name: impl AsRef<OsStr>, text: impl AsRef<[u8]>) -> Output {
    let path = folder("examples").join(name.as_ref()).with_extension("txt");
    fs::write(&path, text).unwrap();
    let output = run(example, &[path.as_os_str()]);
    fs::remove_file(path).unwrap();
    output
}

/// The rest of the line that begins with `name`.
fn value<'a>(printed: &'a str, name: &str) -> &'a str {
    let mut lines = printed.lines();
    lines
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        .unwrap_or_else(|| panic!("no `{name}` in {printed}"))
        .trim()
}
