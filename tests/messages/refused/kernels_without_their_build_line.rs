//! A file of kernels of a package whose `build.rs` does not name it.

warpfold::kernels! {
    fn fill(items: &mut [u32], value: u32) {}
}

fn main() {}
