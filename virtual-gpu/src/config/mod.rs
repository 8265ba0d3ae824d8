//! What a launch takes besides its kernel: the device it runs on (`device`), its shape and the way it
//! is run (`run`), and which checks watch it (`checks`).

mod checks;
mod device;
mod run;

pub use checks::{Checks, Switch};
pub use device::{DeviceConfig, WARP_LANES};
pub use run::{Dependence, RunOptions, Shape};
