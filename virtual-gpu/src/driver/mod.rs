//! The CUDA driver API, on the virtual device or passed on to the real driver.
//!
//! Bird's-eye view, from the outside in:
//!
//! - `seam/`: the exported C symbols, the real driver's library, and the one place that decides who answers a call. The argument types of
//!   these symbols are in `abi`, which `calls/` and `objects/` use too.
//! - `calls/`: what each call does on the virtual device.
//! - `objects/`: what the calls act on, such as contexts, streams and their work, and graphs.
//! - `mode`, `settings`, `variables`, `architectures`: which device the process gets, and the limits of the virtual device.
//! - `inject`, `launches`, `live`, `findings`, `timing`: for tests and benchmarks. `inject` makes calls fail. The others return counters
//!   and faults of launches, counts of live objects, findings, and the times of calls.
//!
//! `checks/streams` finds data races between pieces of work. It records the order in which work is enqueued, and what work the host knows
//! to be done.
//!
//! Invariants: `calls/` and `objects/` are safe code. No lock is held while a kernel or a host function runs. No handle is ever
//! dereferenced.

mod abi;
mod architectures;
mod calls;
mod claim;
mod code;
mod default_stream;
mod findings;
pub mod inject;
mod launches;
mod live;
mod mode;
mod objects;
mod seam;
mod settings;
mod timing;
mod variables;

pub use code::Code;
pub use findings::{Finding, Left, take_findings};
pub use launches::{Launch, LaunchWatch, last_fault, run_with, watch_launches};
pub use live::{Live, live, live_of_this_thread};
pub use mode::{AlreadyStarted, Mode, ModeError, mode, start};
pub use seam::dispatch::inside_a_call;
pub use seam::unsupported::UNSUPPORTED_CALLS;
pub use settings::{Choice, Devices, Settings};
pub use timing::{TimedCall, time_calls};
pub use variables::SettingsError;
