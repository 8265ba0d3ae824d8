//! The driver: the CUDA driver API on the virtual device, or handed on to the real one.
//!
//! Bird's-eye view, from the outside in:
//!
//! - `seam/`: the exported C symbols, the types of their arguments, the real driver's library, and
//!   the one place that decides who answers a call.
//! - `calls/`: what each call does on the virtual device.
//! - `objects/`: what lives there: contexts, streams and their work, events, modules, captures,
//!   graphs.
//! - `mode`, `settings`, `variables`, `architectures`: whose device the process gets, and of what make.
//! - `inject`, `launches`, `live`, `findings`, `timing`: what tests and benchmarks ask for: calls that
//!   fail, counters and faults, an account of what is alive, what was left alive, and what took long.
//!
//! What orders two pieces of work is told to the account of `checks/streams` as they are enqueued and
//! as the host learns that they are done; it finds the data races between them.
//!
//! Invariants: behind the seam everything is safe code; no lock is held while
//! a kernel or a host function runs; a handle that is not live is an error and never followed.

mod architectures;
mod calls;
mod code;
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
pub use settings::{Choice, Devices, Settings};
pub use timing::{TimedCall, time_calls};
pub use variables::SettingsError;
