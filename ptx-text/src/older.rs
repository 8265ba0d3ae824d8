//! Texts for older devices, made of those for compute capability 9.0, so that they need not ship.
//!
//! For 9.0 the source has two things more than for 8.0. Every kernel begins with a wait, since a launch may begin before the work before
//! it has ended; this goes. And a scan has the L2 cache give up last what it reads, which was measured on 9.0 alone; here it gives that
//! up as ever. All else is the same, and 8.0 has all the instructions. For 7.0 that is so of skeletons that copy nothing asynchronously;
//! the others ship.

/// The compute capability of the texts that this is done with, and the lines that say so.
pub const FROM: (u32, u32) = (9, 0);
const FROM_LINES: &str = ".version 7.8\n.target sm_90\n";

/// A compute capability for which texts are made, and the lines that say so.
pub struct Older {
    /// Major and minor.
    pub capability: (u32, u32),
    lines: &'static str,
}

/// For 8.0, of all texts.
pub const FOR_8_0: Older = Older {
    capability: (8, 0),
    lines: ".version 7.4\n.target sm_80\n",
};

/// For 7.0, of some.
pub const FOR_7_0: Older = Older {
    capability: (7, 0),
    lines: ".version 7.4\n.target sm_70\n",
};

/// The wait.
const WAIT: &str = "\tgriddepcontrol.wait;\n";

/// How the L2 cache gives up what is read last, and as ever.
const LAST: &str = "createpolicy.fractional.L2::evict_last.b64";
const NORMAL: &str = "createpolicy.fractional.L2::evict_normal.b64";

/// The text for older devices of a text for 9.0; nothing, if it is not as the library's are.
pub fn without_early(text: &str, older: &Older) -> Option<String> {
    let is_ours = text.contains(FROM_LINES) && text.contains(WAIT);
    is_ours.then(|| {
        text.replace(FROM_LINES, older.lines)
            .replace(WAIT, "")
            .replace(LAST, NORMAL)
    })
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
    fn neither_the_wait_nor_the_policy_is_left() {
        let text = without_early(TEXT, &FOR_8_0).unwrap();
        assert!(text.starts_with("// Made by something.\n.version 7.4\n.target sm_80\n"));
        assert!(!text.contains("griddepcontrol") && !text.contains("evict_last"));
        assert_eq!(text.lines().count(), TEXT.lines().count() - 1);
    }

    #[test]
    fn a_text_may_begin_with_its_version() {
        let (_, text) = TEXT.split_once('\n').unwrap();
        let text = without_early(text, &FOR_8_0).unwrap();
        assert!(text.starts_with(".version 7.4\n.target sm_80\n"));
    }

    #[test]
    fn other_texts_are_left_alone() {
        assert_eq!(
            without_early(&TEXT.replace("sm_90", "sm_75"), &FOR_8_0),
            None
        );
        assert_eq!(
            without_early(&TEXT.replace("\tgriddepcontrol.wait;\n", ""), &FOR_8_0),
            None
        );
    }
}
