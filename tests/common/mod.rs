//! The device that the tests of this process run on.

use std::sync::OnceLock;

use virtual_gpu::Mode;
use warpfold::Gpu;

/// The process-wide GPU. Its context is made current on this thread. The first call prints the GPU's name.
pub fn gpu() -> &'static Gpu {
    static ANNOUNCED: OnceLock<()> = OnceLock::new();
    let gpu = Gpu::global().expect("a GPU, real or virtual");
    gpu.make_current().expect("its context");
    ANNOUNCED.get_or_init(|| eprintln!("running on {} ({:?})", gpu.name(), mode()));
    gpu
}

/// Whether the device is real or virtual.
pub fn mode() -> Mode {
    virtual_gpu::mode().expect("readable settings")
}
