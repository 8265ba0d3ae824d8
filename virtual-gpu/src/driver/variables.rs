//! Reads the environment variables of [`VARIABLES`].
//!
//! A value that cannot be read is an error. An unknown variable whose name begins with `VIRTUAL_GPU_` is an error too, because it may be a
//! misspelt name.

use crate::VARIABLES;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// The names of all variables except `VIRTUAL_GPU` begin with this prefix.
const PREFIX: &[u8] = b"VIRTUAL_GPU_";

/// An environment variable that cannot be used.
///
/// ```
/// use virtual_gpu::driver::Settings;
///
/// let error = Settings::from_variables([("VIRTUAL_GPU_SEED".into(), "seven".into())]).unwrap_err();
/// assert!(error.to_string().contains("VIRTUAL_GPU_SEED"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsError {
    /// Its value cannot be read.
    Value {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: OsString,
        /// The possible values.
        expected: &'static str,
    },
    /// The variable's name begins with `VIRTUAL_GPU_`, but is not in [`VARIABLES`].
    Unknown {
        /// The variable.
        variable: OsString,
        /// The known name that is most similar to the variable's name.
        nearest: &'static str,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Value {
                variable,
                value,
                expected,
            } => write!(f, "{variable}={value:?} is not {expected}"),
            SettingsError::Unknown { variable, nearest } => {
                let variable = variable.display();
                write!(f, "there is no setting {variable}: did you mean {nearest}?")
            }
        }
    }
}

impl Error for SettingsError {}

/// The values of the variables that are set, by name.
pub(super) struct Variables(BTreeMap<&'static str, OsString>);

impl Variables {
    /// Selects this driver's variables from an environment.
    pub(super) fn of(
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, SettingsError> {
        let mut found = BTreeMap::new();
        for (variable, value) in environment {
            match names().find(|name| variable == *name) {
                Some(name) => {
                    found.insert(name, value);
                }
                None if variable.as_encoded_bytes().starts_with(PREFIX) => {
                    let nearest = nearest(&variable);
                    return Err(SettingsError::Unknown { variable, nearest });
                }
                None => {}
            }
        }
        Ok(Self(found))
    }

    /// Parses the variable's value into `place`, if the environment sets the variable.
    pub(super) fn set<T>(
        &self,
        place: &mut T,
        variable: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<(), SettingsError> {
        if let Some(value) = self.0.get(variable) {
            let read = value.to_str().and_then(parse);
            *place = read.ok_or_else(|| SettingsError::Value {
                variable,
                value: value.clone(),
                expected: values(variable),
            })?;
        }
        Ok(())
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    VARIABLES.into_iter().map(|variable| variable.name)
}

/// The possible values of a variable, for messages.
fn values(name: &str) -> &'static str {
    let mut named = VARIABLES
        .into_iter()
        .filter(|variable| variable.name == name);
    named.next().map_or("", |variable| variable.values)
}

/// The known name that was probably meant. Known names that begin with the given name are preferred. If several known names begin with the
/// given name, or if none does, the smallest edit distance decides.
fn nearest(variable: &OsStr) -> &'static str {
    let written = variable.as_encoded_bytes();
    let unlikeness = |name: &&str| {
        let is_cut_short = name.as_bytes().starts_with(written);
        (!is_cut_short, distance(written, name.as_bytes()))
    };
    names().min_by_key(unlikeness).unwrap_or_default()
}

/// The edit distance of two texts: the smallest number of insertions, deletions and substitutions that turn one text into the other.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in to.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = exchanged.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_refused_with_the_nearest() {
        for (variable, expected) in [
            ("VIRTUAL_GPU_STEP", "VIRTUAL_GPU_STEPS"),
            ("VIRTUAL_GPU_MEM", "VIRTUAL_GPU_MEMORY"),
            ("VIRTUAL_GPU_MEMROY", "VIRTUAL_GPU_MEMORY"),
            ("VIRTUAL_GPU_DEVICE", "VIRTUAL_GPU_DEVICES"),
            ("VIRTUAL_GPU_CHECK", "VIRTUAL_GPU_CHECKS"),
            ("VIRTUAL_GPU_SM", "VIRTUAL_GPU_SMS"),
        ] {
            let variables = [(variable.into(), "1".into())];
            let Err(error) = Variables::of(variables) else {
                panic!("{variable} is no setting");
            };
            let message = format!("there is no setting {variable}: did you mean {expected}?");
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn variables_with_other_prefixes_are_ignored() {
        let others = ["VIRTUAL_GPUS", "MY_VIRTUAL_GPU_STEP", "PATH", ""];
        let variables = others.map(|name| (name.into(), "1".into()));
        assert!(Variables::of(variables).is_ok_and(|found| found.0.is_empty()));
    }

    #[test]
    fn edit_distances() {
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"abc", b""), 3);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"same", b"same"), 0);
    }
}
