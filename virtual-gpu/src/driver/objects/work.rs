//! Pieces of work: the entries of a stream's queue, the actions of a graph's nodes, and how they
//! are done.

use crate::checks::{Clock, What};
use crate::driver::abi::HostFunction;
use crate::driver::code::{Code, Outcome};
use crate::driver::launches::Enqueuer;
use crate::driver::objects::context::{PENDING_LAUNCHES, Preference, Ticket};
use crate::driver::objects::copy::{Copy, Fill};
use crate::driver::objects::machine::Device;
use crate::driver::objects::module::Function;
use crate::driver::objects::steps::Step;
use crate::driver::objects::stream::Stream;
use crate::driver::objects::touch::Doing;
use crate::driver::objects::user_object::GraphReferences;
use crate::{Dependence, Fault, RunOptions, Shape, Switch};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

/// A piece of work in a stream's queue.
pub(crate) struct Work {
    pub(crate) number: u64,
    /// Covers all work before this work, and the work itself.
    pub(crate) clock: Arc<Clock>,
    /// Work that must be done before this work, besides the stream's earlier work.
    pub(crate) after: Vec<Ticket>,
    pub(crate) action: Action,
    /// The host thread that enqueued the work, with its options.
    pub(crate) by: Enqueuer,
}

/// The action of a piece of work.
#[derive(Clone)]
pub(crate) enum Action {
    Kernel(Arc<KernelLaunch>),
    Copy(Copy),
    Fill(Fill),
    Host(HostFunction),
    /// Notes the time for an event.
    Record(Arc<OnceLock<Instant>>),
    /// Frees device memory.
    Free(&'static Device, u64),
    /// The nodes of a graph, in the order in which they were captured.
    Graph(Arc<[Step]>),
    /// Does nothing. Only its dependencies matter.
    Wait,
    /// Does nothing. It holds the references of an executable graph, so that they are kept while a launch of the graph is queued, even if
    /// the graph is destroyed.
    Hold(#[expect(dead_code, reason = "kept for its end")] Arc<Vec<GraphReferences>>),
}

pub(crate) struct KernelLaunch {
    pub(crate) function: Arc<Function>,
    pub(crate) shape: Shape,
    pub(crate) parameters: Box<[u8]>,
    pub(crate) dependence: Dependence,
}

thread_local! {
    static INSIDE_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is running a host function of a stream, or the destructor of a user object. Such a function must not call the
/// driver.
pub(crate) fn inside_host_function() -> bool {
    INSIDE_HOST_FUNCTION.try_with(Cell::get).unwrap_or(false)
}

/// Calls a host function of the program. The function must not call the driver.
pub(crate) fn call_host_function(function: &HostFunction) {
    // Setting the flag fails only if the thread's storage is gone already. In that case, driver calls that the function makes are not
    // refused.
    let _ = INSIDE_HOST_FUNCTION.try_with(|inside| inside.set(true));
    function.call();
    let _ = INSIDE_HOST_FUNCTION.try_with(|inside| inside.set(false));
}

impl Work {
    /// Does the work on a new thread. If no thread can be started, does the work on this thread.
    pub(crate) fn perform_elsewhere(self, stream: Arc<Stream>) {
        let work = Arc::new(self);
        let (other, of_other) = (Arc::clone(&work), Arc::clone(&stream));
        let perform = move || {
            other.perform(&of_other);
            of_other.finished(other.number);
        };
        if thread::Builder::new().spawn(perform).is_err() {
            work.perform(&stream);
            stream.finished(work.number);
        }
    }

    /// Does the work, unless the context is poisoned. A failure poisons the context.
    pub(crate) fn perform(&self, stream: &Stream) {
        let context = &*stream.context;
        if context.check().is_err() {
            return;
        }
        let doing = Doing {
            context,
            stream: stream.name(),
            by: &self.by,
            call: self.by.call,
            number: self.number,
            clock: &self.clock,
            node: None,
        };
        let done = catch_unwind(AssertUnwindSafe(|| self.action.perform(doing)));
        if let Err(code) = done.unwrap_or(Err(Code::UNKNOWN)) {
            context.poison(code);
        }
    }
}

impl Action {
    /// Whether this action calls a host function of the program.
    pub(crate) fn calls_the_program(&self) -> bool {
        match self {
            Action::Host(_) => true,
            Action::Graph(steps) => steps.iter().any(|step| step.action.calls_the_program()),
            _ => false,
        }
    }

    fn perform(&self, doing: Doing<'_>) -> Outcome {
        let by = doing.by;
        match self {
            Action::Kernel(launch) => launch.perform(doing),
            Action::Copy(copy) => {
                doing.copies(copy)?;
                if by.options.checks.copies == Switch::On {
                    copy.report_unwritten(&by.findings);
                }
                copy.perform()
            }
            Action::Fill(fill) => {
                doing.fills(fill)?;
                fill.perform(&doing.context.device.memory)
            }
            Action::Host(function) => {
                doing.tell();
                call_host_function(function);
                Ok(())
            }
            Action::Record(time) => {
                time.get_or_init(Instant::now);
                Ok(())
            }
            Action::Free(device, address) => free(device, *address, doing),
            Action::Graph(steps) => steps.iter().try_for_each(|step| {
                step.action.perform(Doing {
                    call: step.call,
                    node: Some(&step.place),
                    ..doing
                })
            }),
            Action::Wait | Action::Hold(_) => Ok(()),
        }
    }
}

fn free(device: &Device, address: u64, doing: Doing<'_>) -> Outcome {
    let extent = device.memory.find(address).ok_or(Code::ILLEGAL_ADDRESS)?;
    doing.frees(extent)?;
    let freed = device.memory.free(address);
    freed.map_err(|_| Code::ILLEGAL_ADDRESS)?;
    device.orders.forget(extent.base, extent.bytes);
    Ok(())
}

impl KernelLaunch {
    fn perform(&self, doing: Doing<'_>) -> Outcome {
        let Doing { context, by, .. } = doing;
        let kernel = &self.function.kernel;
        let mut device = context.device.config.clone();
        if let Some(count) = context.preference(Preference::Limit(PENDING_LAUNCHES)) {
            device.max_pending_launches = u32::try_from(count).unwrap_or(u32::MAX);
        }
        let options = RunOptions {
            dependence: self.dependence,
            ..RunOptions::clone(&by.options)
        };
        let (outcome, touched) = match kernel.launch_and_tell(
            &self.shape,
            &self.parameters,
            &context.device.memory,
            &device,
            &options,
        ) {
            Ok(ended) => ended,
            Err(refused) => return Err(Code(refused.cu_result())),
        };
        if let Err(fault) = &outcome {
            eprintln!("virtual-gpu: {fault}");
        }
        let race = touched.and_then(|(grids, raw)| {
            let what = What::Kernel(kernel.name().to_owned(), grids);
            doing.compare(what, raw)
        });
        let outcome = match (outcome, race) {
            (Ok(_), Some(race)) => Err(Box::new(Fault::of_stream_race(race))),
            (outcome, _) => outcome,
        };
        let code = outcome
            .as_ref()
            .map_or_else(|fault| Err(Code(fault.cu_result())), |_| Ok(()));
        by.note(kernel.name(), self.shape, outcome);
        code
    }
}
