//! Compiles the operators for the device.

fn main() {
    warpfold_build::operators("src/operators.rs");
}
