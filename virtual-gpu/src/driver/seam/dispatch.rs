//! Finds the function that answers a C symbol: the real driver's function of the same name, or ours.
//!
//! Every call passes through [`dispatch`], which injects failures, and records and times calls. The virtual device refuses most calls that
//! a host function makes. A panic of this crate is a defect. [`dispatch`] turns it into `CUDA_ERROR_UNKNOWN`, so that it does not unwind
//! into C frames.

use crate::driver::code::{Code, Outcome, SUCCESS};
use crate::driver::inject::{self, Verdict};
use crate::driver::mode::{Backend, backend};
use crate::driver::objects::work;
use crate::driver::seam::real::Real;
use crate::driver::seam::unsupported::UNSUPPORTED_CALLS;
use crate::driver::timing::timed;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// The class of a call. It decides how injected failures affect the call, what the call does without a driver, and whether a host function
/// may make it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Ordinary,
    /// Waits for work, or asks whether work is done. So the call returns deferred errors.
    Synchronises,
    /// Works even in a context that a sticky error has poisoned.
    Survives,
    /// Needs no device at all.
    Pure,
    /// `cuInit`.
    Starts,
}

thread_local! {
    static INSIDE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Whether the calling thread is inside a driver call. A counting allocator can use this function to leave out the driver's own
/// allocations.
///
/// ```
/// assert!(!virtual_gpu::driver::inside_a_call());
/// ```
pub fn inside_a_call() -> bool {
    current_call().is_some()
}

/// The exported symbol of the driver call that the calling thread is in.
pub(crate) fn current_call() -> Option<&'static str> {
    INSIDE.try_with(Cell::get).unwrap_or(None)
}

/// Marks the thread as inside a call until this value is dropped.
struct Inside {
    outer: Option<&'static str>,
}

impl Inside {
    fn enter(call: &'static str) -> Self {
        let outer = INSIDE.try_with(|inside| inside.replace(Some(call)));
        Self {
            outer: outer.unwrap_or(None),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // If the thread's storage is gone already, there is nothing to restore.
        let _ = INSIDE.try_with(|inside| inside.set(self.outer));
    }
}

/// Calls the real driver's function, with the arguments of one call.
type ToReal<'call> = dyn FnMut(&Real) -> i32 + 'call;

/// Calls our function, with the arguments of one call.
type ToOurs<'call> = dyn FnMut() -> Outcome + 'call;

/// Answers one call: calls `real` or `ours` once, or neither. There are hundreds of symbols, so this function is not generic: it is compiled
/// once for all of them.
pub(crate) fn dispatch(
    name: &'static str,
    class: Class,
    real: &mut ToReal<'_>,
    ours: &mut ToOurs<'_>,
) -> i32 {
    let _inside = Inside::enter(name);
    let mut answer = || {
        timed(name, || {
            catch_unwind(AssertUnwindSafe(|| route(class, real, ours))).unwrap_or(Code::UNKNOWN.0)
        })
    };
    match inject::verdict(name, class) {
        Verdict::Proceed => answer(),
        Verdict::Refuse(code) => code.0,
        Verdict::Replace(code) => {
            answer();
            code.0
        }
    }
}

fn route(class: Class, real: &mut ToReal<'_>, ours: &mut ToOurs<'_>) -> i32 {
    match backend() {
        Backend::Real(library) => real(library),
        Backend::Virtual(_) if class != Class::Pure && work::inside_host_function() => {
            Code::NOT_PERMITTED.0
        }
        Backend::Virtual(_) => {
            let outcome = ours();
            if outcome == Err(Code::NOT_SUPPORTED) {
                say_once(current_call());
            }
            number(outcome)
        }
        Backend::Nobody(_) if class == Class::Pure => number(ours()),
        Backend::Nobody(reason) if class == Class::Starts => reason.code().0,
        Backend::Nobody(_) => Code::NOT_INITIALIZED.0,
    }
}

/// Prints the name of an unsupported call to stderr, the first time that the call answers `CUDA_ERROR_NOT_SUPPORTED`.
fn say_once(call: Option<&'static str>) {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let Some(call) = call else { return };
    let is_new = SAID
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(call);
    if is_new {
        let whatever = if UNSUPPORTED_CALLS.contains(&call) {
            ""
        } else {
            " with these arguments"
        };
        eprintln!(
            "virtual-gpu: {call} is not supported{whatever}: it answers CUDA_ERROR_NOT_SUPPORTED"
        );
    }
}

fn number(outcome: Outcome) -> i32 {
    match outcome {
        Ok(()) => SUCCESS,
        Err(code) => code.0,
    }
}

/// Exports the symbols of a table. A row is `name(argument: type, …) => function, Class, then;`. The class may be left out if it is
/// `Ordinary` and no `then` follows. `then` is optional. After the real driver's function has succeeded, `then` is called with the same
/// arguments. A row that begins with `name / per_thread(…)` exports two symbols. The default stream of the second is the calling thread's
/// own.
macro_rules! exports {
    ($($name:ident $(/ $per_thread:ident)? ($($arguments:tt)*) => $function:path $(, $class:ident $(, $then:path)?)?;)*) => {
        $(row!($name [$($per_thread)?] ($($arguments)*) $function, [$($class $(, $then)?)?]);)*

        /// The symbols of this table, with their addresses.
        pub(crate) fn supported() -> Vec<(&'static str, *mut c_void)> {
            vec![$(
                (stringify!($name), $name as *mut c_void),
                $((stringify!($per_thread), $per_thread as *mut c_void),)?
            )*]
        }
    };
}
pub(crate) use exports;

/// Exports the one or two symbols of a row.
macro_rules! row {
    ($name:ident [] $arguments:tt $function:path, $more:tt) => {
        export!(legacy $name $arguments $function, $more);
    };
    ($name:ident [$per_thread:ident] $arguments:tt $function:path, $more:tt) => {
        export!(legacy $name $arguments $function, $more);
        export!(of_thread $per_thread $arguments $function, $more);
    };
}
pub(crate) use row;

/// Exports one symbol.
macro_rules! export {
    (
        $default_stream:ident $name:ident($($argument:ident: $type:ty),* $(,)?) $function:path,
        [$($class:ident $(, $then:path)?)?]
    ) => {
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            type Signature = unsafe extern "C" fn($($type),*) -> i32;
            // SAFETY: the table gives each symbol CUDA's signature, so the real driver's function of that name
            // has this type.
            static REAL: Symbol<Signature> = unsafe {
                Symbol::new(concat!(stringify!($name), "\0"))
            };
            dispatch(
                stringify!($name),
                [$(Class::$class,)? Class::Ordinary][0],
                &mut |real| match REAL.find(real) {
                    Some(function) => {
                        // SAFETY: this symbol has the name and the signature of CUDA's function. So its caller
                        // keeps to that function's contract, and the same arguments are passed on.
                        let code = unsafe { function($($argument),*) };
                        follow!($($($then)?)?; code; $($argument),*);
                        code
                    }
                    None => Code::NOT_SUPPORTED.0,
                },
                &mut || default_stream::$default_stream(&mut || $function($($argument),*)),
            )
        }
    };
}
pub(crate) use export;

