//! Pieces of work: what waits in a stream's queue, what a graph's nodes do, and how it is done.

use crate::driver::code::{Code, Outcome};
use crate::driver::launches::Enqueuer;
use crate::driver::objects::context::{Context, PENDING_LAUNCHES, Preference, Ticket};
use crate::driver::objects::copy::{Copy, Fill};
use crate::driver::objects::module::Function;
use crate::driver::objects::user_object::GraphReferences;
use crate::driver::seam::abi::HostFunction;
use crate::{Dependence, LaunchError, Memory, RunOptions, Shape, Switch};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A piece of work in a stream's queue.
pub(crate) struct Work {
    pub(crate) number: u64,
    /// What must be done before, in other streams.
    pub(crate) after: Vec<Ticket>,
    pub(crate) action: Action,
    /// The host thread that enqueued it, and what it asked for.
    pub(crate) by: Enqueuer,
}

/// What is to be done.
#[derive(Clone)]
pub(crate) enum Action {
    Kernel(Arc<KernelLaunch>),
    Copy(Copy),
    Fill(Fill),
    Host(HostFunction),
    /// Notes the time for an event.
    Record(Arc<OnceLock<Instant>>),
    /// Frees device memory.
    Free(&'static Memory, u64),
    /// The nodes of a graph, in the order in which they were captured.
    Graph(Arc<[Action]>),
    /// Nothing: it only waits.
    Wait,
    /// Nothing: it keeps what a graph needs until the graph's launch is done.
    Hold(#[expect(dead_code, reason = "kept for its end")] Arc<Vec<GraphReferences>>),
}

/// A kernel with all that a launch needs.
pub(crate) struct KernelLaunch {
    pub(crate) function: Arc<Function>,
    pub(crate) shape: Shape,
    pub(crate) parameters: Box<[u8]>,
    pub(crate) dependence: Dependence,
}

thread_local! {
    static INSIDE_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is carrying out a host function of a stream, which must not call the driver.
pub(crate) fn inside_host_function() -> bool {
    INSIDE_HOST_FUNCTION.try_with(Cell::get).unwrap_or(false)
}

/// Calls a function of the program's, which must not call the driver.
pub(crate) fn call_host_function(function: &HostFunction) {
    // A thread that is ending has no mark, and lets the function call what it likes.
    let _ = INSIDE_HOST_FUNCTION.try_with(|inside| inside.set(true));
    function.call();
    let _ = INSIDE_HOST_FUNCTION.try_with(|inside| inside.set(false));
}

impl Work {
    /// Does the work. What fails poisons the context, and in a poisoned context nothing is done.
    pub(crate) fn perform(&self, context: &Context) {
        if context.check().is_err() {
            return;
        }
        let done = catch_unwind(AssertUnwindSafe(|| self.action.perform(context, &self.by)));
        if let Err(code) = done.unwrap_or(Err(Code::UNKNOWN)) {
            context.poison(code);
        }
    }
}

impl Action {
    fn perform(&self, context: &Context, by: &Enqueuer) -> Outcome {
        match self {
            Action::Kernel(launch) => launch.perform(context, by),
            Action::Copy(copy) => {
                if by.options.checks.copies == Switch::On {
                    copy.report_unwritten(&by.findings);
                }
                copy.perform()
            }
            Action::Fill(fill) => fill.perform(&context.device.memory),
            Action::Host(function) => {
                call_host_function(function);
                Ok(())
            }
            Action::Record(time) => {
                time.get_or_init(Instant::now);
                Ok(())
            }
            Action::Free(memory, address) => {
                let freed = memory.free(*address);
                freed.map_err(|_| Code::ILLEGAL_ADDRESS)
            }
            Action::Graph(nodes) => nodes.iter().try_for_each(|node| node.perform(context, by)),
            Action::Wait | Action::Hold(_) => Ok(()),
        }
    }
}

impl KernelLaunch {
    fn perform(&self, context: &Context, by: &Enqueuer) -> Outcome {
        let kernel = &self.function.kernel;
        let mut device = context.device.config.clone();
        if let Some(count) = context.preference(Preference::Limit(PENDING_LAUNCHES)) {
            device.max_pending_launches = u32::try_from(count).unwrap_or(u32::MAX);
        }
        let options = RunOptions {
            dependence: self.dependence,
            ..RunOptions::clone(&by.options)
        };
        let result = kernel.launch(
            &self.shape,
            &self.parameters,
            &context.device.memory,
            &device,
            &options,
        );
        match result {
            Ok(counters) => {
                by.note(kernel.name(), self.shape, Ok(counters));
                Ok(())
            }
            Err(LaunchError::Fault(fault)) => {
                eprintln!("virtual-gpu: {fault}");
                let code = Code(fault.cu_result());
                by.note(kernel.name(), self.shape, Err(fault));
                Err(code)
            }
            Err(refused) => Err(Code(refused.cu_result())),
        }
    }
}
