//! Decides once which device the process gets: at the first driver call, or at the first call of [`start`], [`mode`] or another function
//! that depends on this decision, whichever comes first.

use crate::driver::claim::{self, Claim};
use crate::driver::code::Code;
use crate::driver::objects::machine::Machine;
use crate::driver::seam::real::{self, Real};
use crate::driver::settings::{Choice, Settings};
use crate::driver::variables::SettingsError;
use std::error::Error;
use std::fmt;
use std::sync::OnceLock;

/// Who answers the driver calls of this process.
///
/// ```
/// use virtual_gpu::driver::{Choice, Mode, Settings, mode, start};
///
/// start(Settings { choice: Choice::On, ..Settings::default() })?;
/// assert_eq!(mode(), Ok(Mode::Virtual));
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The real driver: each call is passed on to it.
    Real,
    /// This crate: there is no real device, or the settings ask for the virtual device.
    Virtual,
}

/// Why no driver can be chosen. `cuInit` then fails.
///
/// ```
/// use virtual_gpu::driver::{Code, ModeError};
///
/// assert_eq!(ModeError::NoDriver("no libcuda.so.1".to_owned()).code(), Code::NO_DEVICE);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModeError {
    /// An environment variable cannot be used; `cuInit` returns `CUDA_ERROR_INVALID_VALUE`.
    Settings(SettingsError),
    /// The real driver is asked for, and no library of a real driver can be opened; `cuInit` returns `CUDA_ERROR_NO_DEVICE`.
    NoDriver(String),
    /// Another copy of this crate answers as the virtual device in this process; `cuInit` returns
    /// `CUDA_ERROR_SYSTEM_DRIVER_MISMATCH`.
    TwoDrivers,
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModeError::Settings(error) => error.fmt(f),
            ModeError::NoDriver(why) => {
                write!(f, "VIRTUAL_GPU=off, and there is no CUDA driver: {why}")
            }
            ModeError::TwoDrivers => f.write_str(
                "there are two virtual drivers in this process, such as one that is linked in and one that was loaded as \
                 libcuda.so.1; what one of them has allocated the other does not know",
            ),
        }
    }
}

impl Error for ModeError {}

impl From<SettingsError> for ModeError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl ModeError {
    /// The result of `cuInit`.
    ///
    /// ```
    /// use virtual_gpu::driver::{Code, ModeError};
    ///
    /// assert_eq!(ModeError::TwoDrivers.code(), Code::SYSTEM_DRIVER_MISMATCH);
    /// ```
    pub fn code(&self) -> Code {
        match self {
            ModeError::Settings(_) => Code::INVALID_VALUE,
            ModeError::NoDriver(_) => Code::NO_DEVICE,
            ModeError::TwoDrivers => Code::SYSTEM_DRIVER_MISMATCH,
        }
    }
}

/// The error of [`start`]: the driver was already started.
///
/// ```
/// use virtual_gpu::driver::{AlreadyStarted, Choice, Settings, start};
///
/// let on = Settings { choice: Choice::On, ..Settings::default() };
/// assert_eq!(start(on.clone()), Ok(()));
/// assert_eq!(start(on), Err(AlreadyStarted));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyStarted;

impl fmt::Display for AlreadyStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the driver has already been started, and its settings cannot be changed any more",
        )
    }
}

impl Error for AlreadyStarted {}

/// The driver that answers.
pub(crate) enum Backend {
    Real(Real),
    Virtual(Box<Machine>),
    Nobody(ModeError),
}

static BACKEND: OnceLock<Backend> = OnceLock::new();

/// Starts the driver with these settings instead of the settings in environment variables. Call it before any driver call.
///
/// ```
/// use virtual_gpu::driver::{Choice, Devices, Mode, Settings, mode, start};
///
/// start(Settings {
///     choice: Choice::On,
///     devices: Devices::new(2).expect("1 to 16"),
///     ..Settings::default()
/// })?;
/// assert_eq!(mode(), Ok(Mode::Virtual));
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
///
/// # Errors
///
/// The driver was started before, for example by a driver call, by [`mode`], or by this function.
pub fn start(settings: Settings) -> Result<(), AlreadyStarted> {
    let mut ours = false;
    BACKEND.get_or_init(|| {
        ours = true;
        decide(Ok(settings))
    });
    if ours { Ok(()) } else { Err(AlreadyStarted) }
}

/// Who answers the driver calls of this process, or why nobody does.
///
/// ```
/// use virtual_gpu::driver::{Mode, mode};
///
/// match mode() {
///     Ok(Mode::Real) => println!("calls go to the driver of a GPU"),
///     Ok(Mode::Virtual) => println!("this crate answers"),
///     Err(reason) => println!("there is no driver: {reason}"),
/// }
/// ```
///
/// # Errors
///
/// Fails if an environment variable cannot be used, if the settings ask for the real driver and no real driver can be opened, or if another
/// copy of this crate already answers in this process.
pub fn mode() -> Result<Mode, ModeError> {
    match backend() {
        Backend::Real(_) => Ok(Mode::Real),
        Backend::Virtual(_) => Ok(Mode::Virtual),
        Backend::Nobody(reason) => Err(reason.clone()),
    }
}

pub(crate) fn backend() -> &'static Backend {
    BACKEND.get_or_init(|| decide(Settings::from_env()))
}

/// The virtual machine, whether or not `cuInit` was called. `None` if this process has no virtual machine.
pub(crate) fn machine() -> Option<&'static Machine> {
    match backend() {
        Backend::Virtual(machine) => Some(machine),
        Backend::Real(_) | Backend::Nobody(_) => None,
    }
}

fn virtual_machine(settings: Settings) -> Backend {
    match claim::claim() {
        Claim::Ours => Backend::Virtual(Box::new(Machine::new(settings))),
        Claim::Taken => Backend::Nobody(ModeError::TwoDrivers),
    }
}

fn decide(settings: Result<Settings, SettingsError>) -> Backend {
    let backend = match settings {
        Err(error) => Backend::Nobody(error.into()),
        Ok(settings) => match settings.choice {
            Choice::On => virtual_machine(settings),
            Choice::Off => match real::open() {
                Ok(real) => Backend::Real(real),
                Err(reason) => Backend::Nobody(ModeError::NoDriver(reason)),
            },
            Choice::Auto => match real::open() {
                Ok(real) if real.has_device() => Backend::Real(real),
                _ => virtual_machine(settings),
            },
        },
    };
    if let Backend::Nobody(reason) = &backend {
        eprintln!("virtual-gpu: {reason}");
    }
    backend
}