/// Exports symbols that the virtual device does not support: `name(argument: type, …);`.
macro_rules! unsupported {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            type Signature = unsafe extern "C" fn($($type),*) -> i32;
            // SAFETY: as in `export`: the table has CUDA's signatures, so `Signature` is the function's type.
            static REAL: Symbol<Signature> = unsafe {
                Symbol::new(concat!(stringify!($name), "\0"))
            };
            dispatch_unsupported(stringify!($name), &mut |real| {
                // SAFETY: as in `export`: the caller keeps to the contract of CUDA's function, and the same
                // arguments are passed on.
                REAL.find(real).map(|function| unsafe { function($($argument),*) })
            })
        }
        )*

        /// The driver calls that answer `CUDA_ERROR_NOT_SUPPORTED` on the virtual device, whatever their arguments.
        pub const UNSUPPORTED_CALLS: &[&str] = &[$(stringify!($name)),*];

        /// The symbols of this table, with their addresses.
        pub(crate) fn refused() -> Vec<(&'static str, *mut c_void)> {
            vec![$((stringify!($name), $name as *mut c_void)),*]
        }
    };
}
pub(crate) use unsupported;

/// Answers a call that the virtual device does not support.
pub(crate) fn dispatch_unsupported(
    name: &'static str,
    real: &mut dyn FnMut(&Real) -> Option<i32>,
) -> i32 {
    dispatch(
        name,
        Class::Ordinary,
        &mut |library| real(library).unwrap_or(Code::NOT_SUPPORTED.0),
        &mut || Err(Code::NOT_SUPPORTED),
    )
}

/// Calls a row's `then`, if the row has one and the real driver's call has succeeded.
macro_rules! follow {
    (; $code:ident; $($argument:ident),*) => {};
    ($then:path; $code:ident; $($argument:ident),*) => {
        if $code == SUCCESS {
            $then($($argument),*);
        }
    };
}
pub(crate) use follow;
