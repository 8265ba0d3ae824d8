//! The kernels that are compiled and tested: all kernels, or a few of them.

use anyhow::{Result, bail};

use super::few::FEW;
use crate::executables::Executable;
use crate::kernel_set::KernelSet;

/// The test of the kernels' bits, which runs on each architecture.
const BITS: &str = "bits";

/// Tests of the library that depend on the kernels' text, on the launches, or on a launch's cost.
const TESTS: [&str; 17] = [
    BITS,
    "by_key",
    "columns",
    "counted",
    "counters",
    "errors",
    "large",
    "long_scans",
    "one_pass",
    "overhead",
    "pieces",
    "repeats",
    "schedules",
    "segments",
    "selection",
    "slices",
    "streams",
];

/// The test of the ladder.
const LADDER: &str = "ladder";

/// The architectures that the library's kernels are compiled for.
const ARCHITECTURES: [&str; 2] = ["sm_90", "sm_70"];

/// The library makes the texts for the device `MADE` from the texts for the device `MADE_OF`.
const MADE: &str = "sm_80";
const MADE_OF: &str = "sm_90";

/// The architecture of the ladder's kernels.
const LADDER_ARCHITECTURE: &str = "sm_70";

/// The scope of the compilation and of the tests.
pub struct Scope {
    /// Whether only a few kernels are compiled, and only the test `bits` runs.
    pub is_few: bool,
    /// The architectures of the library's kernels.
    pub architectures: Vec<&'static str>,
}

impl Scope {
    /// The scope that the command line requests: everything or, with `--few`, a few kernels. If architectures follow `--few`, the kernels
    /// are compiled for these architectures, otherwise for all of [`ARCHITECTURES`].
    pub fn new(arguments: &[&str]) -> Result<Self> {
        let (is_few, named) = match arguments {
            [] => (false, arguments),
            ["--few", named @ ..] => (true, named),
            _ => bail!("only `--few` can be said of it, with architectures"),
        };
        if let Some(name) = named.iter().find(|name| !ARCHITECTURES.contains(name)) {
            bail!("no architecture is called `{name}`; there are {ARCHITECTURES:?}");
        }
        let is_named = |name: &&str| named.is_empty() || named.contains(name);
        Ok(Self {
            is_few,
            architectures: ARCHITECTURES.into_iter().filter(is_named).collect(),
        })
    }

    /// The names of the library's texts, each with its part of the kernels.
    pub fn texts(&self) -> Vec<(&'static str, KernelSet)> {
        let library = self.architectures.iter();
        library.map(|&name| (name, KernelSet::Library)).collect()
    }

    /// The names of the ladder's texts, each with its part of the kernels. Empty if the ladder is not compiled.
    pub fn ladder_texts(&self) -> &'static [(&'static str, KernelSet)] {
        match self.architectures.contains(&LADDER_ARCHITECTURE) {
            true => &[
                ("ladder", KernelSet::Ladder),
                ("ladder_nested", KernelSet::Nested),
            ],
            false => &[],
        }
    }

    /// The kernels of a part that are compiled.
    pub fn symbols(&self, part: KernelSet) -> Vec<&'static str> {
        let all = part.symbols().into_iter();
        all.filter(|symbol| !self.is_few || FEW.contains(symbol))
            .collect()
    }

    /// The library's tests, by name.
    pub fn tests(&self) -> &'static [&'static str] {
        match self.is_few {
            true => &[BITS],
            false => &TESTS,
        }
    }

    /// The ladder's tests, by name.
    pub fn ladder_tests(&self) -> &'static [&'static str] {
        match self.is_few {
            true => &[],
            false => &[LADDER],
        }
    }

    /// The devices on which a test runs.
    pub fn architectures_of(&self, test: &Executable) -> Vec<&'static str> {
        match test.name == format!("test-{BITS}") {
            true => self.devices(),
            false => self.architectures[..1].to_owned(),
        }
    }

    /// The devices that have separate texts: those in `architectures` and, if [`MADE_OF`] is among them, also [`MADE`].
    pub fn devices(&self) -> Vec<&'static str> {
        let mut devices = self.architectures.clone();
        if devices.contains(&MADE_OF) {
            devices.push(MADE);
        }
        devices
    }

    /// A test's arguments, which select its cases.
    pub fn cases(&self) -> Vec<&'static str> {
        match self.is_few {
            true => [vec!["--exact"], self.symbols(KernelSet::Library)].concat(),
            false => Vec::new(),
        }
    }

    /// The profile of the tests. With all kernels the tests take long, so a release build saves time.
    pub fn profile(&self) -> &'static str {
        match self.is_few {
            true => "dev",
            false => "release",
        }
    }
}
