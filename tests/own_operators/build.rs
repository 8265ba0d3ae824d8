//! Compiles the operators and kernels for the device.

fn main() {
    warpfold_build::operators("src/operators.rs");
    warpfold_build::kernels("src/kernels.rs");
}
