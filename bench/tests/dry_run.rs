//! Runs `measure`, `chart`, `targets` and `shapes` on the virtual GPU. The measurements mean nothing there.

use std::fs;
use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_warpfold-bench"))
        .env("VIRTUAL_GPU", "on")
        .args(arguments)
        .output()
        .expect("the program starts");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {messages}");
    output
}

#[test]
fn without_a_gpu_the_program_says_so() {
    let output = bench(&["measure"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("no GPU"));
}

#[test]
fn measure_times_checks_and_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a path in Unicode");
    let arguments = [
        "--virtual",
        "--sizes=10,12",
        "--types=f32,u64",
        "--repeats=1",
        "--runs=2",
    ];
    bench(&[&["measure", "--out", out], &arguments[..]].concat());

    let csv = folder.path().join("results.csv");
    let text = fs::read_to_string(&csv).expect("results.csv");
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .collect();
    // For each run and size: four cases and a copy for each of two types, and the wide sum for one type.
    assert_eq!(rows.len(), 2 * 2 * (5 + 6));
    let is_wide = |row: &&&str| row.contains("reduce_wide_sum,f32");
    assert_eq!(rows.iter().filter(is_wide).count(), 2 * 2);
    assert!(rows.iter().all(|row| row.ends_with("right")), "{text}");
    assert!(text.contains("# device: Virtual GPU"), "{text}");

    let again = folder.path().join("again");
    let again_path = again.to_str().expect("a path in Unicode");
    bench(&[
        "chart",
        csv.to_str().expect("a path in Unicode"),
        "--out",
        again_path,
    ]);
    for name in ["table.md", "rate_reduce_sum.svg", "rate_inclusive_sum.svg"] {
        let first = fs::read_to_string(folder.path().join(name)).expect("drawn");
        assert_eq!(
            first,
            fs::read_to_string(again.join(name)).expect("drawn again")
        );
        assert!(
            first.contains("f32") && first.contains("u64"),
            "{name}: {first}"
        );
    }

    let targets = bench(&["targets", csv.to_str().expect("a path in Unicode")]);
    let targets = String::from_utf8(targets.stdout).expect("text");
    // This target covers five measurements with 2^12 items: two reductions for each of two types, and the wide sum for one type.
    assert!(
        targets.contains("| reduce, 2^12 ≤ n ≤ 2^20 | ≤ 3.6 µs | "),
        "{targets}"
    );
    assert!(targets.contains("of 5 |"), "{targets}");
}

#[test]
fn calls_are_replayed_from_a_graph() {
    let arguments = ["--sizes=10", "--types=u8", "--runs=1", "--queueing=graph"];
    let output = bench(&[&["measure", "--virtual", "--repeats=1"], &arguments[..]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("replayed from a graph"), "{text}");
    let rows = text.lines().filter(|line| line.ends_with(",right"));
    assert_eq!(rows.count(), 6, "{text}");
}

#[test]
fn results_of_shapes_are_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a path in Unicode");
    let sizes = ["--sizes=12", "--repeats=1", "--runs=1"];
    bench(&[&["shapes", "--virtual", "--out", out], &sizes[..]].concat());
    let csv = fs::read_to_string(folder.path().join("shapes.csv")).expect("shapes.csv");
    let rows = csv.lines().filter(|line| line.ends_with(",true"));
    // The seven reductions of `one_pass`. For segments of each of three lengths: sums by offsets, sums of rows, and scans. For segments by
    // a power law: sums and scans. Sums and scans of matrices with two different numbers of columns. For rows: indices of maxima in two
    // types, `LogSumExp` and moments. Scans in two directions. Three selections, each with three percentages. Runs of three lengths. A sum
    // and two scans by key for each of these lengths, and for runs by a power law.
    assert_eq!(
        rows.count(),
        7 + 3 * 3 + 2 + 2 * 2 + 4 + 2 + 3 * 3 + 3 + 4 * 3,
        "{csv}"
    );
    let table = fs::read_to_string(folder.path().join("shapes.md")).expect("shapes.md");
    assert!(table.contains("| dot product | 2^12 | "), "{table}");
    let again = tempfile::tempdir().expect("a folder");
    let (csv, out) = (folder.path().join("shapes.csv"), again.path().to_str());
    let (csv, out) = (csv.to_str().expect("Unicode"), out.expect("Unicode"));
    bench(&["chart", csv, "--out", out]);
    let charts = [folder.path(), again.path()]
        .map(|folder| fs::read_to_string(folder.join("shapes_12.svg")).expect("a chart"));
    assert!(charts[0].contains("dot product"), "{}", charts[0]);
    assert_eq!(charts[0], charts[1]);
}

/// The test invents all times, since there is no ratio without CUB.
#[test]
fn the_ratio_to_cub_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("results.csv");
    let mut text = "impl,what,type,n,us_median,us_min,GBps,us_q1,us_q3,run,result\n".to_owned();
    for (side, micros) in [("warpfold", 2), ("cub", 5)] {
        for n in [1024, 4096] {
            text += &format!("{side},inclusive_sum,f32,{n},{micros},1,1,1,1,1,right\n");
        }
    }
    fs::write(&csv, text).expect("results.csv");
    let csv = csv.to_str().expect("a path in Unicode");
    bench(&[
        "chart",
        csv,
        "--out",
        folder.path().to_str().expect("a path in Unicode"),
    ]);
    for name in ["overview.svg", "ratio_inclusive_sum.svg"] {
        let drawn = fs::read_to_string(folder.path().join(name)).expect("drawn");
        assert!(drawn.contains("times as fast as CUB"), "{name}: {drawn}");
    }
    let targets = bench(&["targets", csv]);
    let targets = String::from_utf8(targets.stdout).expect("text");
    assert!(
        targets.contains(
            "| 2.00 µs (2.00 to 2.00) | inclusive_sum f32 2^10 | 2.50 × (2.50 to 2.50) | 2 of 2 |"
        ),
        "{targets}"
    );
}
