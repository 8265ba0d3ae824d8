//! Limits on the size of programs. Calls are expanded in place, including calls within called functions. So without limits a short text
//! could need exponential time and memory.

/// The greatest number of instructions in a kernel, with calls expanded.
pub(super) const MAX_INSTRUCTIONS: usize = 1 << 20;
/// The greatest number of registers in a kernel, with calls expanded. A register that shares no row takes 256 bytes in every warp.
pub(super) const MAX_REGISTERS: u32 = 1 << 16;
/// When this many problems are listed, further problems in kernels are left out.
pub(super) const MAX_PROBLEMS: usize = 10_000;
/// The greatest number of statements in all kernels of a text together, with calls expanded. Each label of a `brx.idx` counts as a
/// statement.
const MAX_STATEMENTS: u64 = 1 << 22;

/// The remaining budget of statements.
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

    /// Takes `count + 1` statements from the budget: a list of `count` statements costs one more. If this returns `false`, expansion must
    /// stop.
    pub(super) fn spend(&mut self, count: usize) -> bool {
        self.left = self.left.saturating_sub(count as u64 + 1);
        self.left > 0
    }

    /// The error of a text that has used up its budget.
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
    fn an_exceeded_budget_stays_exceeded() {
        let mut budget = Budget::new();
        assert!(budget.spend(usize::try_from(MAX_STATEMENTS).unwrap() - 10));
        assert!(budget.spend(3));
        assert_eq!(budget.problem(), None);
        assert!(!budget.spend(100));
        assert!(!budget.spend(0));
        assert!(budget.problem().is_some());
    }
}
