//! From a C symbol to the one that answers it: the real driver's function of the same name, or
//! ours.
//!
//! Every call passes through [`dispatch`], so it is here, once, that faults are injected and calls
//! recorded, that a call is refused inside a host function of a stream, and that a panic of ours (a
//! defect) ends as `CUDA_ERROR_UNKNOWN` and not in the C caller's frames.

use crate::driver::code::{Code, Outcome, SUCCESS};
use crate::driver::inject::{self, Verdict};
use crate::driver::mode::{Backend, backend};
use crate::driver::objects::work;
use crate::driver::seam::real::Real;
use crate::driver::timing::timed;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is particular about a call. Matters to injected faults and to calls with nobody to answer
/// them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing.
    Ordinary,
    /// Waits for work, so it is where a deferred error shows.
    Synchronises,
    /// Works in a context that a sticky error has poisoned.
    Survives,
    /// Needs no device at all.
    Pure,
    /// `cuInit`.
    Starts,
}

thread_local! {
    static INSIDE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Whether the calling thread is inside a driver call. An allocator that counts what a program
/// allocates can leave out what the driver does.
pub fn inside_a_call() -> bool {
    current_call().is_some()
}

/// The driver call that the calling thread is inside of, spelt as the exported symbol.
pub(crate) fn current_call() -> Option<&'static str> {
    INSIDE.try_with(Cell::get).unwrap_or(None)
}

/// Marks the thread as inside a call until this is dropped.
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
        // Where the thread's storage is gone already, nobody asks.
        let _ = INSIDE.try_with(|inside| inside.set(self.outer));
    }
}

/// Answers one call.
pub(crate) fn dispatch(
    name: &'static str,
    class: Class,
    real: impl FnOnce(&Real) -> i32,
    ours: impl FnOnce() -> Outcome,
) -> i32 {
    let _inside = Inside::enter(name);
    let answer = || {
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

fn route(class: Class, real: impl FnOnce(&Real) -> i32, ours: impl FnOnce() -> Outcome) -> i32 {
    match backend() {
        Backend::Real(library) => real(library),
        Backend::Virtual(_) if class != Class::Pure && work::inside_host_function() => {
            Code::NOT_PERMITTED.0
        }
        Backend::Virtual(_) => number(ours()),
        Backend::Nobody(_) if class == Class::Pure => number(ours()),
        Backend::Nobody(reason) if class == Class::Starts => reason.code().0,
        Backend::Nobody(_) => Code::NOT_INITIALIZED.0,
    }
}

fn number(outcome: Outcome) -> i32 {
    match outcome {
        Ok(()) => SUCCESS,
        Err(code) => code.0,
    }
}

/// Exports the symbols of a table: `name(argument: type, …) => function, Class, then;`. Without a
/// class it is `Ordinary`; without a function the call is not supported on the virtual device. What
/// comes last is called with the same arguments when the real driver has answered.
macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),* $(,)?) $(=> $function:path $(, $class:ident $(, $then:path)?)?)?;)*) => {
        $(
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
                [$($(Class::$class,)?)? Class::Ordinary][0],
                |real| match REAL.find(real) {
                    Some(function) => {
                        // SAFETY: this has the name and the signature of CUDA's function, so its caller
                        // keeps to the contract of that function, and the arguments are the same.
                        let code = unsafe { function($($argument),*) };
                        follow!($($($($then)?)?)?; code; $($argument),*);
                        code
                    }
                    None => Code::NOT_SUPPORTED.0,
                },
                || answer!($($function)?; $($argument),*),
            )
        }
    )*

    /// The address of the exported symbol of that name.
    pub(crate) fn address_of(name: &str) -> Option<*mut c_void> {
        match name {
            $(stringify!($name) => Some($name as *mut c_void),)*
            _ => None,
        }
    }};
}
pub(crate) use exports;

/// What the virtual device answers to a row of the table.
macro_rules! answer {
    (; $($argument:ident),*) => {
        Err(Code::NOT_SUPPORTED)
    };
    ($function:path; $($argument:ident),*) => {
        $function($($argument),*)
    };
}
pub(crate) use answer;

/// What a row of the table has to do when the real driver has answered, if anything.
macro_rules! follow {
    (; $code:ident; $($argument:ident),*) => {};
    ($then:path; $code:ident; $($argument:ident),*) => {
        if $code == SUCCESS {
            $then($($argument),*);
        }
    };
}
pub(crate) use follow;
