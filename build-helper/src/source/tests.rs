use std::collections::BTreeMap;

use super::*;

const FILE: &str = "\
use warpfold::Op;

warpfold::item! {
    pub struct Point { pub x: f32, pub count: u32 }
}

trait Twice {
    fn twice(self) -> Self;
}

impl Twice for u32 {
    fn twice(self) -> u32 { helped(self) }
}

fn helped(number: u32) -> u32 { number + number }

pub struct First;

impl Op<u32> for First {
    fn combine(a: u32, b: u32) -> u32 { (a + b).twice() }
}

pub struct Second;
type Alias = Second;

impl Op<Point> for Alias {
    fn combine(a: Point, b: Point) -> Point { a }
}

macro_rules! third {
    ($name:ident) => { pub struct $name; };
}
third!(Third);

warpfold::operators! {
    first: First, u32;
    second: Second, Point;
    third: Third, u64, scans only;
}
";

fn keys(text: &str) -> BTreeMap<String, String> {
    let source = Source::parse(text.to_owned()).unwrap();
    let keys = source.rows().iter();
    keys.map(|row| (row.name.clone(), source.key(row).to_string()))
        .collect()
}

/// The rows whose keys change when `instead` replaces `there` in the file.
fn changed(there: &str, instead: &str) -> Vec<String> {
    assert_eq!(FILE.matches(there).count(), 1, "{there}");
    let (before, after) = (keys(FILE), keys(&FILE.replace(there, instead)));
    let names = before.keys().filter(|name| before[*name] != after[*name]);
    names.cloned().collect()
}

#[test]
fn a_row_depends_on_named_items_and_on_the_items_that_those_name() {
    assert_eq!(changed("(a + b)", "(a - b)"), ["first"]);
    assert_eq!(changed("number + number", "number"), ["first"]);
    assert_eq!(changed("{ a }", "{ b }"), ["second"]);
    assert_eq!(changed("pub x: f32", "pub y: f32"), ["second"]);
    assert_eq!(
        changed("pub struct $name;", "pub struct $name();"),
        ["third"]
    );
    assert_eq!(changed("third!(Third)", "third!(Third,)"), ["third"]);
    assert_eq!(changed(", scans only", ""), ["third"]);
    assert_eq!(changed("use warpfold::Op;", "use warpfold::*;").len(), 3);
}

#[test]
fn a_row_with_more_code_is_larger() {
    let source = Source::parse(FILE.to_owned()).unwrap();
    assert!(source.size("first") > source.size("third"));
    assert_eq!(source.size("fourth"), 0);
}

#[test]
fn comments_documentation_and_layout_change_nothing() {
    for (there, instead) in [
        (
            "pub struct First;",
            "/// The first.\n#[doc = \"1\"] pub struct First; // one",
        ),
        ("pub x: f32,", "/** x */\n\n    pub x: f32,"),
        ("pub count: u32 }", "pub count: u32,\n}"),
        ("(a + b)", "(a  +  b)"),
        ("use warpfold", "//! The operators.\nuse warpfold"),
    ] {
        assert_eq!(changed(there, instead), [""; 0], "{instead}");
    }
    let tokens = |text: &str| Source::parse(text.to_owned()).unwrap().tokens();
    assert_eq!(tokens(FILE), tokens(&FILE.replace('\n', "\r\n")));
    assert_ne!(tokens(FILE), tokens(&FILE.replace("a + b", "a - b")));
}

#[test]
fn other_rows_are_replaced_by_spaces() {
    let source = Source::parse(FILE.to_owned()).unwrap();
    let text = source.with_rows(&BTreeSet::from(["second"]));
    assert_eq!(text.len(), FILE.len());
    assert!(text.contains("\n    second: Second, Point;\n"), "{text}");
    assert!(!text.contains("first: First") && !text.contains("third: Third"));
    assert_eq!(text.find("second:"), FILE.find("second:"));
    assert_eq!(source.rows()[2].line, 38);
}

#[test]
fn two_rows_of_one_name_are_refused_with_their_lines() {
    let error = Source::parse(FILE.replace("third: Third", "first: Third")).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("`first`") && message.contains("36") && message.contains("38"),
        "{message}"
    );
}

#[test]
fn two_rows_of_one_operator_and_item_are_refused_with_their_lines() {
    for again in [
        "First, u32",
        "First , u32, scans only",
        "First, u32, reduction only",
    ] {
        let twice = FILE.replace("Third, u64, scans only", again);
        let message = Source::parse(twice).unwrap_err().to_string();
        assert!(
            message.contains("`first` and `third`, in lines 36 and 38,"),
            "{message}"
        );
    }
    // In each of these files, the rows have no kernel in common.
    let parted = FILE.replace("First, u32", "First, u32, reduction only");
    Source::parse(parted.replace("Third, u64", "First, u32")).unwrap();
    Source::parse(FILE.replace("Third, u64, scans only", "First, pairs of u32, u32")).unwrap();
}

#[test]
fn a_file_that_cannot_be_parsed_is_left_to_the_compiler() {
    assert!(Source::parse("fn (".to_owned()).unwrap().rows().is_empty());
    assert!(
        Source::parse("fn f() {}".to_owned())
            .unwrap()
            .rows()
            .is_empty()
    );
    let odd = FILE.replace("first: First", "2 first: First");
    assert!(Source::parse(odd).unwrap().rows().is_empty());
}
