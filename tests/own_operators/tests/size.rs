//! The size of committed device code.

/// The committed device code of `operators.rs`.
const FILE: &[u8] = include_bytes!("../src/operators.kernels");
const SOURCE: &str = include_str!("../src/operators.rs");

#[test]
fn device_code_of_many_rows_is_small() {
    let list = SOURCE.split_once("operators! {").map(|(_, list)| list);
    let rows = list.unwrap_or_default().matches(';').count();
    assert!(rows > 15, "{rows} rows");
    let kilobytes = FILE.len() / 1000;
    assert!(kilobytes < 28 * rows, "{kilobytes} KB for {rows} rows");
}
