//! The configuration of a launch: the device (`device`), the shape and the options (`run`), and the checks (`checks`).

mod checks;
mod device;
mod run;

pub use checks::{Checks, Switch};
pub use device::{DeviceConfig, WARP_LANES};
pub use run::{Dependence, RunOptions, Shape};
