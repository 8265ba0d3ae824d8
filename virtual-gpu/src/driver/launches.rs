//! For tests: the counters and the faults of launches, and options for launches.
//!
//! The results of a launch belong to the host thread that enqueued the launch, whichever thread carries it out. So tests that run side by
//! side do not see each other's results. A launch is listed only when it is done, so synchronise before you read the list.

use crate::driver::findings::Findings;
use crate::driver::mode;
use crate::driver::objects::lock;
use crate::driver::seam::dispatch::current_call;
use crate::{Counters, Fault, RunOptions, Shape};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

/// A launch that was carried out.
///
/// ```
/// use virtual_gpu::driver::watch_launches;
///
/// let watch = watch_launches();
/// for launch in watch.take() {
///     println!("{} on {:?} blocks", launch.kernel, launch.shape.grid);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// The shape of the launch.
    pub shape: Shape,
    /// Its counters, or its fault.
    pub outcome: Result<Counters, Box<Fault>>,
}

type List = Arc<Mutex<Vec<Launch>>>;

#[derive(Default)]
struct Own {
    watches: Vec<List>,
    options: Option<Arc<RunOptions>>,
    last_fault: Arc<Mutex<Option<Box<Fault>>>>,
}

thread_local! {
    static OWN: RefCell<Own> = RefCell::default();
}

/// Collects the launches that this thread enqueues while this value lives.
///
/// ```
/// use virtual_gpu::driver::watch_launches;
///
/// let watch = watch_launches();
/// assert!(watch.take().is_empty()); // nothing was launched
/// ```
#[derive(Debug)]
#[must_use = "launches are collected while this lives"]
pub struct LaunchWatch {
    list: List,
    this_thread: PhantomData<*const ()>,
}

/// Starts to collect the launches that this thread enqueues on the virtual device. Launches on the real driver are
/// not collected.
///
/// ```
/// use virtual_gpu::driver::watch_launches;
///
/// let watch = watch_launches();
/// // Calls of a program that launches kernels come here.
/// for launch in watch.take() {
///     match launch.outcome {
///         Ok(counters) => println!("{} lane instructions", counters.lane_instructions()),
///         Err(error) => println!("{error}"),
///     }
/// }
/// assert!(watch.take().is_empty());
/// ```
pub fn watch_launches() -> LaunchWatch {
    let list = List::default();
    OWN.with_borrow_mut(|own| own.watches.push(Arc::clone(&list)));
    LaunchWatch {
        list,
        this_thread: PhantomData,
    }
}

impl LaunchWatch {
    /// The launches that were carried out since the last call of `take`, in the order in which they ended.
    ///
    /// ```
    /// use virtual_gpu::driver::watch_launches;
    ///
    /// let watch = watch_launches();
    /// assert!(watch.take().is_empty()); // nothing was launched
    /// ```
    pub fn take(&self) -> Vec<Launch> {
        std::mem::take(&mut lock(&self.list))
    }
}

impl Drop for LaunchWatch {
    fn drop(&mut self) {
        // If the thread-local storage is destroyed already, so is its list of watches.
        let _ = OWN.try_with(|own| {
            own.borrow_mut()
                .watches
                .retain(|list| !Arc::ptr_eq(list, &self.list));
        });
    }
}

/// The last fault of a launch that this thread enqueued.
///
/// ```
/// if let Some(fault) = virtual_gpu::driver::last_fault() {
///     println!("{fault}");
/// }
/// ```
pub fn last_fault() -> Option<Fault> {
    OWN.with_borrow(|own| lock(&own.last_fault).as_deref().cloned())
}

/// Runs `work`. Every launch that this thread enqueues in `work` gets these options.
///
/// ```
/// use virtual_gpu::driver::run_with;
/// use virtual_gpu::{Checks, RunOptions};
///
/// let options = RunOptions {
///     checks: Checks::all(),
///     seed: 7,
///     ..RunOptions::default()
/// };
/// // Launches in here run with all checks, with the schedule of this seed.
/// let result = run_with(options, || 42);
/// assert_eq!(result, 42);
/// ```
pub fn run_with<R>(options: RunOptions, work: impl FnOnce() -> R) -> R {
    struct Outer(Option<Arc<RunOptions>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            OWN.with_borrow_mut(|own| own.options = self.0.take());
        }
    }
    let options = Some(Arc::new(options));
    let _outer = Outer(OWN.with_borrow_mut(|own| std::mem::replace(&mut own.options, options)));
    work()
}

/// The host thread that enqueues a piece of work: its options, and the lists for results.
pub(crate) struct Enqueuer {
    pub(crate) options: Arc<RunOptions>,
    watches: Vec<List>,
    last_fault: Arc<Mutex<Option<Box<Fault>>>>,
    pub(crate) findings: Findings,
    /// The driver call that enqueues the work.
    pub(crate) call: &'static str,
}

impl Enqueuer {
    /// The calling thread. If the thread-local storage is destroyed already, the machine's options apply, and the results are dropped.
    pub(crate) fn this_thread() -> Self {
        OWN.try_with(|own| {
            let own = own.borrow();
            Self {
                options: own.options.clone().unwrap_or_else(machine_options),
                watches: own.watches.clone(),
                last_fault: Arc::clone(&own.last_fault),
                findings: Findings::of_this_thread(),
                call: call_name(),
            }
        })
        .unwrap_or_else(|_| Self {
            options: machine_options(),
            watches: Vec::new(),
            last_fault: Arc::default(),
            findings: Findings::default(),
            call: call_name(),
        })
    }

    pub(crate) fn note(&self, kernel: &str, shape: Shape, outcome: Result<Counters, Box<Fault>>) {
        if let Err(fault) = &outcome {
            *lock(&self.last_fault) = Some(fault.clone());
        }
        for list in &self.watches {
            lock(list).push(Launch {
                kernel: kernel.to_owned(),
                shape,
                outcome: outcome.clone(),
            });
        }
    }
}

/// The driver call that the calling thread is in.
pub(crate) fn call_name() -> &'static str {
    current_call().unwrap_or("a driver call")
}

fn machine_options() -> Arc<RunOptions> {
    mode::machine().map_or_else(Arc::default, |machine| Arc::clone(&machine.run))
}
