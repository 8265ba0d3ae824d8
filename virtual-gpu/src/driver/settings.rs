//! What the driver is asked to be: read from the environment, or set by the program before its
//! first call.
//!
//! | variable | value | without it |
//! |---|---|---|
//! | `VIRTUAL_GPU` | `on`, `off`, `auto` | `auto`: the real driver if it has a device |
//! | `VIRTUAL_GPU_DEVICES` | how many devices there are | 1 |
//! | `VIRTUAL_GPU_SMS` | multiprocessors of each | 4 |
//! | `VIRTUAL_GPU_ARCH` | such as `sm_80`; sets its limits too | `sm_90` |
//! | `VIRTUAL_GPU_MEMORY` | bytes of each, or with `K`, `M`, `G` | `16G` |
//! | `VIRTUAL_GPU_SEED` | seed of the schedule | 0 |
//! | `VIRTUAL_GPU_POLICY` | `seeded`, `reversed`, `one-block`, `starved`, `stale` | `seeded` |
//! | `VIRTUAL_GPU_CHECKS` | `all`, `none`, `default`, or of `memory,sync,race,init,copies,leaks` those wanted | `default`: all but `copies` |
//! | `VIRTUAL_GPU_STEPS` | warp instructions until a launch counts as hung | 20000000000 |
//!
//! Nothing is passed over in silence: where a value cannot be read, or a name is none of these,
//! `cuInit` fails, and [`mode`](crate::mode()) says why.

use crate::driver::architectures;
use crate::driver::variables::{SettingsError, Variables};
use crate::{Checks, DeviceConfig, Policy, RunOptions};
use std::env;
use std::ffi::OsString;
use std::str::FromStr;

/// Most devices that a machine has.
const MOST_DEVICES: u32 = 16;

/// Whose device the program is to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// The real driver's where it is there and has a device, the virtual one otherwise.
    #[default]
    Auto,
    /// Always the virtual device.
    On,
    /// Always the real driver's.
    Off,
}

/// What the driver is asked to be.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whose device the program is to get.
    pub choice: Choice,
    /// How many virtual devices there are.
    pub devices: Devices,
    /// The make of each virtual device.
    pub device: DeviceConfig,
    /// How launches are run where the launching thread has not asked for something else.
    pub run: RunOptions,
}

/// A number of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Devices(u32);

impl Devices {
    /// So many devices, 1 to 16.
    pub fn new(count: u32) -> Option<Self> {
        (1..=MOST_DEVICES).contains(&count).then_some(Self(count))
    }

    /// How many.
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
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::from_variables(env::vars_os())
    }

    /// The settings that these variables, with their values, ask for. Those of other names are passed
    /// over, but for names that begin with `VIRTUAL_GPU_`.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, SettingsError> {
        let read = Variables::of(variables)?;
        let mut settings = Self::default();
        read.set(
            &mut settings.choice,
            "VIRTUAL_GPU",
            "on, off or auto",
            choice,
        )?;
        read.set(
            &mut settings.devices,
            "VIRTUAL_GPU_DEVICES",
            "a number of devices from 1 to 16",
            |text| Devices::new(number(text)?),
        )?;
        read.set(
            &mut settings.device,
            "VIRTUAL_GPU_ARCH",
            architectures::NAMES,
            architectures::device,
        )?;
        read.set(
            &mut settings.device.multiprocessors,
            "VIRTUAL_GPU_SMS",
            "a number of multiprocessors from 1 to 1024",
            |text| number(text).filter(|count| (1..=1024).contains(count)),
        )?;
        read.set(
            &mut settings.device.memory_bytes,
            "VIRTUAL_GPU_MEMORY",
            "a number of bytes, such as 1073741824, 1024M or 1G",
            bytes,
        )?;
        read.set(
            &mut settings.run.seed,
            "VIRTUAL_GPU_SEED",
            "a number",
            number,
        )?;
        read.set(
            &mut settings.run.policy,
            "VIRTUAL_GPU_POLICY",
            "one of seeded, reversed, one-block, starved, stale",
            Policy::parse,
        )?;
        read.set(
            &mut settings.run.checks,
            "VIRTUAL_GPU_CHECKS",
            "all, none, default, or some of memory, sync, race, init, copies, leaks with commas between",
            Checks::parse,
        )?;
        read.set(
            &mut settings.run.step_budget,
            "VIRTUAL_GPU_STEPS",
            "a number of warp instructions from 1 on",
            |text| number(text).filter(|steps| *steps > 0),
        )?;
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

/// Digits, and nothing else.
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
    use crate::driver::variables::NAMES;

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
        assert_eq!(variables.len(), NAMES.len());
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
    fn what_cannot_be_read_is_named() {
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
