//! Makes texts for older devices from the texts for compute capability 9.0, so that the library ships only texts for 9.0.
//!
//! Besides the version and the target, texts for 9.0 differ from texts for 8.0 in two ways. First, every kernel for 9.0 begins with a wait,
//! because its launch may begin before preceding work has ended. This module removes the wait. Second, kernels for 9.0 of selections, and
//! of scans of whole arrays, can ask the L2 cache to evict their input last. The benefit of that was measured on 9.0 only, so this module
//! gives the input the normal eviction priority. All other lines are the same, since 8.0 has their instructions.
//!
//! In texts for 7.0, instructions that 7.0 lacks, above all asynchronous copies, are also replaced by others: see
//! [`synchronous`](mod@crate::synchronous).

use crate::synchronous::synchronous;

/// The compute capability of the source texts, and the lines that name it.
pub const FROM: (u32, u32) = (9, 0);
const FROM_LINES: &str = ".version 7.8\n.target sm_90\n";

/// A compute capability for which texts are made, and the lines that name it.
pub struct Older {
    /// The major and the minor number.
    pub capability: (u32, u32),
    lines: &'static str,
    /// Whether devices of this capability have all instructions of 8.0.
    has_all: bool,
}

/// Texts for 8.0.
pub const FOR_8_0: Older = Older {
    capability: (8, 0),
    lines: ".version 7.4\n.target sm_80\n",
    has_all: true,
};

/// Texts for 7.0.
pub const FOR_7_0: Older = Older {
    capability: (7, 0),
    lines: ".version 7.4\n.target sm_70\n",
    has_all: false,
};

/// The instruction that waits for preceding work.
const WAIT: &str = "\tgriddepcontrol.wait;\n";

/// The instructions that create the L2 cache's policies `evict_last` and `evict_normal`.
const LAST: &str = "createpolicy.fractional.L2::evict_last.b64";
const NORMAL: &str = "createpolicy.fractional.L2::evict_normal.b64";

impl Older {
    /// Makes the text of a kernel from its text for 9.0. `None` if the text for 9.0 lacks `FROM_LINES` or `WAIT`, or if it has an
    /// instruction that this capability lacks and for which there is no rule.
    pub fn made_of(&self, text: &str) -> Option<String> {
        let is_ours = text.contains(FROM_LINES) && text.contains(WAIT);
        let made = is_ours.then(|| {
            text.replace(FROM_LINES, self.lines)
                .replace(WAIT, "")
                .replace(LAST, NORMAL)
        })?;
        match self.has_all {
            true => Some(made),
            false => synchronous(&made),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// Made by something.
.version 7.8
.target sm_90
.address_size 64
.visible .entry scan(
\t.param .u64 scan_param_0
)
{
\t.reg .b64 \t%rd<3>;
\tgriddepcontrol.wait;
\tld.param.b64 \t%rd1, [scan_param_0];
\t{ .reg .b64 %l; createpolicy.fractional.L2::evict_last.b64 %l, 1.0; }
\tret;
}
";

    #[test]
    fn a_text_for_8_0_has_neither_wait_nor_policy() {
        let text = FOR_8_0.made_of(TEXT).unwrap();
        assert!(text.starts_with("// Made by something.\n.version 7.4\n.target sm_80\n"));
        assert!(!text.contains("griddepcontrol") && !text.contains("evict_last"));
        assert_eq!(text.lines().count(), TEXT.lines().count() - 1);
    }

    #[test]
    fn a_text_for_7_0_creates_no_policy() {
        let text = FOR_7_0.made_of(TEXT).unwrap();
        assert!(text.starts_with("// Made by something.\n.version 7.4\n.target sm_70\n"));
        assert!(!text.contains("griddepcontrol") && !text.contains("createpolicy"));
    }

    #[test]
    fn a_text_may_begin_with_its_version() {
        let (_, text) = TEXT.split_once('\n').unwrap();
        let text = FOR_8_0.made_of(text).unwrap();
        assert!(text.starts_with(".version 7.4\n.target sm_80\n"));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            TEXT.replace("sm_90", "sm_75"),
            TEXT.replace("\tgriddepcontrol.wait;\n", ""),
        ] {
            assert_eq!(FOR_8_0.made_of(&text), None);
        }
    }
}
