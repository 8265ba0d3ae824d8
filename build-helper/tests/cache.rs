//! Builds take compiled rows from the cache. Cached rows equal newly compiled ones.

mod common;

use std::fs;
use std::process::ExitCode;

use common::skip::{device_tests, run};
use warpfold_build::{Build, Cache, Error, Refusal, Unfit};

fn main() -> ExitCode {
    run(device_tests![
        only_edited_rows_are_compiled_again,
        a_refused_row_does_not_discard_the_other_rows,
        a_committed_kernel_that_differs_from_the_source_is_found,
    ])
}

fn only_edited_rows_are_compiled_again() {
    let mut build = common::build("rows");
    let folder = build.output.join("cache");
    let _ = fs::remove_dir_all(&folder);
    let source = fs::read_to_string(&build.source).expect("the operators");
    build.source = build.output.join("operators.rs");
    build.cache = Cache::at(folder.clone());
    fs::write(&build.source, &source).expect("a copy of the operators");
    let rows = || fs::read_dir(folder.join("rows")).expect("rows").count();
    build.run().expect("device code");
    assert_eq!(rows(), 2);
    let included = build
        .included()
        .map(|path| fs::read(path).expect("what is included"));

    // No library can be compiled now, so a build that succeeds compiles nothing.
    fs::remove_dir_all(folder.join("libraries")).expect("removing the libraries");
    fs::write(folder.join("libraries"), "a file").expect("a file in their place");
    let without_compiler = Build {
        target: build.source.clone(),
        ..build.clone()
    };
    let edited = format!(
        "// A comment.\n\n{}",
        source.replace("union: Union", "union:  Union")
    );
    fs::write(&build.source, edited).expect("a comment");
    without_compiler.run().expect("the rows from the cache");
    let again = build
        .included()
        .map(|path| fs::read(path).expect("what is included"));
    assert!(included == again);

    // A build with another output folder takes the rows from the cache, too.
    let another = Build {
        output: build.output.join("another"),
        ..without_compiler.clone()
    };
    fs::create_dir_all(&another.output).expect("a folder for another build");
    another.run().expect("the rows from the common cache");

    // An edited row is compiled.
    let edited = source.replace("union: Union", "both: Union");
    fs::write(&build.source, &edited).expect("an edit");
    let error = without_compiler.run().expect_err("something is compiled");
    assert!(matches!(error, Error::Compiler { .. }), "{error}");
    build.run().expect("device code");
    assert_eq!(rows(), 3);

    // The rows of the committed file come from the cache. Two different builds compiled them. A new compilation of all rows gives the same
    // code.
    let committing = Build {
        updates: true,
        ..build.clone()
    };
    committing.run().expect("device code to commit");
    let locked = Build {
        locked: true,
        cache: Cache::none(),
        ..without_compiler.clone()
    };
    locked.run().expect("the committed device code");
    let compared = Build {
        compares: true,
        ..build.clone()
    };
    compared.run().expect("the same device code");
    fs::write(&build.source, source).expect("the source as it was");
    let error = locked.run().expect_err("another source");
    assert!(
        matches!(
            error,
            Error::Unfit {
                unfit: Unfit::Source,
                ..
            }
        ),
        "{error}"
    );
    fs::remove_file(build.committed()).expect("removing the committed file");
    let error = locked.run().expect_err("nothing is committed");
    assert!(matches!(error, Error::NotCommitted { .. }), "{error}");
}

/// Rows that compile are kept even if another row is refused. After the correction, they are not compiled again.
fn a_refused_row_does_not_discard_the_other_rows() {
    let mut build = common::build("rows");
    build.output = build.output.join("refused");
    let folder = build.output.join("cache");
    let _ = fs::remove_dir_all(&build.output);
    fs::create_dir_all(&build.output).expect("a folder for the build");
    let source = fs::read_to_string(&build.source).expect("the operators");
    build.source = build.output.join("operators.rs");
    build.cache = Cache::at(folder.clone());
    let mistaken = source.replace(
        "union: Union",
        "ratio: Ratio, u32, reduction only;\n    union: Union",
    );
    fs::write(&build.source, [mistaken.as_str(), RATIO].concat()).expect("a mistake");
    let error = build.run().expect_err("a division by any number");
    let is_of_ratio = |refusals: &[Refusal]| refusals.iter().all(|it| it.operator == "ratio");
    assert!(
        matches!(&error, Error::Refused(refusals) if is_of_ratio(refusals)),
        "{error}"
    );
    let rows = fs::read_dir(folder.join("rows")).expect("rows").count();
    assert_eq!(rows, 2);
    let mended = mistaken.replace("ratio: Ratio, u32, reduction only;", "");
    fs::write(&build.source, [mended.as_str(), RATIO].concat()).expect("the mistake mended");
    fs::remove_dir_all(folder.join("libraries")).expect("removing the libraries");
    fs::write(folder.join("libraries"), "a file").expect("a file in their place");
    let without_compiler = Build {
        target: build.source.clone(),
        ..build
    };
    without_compiler.run().expect("the rows from the cache");
}

/// An operator that may divide by zero.
const RATIO: &str = "
#[derive(Clone, Copy)]
pub struct Ratio;

impl warpfold::Op<u32> for Ratio {
    type Accumulator = u32;
    type Output = u32;
    fn identity() -> u32 {
        1
    }
    fn lift(item: u32) -> u32 {
        item
    }
    fn combine(left: u32, right: u32) -> u32 {
        left / right
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

impl warpfold::Commutative for Ratio {}
";

/// A new compilation finds a wrong kernel in a committed file whose hashes are right.
fn a_committed_kernel_that_differs_from_the_source_is_found() {
    let mut build = common::build("rows");
    build.output = build.output.join("forged");
    fs::create_dir_all(&build.output).expect("a folder for the build");
    let source = fs::read_to_string(&build.source).expect("the operators");
    build.source = build.output.join("operators.rs");
    build.updates = true;
    // The forged file has the kernels of a source with another operation, and the stamp of the right source.
    let forged = source.replace("0, |", "0, &");
    let [right, wrong] = [&source, &forged].map(|source| {
        fs::write(&build.source, source).expect("a source");
        build.run().expect("device code");
        fs::read(build.committed()).expect("the committed device code")
    });
    let stamp = |file: &[u8]| {
        let mut lines = file.split(|byte| *byte == b'\n');
        lines.nth(2).expect("a stamp").to_vec()
    };
    let (stamp, wrong_stamp) = (stamp(&right), stamp(&wrong));
    let at = wrong
        .windows(wrong_stamp.len())
        .position(|bytes| bytes == wrong_stamp);
    let mut wrong = wrong.clone();
    let at = at.expect("the stamp");
    wrong[at..at + stamp.len()].copy_from_slice(&stamp);
    fs::write(build.committed(), wrong).expect("the forged file");
    fs::write(&build.source, source).expect("the source");
    let compared = Build {
        updates: false,
        compares: true,
        ..build.clone()
    };
    let error = compared.run().expect_err("other kernels");
    assert!(
        error.to_string().contains("`reduce_union`")
            || error.to_string().contains("reduce_union is"),
        "{error}"
    );
}
