//! The driver's configuration: read from the environment, or set by the program before its first driver call. The variables are listed in
//! [`VARIABLES`](crate::VARIABLES).
//!
//! There are two possible errors: a value that cannot be read, and an unlisted variable whose name begins with `VIRTUAL_GPU_`. After such
//! an error `cuInit` fails, and [`mode`](crate::mode()) says why.

use crate::driver::architectures;
use crate::driver::variables::{SettingsError, Variables};
use crate::{Checks, DeviceConfig, Policy, RunOptions};
use std::env;
use std::ffi::OsString;
use std::str::FromStr;

/// The most devices that a machine can have.
const MOST_DEVICES: u32 = 16;

/// Which device the program gets.
///
/// ```
/// use virtual_gpu::driver::{Choice, Settings};
///
/// assert_eq!(Settings::default().choice, Choice::Auto);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// The real device if there is one, the virtual device otherwise.
    #[default]
    Auto,
    /// Always the virtual device.
    On,
    /// Always the device of the real driver.
    Off,
}

/// The driver's configuration.
///
/// ```
/// use virtual_gpu::driver::{Choice, Settings};
/// use virtual_gpu::{Checks, RunOptions};
///
/// let settings = Settings {
///     choice: Choice::On,
///     run: RunOptions { checks: Checks::all(), ..RunOptions::default() },
///     ..Settings::default()
/// };
/// assert_eq!(settings.devices.count(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which device the program gets.
    pub choice: Choice,
    /// How many virtual devices there are.
    pub devices: Devices,
    /// The limits of each virtual device.
    pub device: DeviceConfig,
    /// Options of launches and other work, unless the thread that enqueues the work sets others.
    pub run: RunOptions,
}

/// A number of devices.
///
/// ```
/// assert_eq!(virtual_gpu::driver::Devices::default().count(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Devices(u32);

impl Devices {
    /// A number of devices from 1 to 16. `None` for another number.
    ///
    /// ```
    /// use virtual_gpu::driver::Devices;
    ///
    /// assert_eq!(Devices::new(4).map(Devices::count), Some(4));
    /// assert_eq!(Devices::new(17), None);
    /// ```
    pub fn new(count: u32) -> Option<Self> {
        (1..=MOST_DEVICES).contains(&count).then_some(Self(count))
    }

    /// The number.
    ///
    /// ```
    /// use virtual_gpu::driver::Devices;
    ///
    /// assert_eq!(Devices::new(4).map(Devices::count), Some(4));
    /// ```
    pub fn count(self) -> u32 {
        self.0
    }
}

impl Default for Devices {
    fn default() -> Self {
        Self(1)
    }
}

impl Settings {
    /// The settings that the environment asks for.
    ///
    /// ```
    /// use virtual_gpu::driver::Settings;
    ///
    /// match Settings::from_env() {
    ///     Ok(settings) => println!("{:?}", settings.choice),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A variable of [`VARIABLES`](crate::VARIABLES) has a value that cannot be read, or an unlisted
    /// variable has a name that begins with `VIRTUAL_GPU_`.
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::from_variables(env::vars_os())
    }

    /// The settings of these variables and values. Unlisted variables are ignored, unless their names
    /// begin with `VIRTUAL_GPU_`.
    ///
    /// ```
    /// use virtual_gpu::driver::{Choice, Settings};
    ///
    /// let settings = Settings::from_variables([("VIRTUAL_GPU".into(), "on".into())])?;
    /// assert_eq!(settings.choice, Choice::On);
    /// assert!(Settings::from_variables([("VIRTUAL_GPU_SEDE".into(), "7".into())]).is_err());
    /// # Ok::<(), virtual_gpu::driver::SettingsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`from_env`](Self::from_env).
    pub fn from_variables(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, SettingsError> {
        let read = Variables::of(variables)?;
        let mut settings = Self::default();
        read.set(&mut settings.choice, "VIRTUAL_GPU", choice)?;
        read.set(&mut settings.devices, "VIRTUAL_GPU_DEVICES", |text| {
            Devices::new(number(text)?)
        })?;
        read.set(
            &mut settings.device,
            "VIRTUAL_GPU_ARCH",
            architectures::device,
        )?;
        read.set(
            &mut settings.device.multiprocessors,
            "VIRTUAL_GPU_SMS",
            |text| number(text).filter(|count| (1..=1024).contains(count)),
        )?;
        read.set(
            &mut settings.device.memory_bytes,
            "VIRTUAL_GPU_MEMORY",
            bytes,
        )?;
        read.set(&mut settings.run.seed, "VIRTUAL_GPU_SEED", number)?;
        read.set(
            &mut settings.run.policy,
            "VIRTUAL_GPU_POLICY",
            Policy::parse,
        )?;
        read.set(
            &mut settings.run.checks,
            "VIRTUAL_GPU_CHECKS",
            Checks::parse,
        )?;
        read.set(&mut settings.run.step_budget, "VIRTUAL_GPU_STEPS", |text| {
            number(text).filter(|steps| *steps > 0)
        })?;
        Ok(settings)
    }
}

