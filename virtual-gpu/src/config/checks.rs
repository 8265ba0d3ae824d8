//! The checks that may be switched on and off.

/// Which checks watch a run. The alignment and the bounds of memory accesses are always checked.
///
/// ```
/// use virtual_gpu::{Checks, Switch};
///
/// let mut checks = Checks::none();
/// checks.race = Switch::On; // data races alone
/// assert_eq!(Some(checks), Checks::parse("race"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Barriers that a thread should reach and does not, `*.sync` instructions with a wrong member mask, and shuffles that read from a lane
    /// that takes no part.
    pub sync: Switch,
    /// Data races within a launch, in global and shared memory. Also data races between launches, copies, fills and stream-ordered frees,
    /// in global and page-locked memory.
    pub race: Switch,
    /// Unwritten bytes that decide, for example, a branch, an address, or which lanes take part in an instruction.
    pub init: Switch,
    /// Copies of unwritten bytes to the host. Such copies are reported, and not stopped. Off by default, because a correct program may copy
    /// more than its kernels wrote.
    pub copies: Switch,
    /// Memory, modules, streams and events that are still alive when their context is released or destroyed. This check belongs to the
    /// process, not to a launch.
    pub leaks: Switch,
}

/// On or off.
///
/// ```
/// use virtual_gpu::{Checks, Switch};
///
/// assert_eq!(Checks::default().copies, Switch::Off);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Watch. `copies` and `leaks` only report a mistake. With the other checks, the work that makes the mistake also fails.
    On,
    /// Do not watch. After a mistake, the run continues as it might on a real device.
    Off,
}

impl Default for Checks {
    fn default() -> Self {
        Self {
            sync: Switch::On,
            race: Switch::On,
            init: Switch::On,
            copies: Switch::Off,
            leaks: Switch::On,
        }
    }
}

impl Checks {
    /// Every check.
    ///
    /// ```
    /// assert_eq!(virtual_gpu::Checks::all().copies, virtual_gpu::Switch::On);
    /// ```
    pub fn all() -> Self {
        Self {
            copies: Switch::On,
            ..Self::default()
        }
    }

    /// Every switch is off. The alignment and the bounds of memory accesses are still checked.
    ///
    /// ```
    /// assert_eq!(virtual_gpu::Checks::none().sync, virtual_gpu::Switch::Off);
    /// ```
    pub fn none() -> Self {
        Self {
            sync: Switch::Off,
            race: Switch::Off,
            init: Switch::Off,
            copies: Switch::Off,
            leaks: Switch::Off,
        }
    }

    /// Parses `all`, `none`, `default`, or a comma-separated list of `memory` (which is always on), `sync`, `race`, `init`, `copies` and
    /// `leaks`.
    ///
    /// ```
    /// use virtual_gpu::Checks;
    ///
    /// assert_eq!(Checks::parse("all"), Some(Checks::all()));
    /// assert!(Checks::parse("sync,race").is_some());
    /// assert_eq!(Checks::parse("races"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => return Some(Self::all()),
            "none" => return Some(Self::none()),
            "default" => return Some(Self::default()),
            _ => {}
        }
        let mut checks = Self::none();
        for name in text.split(',') {
            match name {
                "memory" => {}
                "sync" => checks.sync = Switch::On,
                "race" => checks.race = Switch::On,
                "init" => checks.init = Switch::On,
                "copies" => checks.copies = Switch::On,
                "leaks" => checks.leaks = Switch::On,
                _ => return None,
            }
        }
        Some(checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_parsed_from_names_and_lists() {
        assert_eq!(Checks::parse("all"), Some(Checks::all()));
        assert_eq!(Checks::parse("none"), Some(Checks::none()));
        assert_eq!(Checks::parse("memory"), Some(Checks::none()));
        let some = Checks {
            init: Switch::On,
            sync: Switch::On,
            ..Checks::none()
        };
        assert_eq!(Checks::parse("init,memory,sync"), Some(some));
        assert_eq!(Checks::parse("sync,"), None);
        assert_eq!(Checks::parse("Race"), None);
    }
}
