fn main() {
    warpfold_build::kernels("src/kernels.rs");
}
