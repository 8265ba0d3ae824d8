//! A file of kernels that its package's `build.rs` does not name.

warpfold::kernels! {
    fn fill(items: &mut [u32], value: u32) {}
}

fn main() {}
