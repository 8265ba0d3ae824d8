//! What watches a run, beside the checks of memory accesses, which are always on.

/// Which checks watch a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// Barriers and `*.sync` instructions: who must take part, and does.
    pub sync: Switch,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Watch, and stop the launch at the first finding.
    On,
    /// Do not watch: go on as a real device might.
    Off,
}

impl Default for Checks {
    fn default() -> Self {
        Self { sync: Switch::On }
    }
}
