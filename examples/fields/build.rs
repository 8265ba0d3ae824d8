fn main() {
    warpfold_build::operators("src/operators.rs");
}
