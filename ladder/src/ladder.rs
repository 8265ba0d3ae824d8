//! A GPU, and the kernels that have been loaded on it.

use std::fmt;
use std::mem::ManuallyDrop;

use warpfold::Gpu;

use crate::Result;
use crate::kernels::Kernels;

/// The ladder on a GPU. It compiles a kernel on the kernel's first use, and keeps it.
///
/// A call that launches kernels makes the GPU's primary context current on the calling thread. Several threads may share a ladder.
pub struct Ladder {
    gpu: Gpu,
    /// Dropped only while the context is current.
    kernels: ManuallyDrop<Kernels>,
}

impl Ladder {
    /// The ladder on the first device, whose context becomes the current one.
    ///
    /// # Errors
    ///
    /// The errors of [`Gpu::new`] and [`Gpu::make_current`].
    pub fn new() -> Result<Self> {
        let gpu = Gpu::new()?;
        gpu.make_current()?;
        Ok(Self::on(gpu))
    }

    /// The ladder on this GPU.
    pub fn on(gpu: Gpu) -> Self {
        Self {
            gpu,
            kernels: ManuallyDrop::new(Kernels::default()),
        }
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(crate) fn kernels(&self) -> &Kernels {
        &self.kernels
    }
}

impl Drop for Ladder {
    fn drop(&mut self) {
        // If the context is lost, its modules are lost too.
        if self.gpu.make_current().is_ok() {
            // SAFETY: the ladder is being dropped, so the kernels are neither used nor dropped again.
            unsafe { ManuallyDrop::drop(&mut self.kernels) }
        }
    }
}

impl fmt::Debug for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ladder").field(&self.gpu).finish()
    }
}
