//! How much a text may make of itself. Calls are written out in place and calls within them again, so
//! that a short text can ask for a program without end, or for one that never fits into memory.

/// Instructions that one kernel may have, calls written out.
pub(super) const MAX_INSTRUCTIONS: usize = 1 << 20;
/// Registers that one kernel may have, calls written out: each takes 256 bytes of every warp.
pub(super) const MAX_REGISTERS: u32 = 1 << 16;
/// Problems that are listed.
pub(super) const MAX_PROBLEMS: usize = 10_000;
/// Statements, and labels of `brx.idx`, that all kernels of a text may have, calls written out.
const MAX_STATEMENTS: u64 = 1 << 22;

/// What is left of the statements of a text.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            left: MAX_STATEMENTS,
        }
    }

    /// Takes `count` statements, and the list that holds them, from the budget. When it returns
    /// `false`, nothing more may be written out.
    pub(super) fn spend(&mut self, count: usize) -> bool {
        self.left = self.left.saturating_sub(count as u64 + 1);
        self.left > 0
    }

    /// What is wrong with a text that has used up its budget.
    pub(super) fn problem(&self) -> Option<String> {
        (self.left == 0).then(|| {
            format!("more than {MAX_STATEMENTS} statements in all kernels, calls written out")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_once() {
        let mut budget = Budget::new();
        assert!(budget.spend(usize::try_from(MAX_STATEMENTS).unwrap() - 10));
        assert!(budget.spend(3));
        assert_eq!(budget.problem(), None);
        assert!(!budget.spend(100));
        assert!(!budget.spend(0));
        assert!(budget.problem().is_some());
    }
}