fn choice(text: &str) -> Option<Choice> {
    match text {
        "on" => Some(Choice::On),
        "off" => Some(Choice::Off),
        "auto" => Some(Choice::Auto),
        _ => None,
    }
}

/// Parses a number that consists of digits only.
fn number<N: FromStr>(text: &str) -> Option<N> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 10),
        b'M' | b'm' => (&text[..text.len() - 1], 20),
        b'G' | b'g' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let count: u64 = number(digits)?;
    count.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VARIABLES;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let owned = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        Settings::from_variables(owned)
    }

    #[test]
    fn an_empty_environment_gives_the_defaults() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.choice, Choice::Auto);
        assert_eq!(settings.devices.count(), 1);
        assert_eq!(settings.device, DeviceConfig::default());
    }

    #[test]
    fn the_listed_defaults_are_the_actual_defaults() {
        let listed = VARIABLES.map(|variable| (variable.name, variable.default));
        let [listed, none] = [read(&listed), read(&[])].map(|read| format!("{:?}", read.unwrap()));
        assert_eq!(listed, none);
    }

    #[test]
    fn every_variable_is_read() {
        let variables = [
            ("VIRTUAL_GPU", "on"),
            ("VIRTUAL_GPU_DEVICES", "2"),
            ("VIRTUAL_GPU_SMS", "7"),
            ("VIRTUAL_GPU_ARCH", "sm_103"),
            ("VIRTUAL_GPU_MEMORY", "3M"),
            ("VIRTUAL_GPU_SEED", "18446744073709551615"),
            ("VIRTUAL_GPU_STEPS", "9"),
            ("VIRTUAL_GPU_POLICY", "one-block"),
            ("VIRTUAL_GPU_CHECKS", "memory,init"),
        ];
        assert_eq!(variables.len(), VARIABLES.len());
        let settings = read(&variables).unwrap();
        assert_eq!(settings.choice, Choice::On);
        assert_eq!(settings.devices.count(), 2);
        assert_eq!(settings.device.multiprocessors, 7);
        assert_eq!(settings.device.compute_capability, (10, 3));
        assert_eq!(settings.device.shared_bytes_per_block_optin, 227 << 10);
        assert_eq!(settings.device.memory_bytes, 3 << 20);
        assert_eq!(settings.run.seed, u64::MAX);
        assert_eq!(settings.run.step_budget, 9);
        assert_eq!(settings.run.policy, Policy::OneBlock);
        assert_eq!(Some(settings.run.checks), Checks::parse("init"));
    }

    #[test]
    fn errors_name_the_variable_and_its_value() {
        for (variable, value) in [
            ("VIRTUAL_GPU", "ON"),
            ("VIRTUAL_GPU", ""),
            ("VIRTUAL_GPU", " on"),
            ("VIRTUAL_GPU_DEVICES", "0"),
            ("VIRTUAL_GPU_SMS", "-1"),
            ("VIRTUAL_GPU_ARCH", "90"),
            ("VIRTUAL_GPU_ARCH", "sm_60"),
            ("VIRTUAL_GPU_ARCH", "sm_199"),
            ("VIRTUAL_GPU_MEMORY", "G"),
            ("VIRTUAL_GPU_MEMORY", "99999999999999999999"),
            ("VIRTUAL_GPU_MEMORY", "99999999999G"),
            ("VIRTUAL_GPU_SEED", "x"),
            ("VIRTUAL_GPU_SEED", "+1"),
            ("VIRTUAL_GPU_STEPS", "0"),
            ("VIRTUAL_GPU_POLICY", "random"),
            ("VIRTUAL_GPU_CHECKS", "races"),
        ] {
            let Err(SettingsError::Value {
                variable: named,
                value: offered,
                ..
            }) = read(&[(variable, value)])
            else {
                panic!("{variable}={value} is read");
            };
            assert_eq!((named, offered.to_str()), (variable, Some(value)));
        }
    }
}
