//! The embedded PTX, and how a single kernel is cut out of it.
//!
//! Each variant is one text: a preamble (version, target, declarations), then every kernel's entry. The driver
//! compiles what it is given, so it is given the preamble and the one entry that is asked for: a first
//! `gpu_sum` does not wait for all the others to be compiled.
//!
//! What is parsed here is where an entry begins and ends, and no more: comments and nested braces.

use std::borrow::Cow;

/// PTX for one generation of devices and all later ones.
#[derive(Debug)]
pub(crate) struct Variant {
    /// The lowest compute capability that runs it, major and minor.
    pub capability: (u32, u32),
    /// The text, all kernels in it.
    pub text: &'static str,
}

/// The variants, the best first.
#[cfg(not(feature = "cuda_builder"))]
pub(crate) const VARIANTS: &[Variant] = &[
    Variant {
        capability: (9, 0),
        text: include_str!("../ptx/sm_90.ptx"),
    },
    Variant {
        capability: (8, 0),
        text: include_str!("../ptx/sm_80.ptx"),
    },
    Variant {
        capability: LOWEST_CAPABILITY,
        text: include_str!("../ptx/sm_70.ptx"),
    },
];

/// The one variant that `build.rs` made.
#[cfg(feature = "cuda_builder")]
pub(crate) const VARIANTS: &[Variant] = &[Variant {
    capability: LOWEST_CAPABILITY,
    text: include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx")),
}];

/// The lowest compute capability that runs any variant.
pub(crate) const LOWEST_CAPABILITY: (u32, u32) = (7, 0);

/// A text that holds one kernel.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The compute capability that it was compiled for.
    pub capability: (u32, u32),
    /// The text.
    pub text: Cow<'static, str>,
}

/// The texts that hold the kernel `symbol` and that a device of `capability` runs, the best first: the next
/// is for a driver that does not take the one before.
pub(crate) fn candidates(symbol: &str, capability: (u32, u32)) -> impl Iterator<Item = Candidate> {
    VARIANTS
        .iter()
        .filter(move |variant| variant.capability <= capability)
        .filter_map(move |variant| {
            Some(Candidate {
                capability: variant.capability,
                text: isolate(variant.text, symbol)?,
            })
        })
}

/// The preamble of `text` and the entry `symbol`.
fn isolate<'text>(text: &'text str, symbol: &str) -> Option<Cow<'text, str>> {
    let entry = entry(text, symbol)?;
    // An entry may call functions that stand beside it. rustc's back end leaves none, the other compiler may.
    if cfg!(feature = "cuda_builder") && text.lines().any(is_function) {
        return Some(Cow::Borrowed(text));
    }
    let first = text.find(ENTRY)?;
    Some(Cow::Owned([&text[..first], entry, "\n"].concat()))
}

/// What an entry begins with.
const ENTRY: &str = ".visible .entry ";

fn is_function(line: &str) -> bool {
    code(line).split_whitespace().any(|word| word == ".func")
}

/// The entry `symbol`, from its `.visible` to its last brace.
fn entry<'text>(text: &'text str, symbol: &str) -> Option<&'text str> {
    let start = text.find(&format!("{ENTRY}{symbol}("))?;
    let text = &text[start..];
    let mut depth = 0usize;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        for (at, byte) in code(line).bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return Some(&text[..=line_start + at]),
                b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        line_start += line.len();
    }
    None
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelId;

    const TEXT: &str = "\
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 shared[];
\t// .globl\tfirst // a brace that does not count: {
.visible .entry first(
\t.param .u64 first_param_0
)
{
\t{ mov.b64 {%r1, %r2}, %rd1; } // nor does this: }
\tret;
}
\t// .globl\tfirst_of_all
.visible .entry first_of_all()
{
\tret;
}
";

    #[test]
    fn an_entry_is_cut_out_with_the_preamble() {
        let text = isolate(TEXT, "first").unwrap();
        assert!(text.starts_with(".version 7.0\n.target sm_80\n"));
        assert!(text.contains(".extern .shared"));
        assert!(text.contains("{ mov.b64 {%r1, %r2}, %rd1; }"));
        assert!(text.ends_with("\tret;\n}\n"));
        assert_eq!(text.matches(".entry").count(), 1);
        assert!(
            isolate(TEXT, "first_of_all")
                .unwrap()
                .contains(".entry first_of_all()")
        );
    }

    #[test]
    fn a_missing_or_unfinished_entry_is_no_entry() {
        assert_eq!(isolate(TEXT, "firs"), None);
        assert_eq!(isolate(TEXT, ""), None);
        assert_eq!(
            isolate(TEXT.trim_end().trim_end_matches('}'), "first_of_all"),
            None
        );
    }

    #[test]
    fn a_function_is_seen() {
        assert!(is_function("\t.visible .func (.param .b32 r) helper("));
        assert!(!is_function("\tcall helper, (); // a .func"));
    }

    #[test]
    #[cfg(not(feature = "cuda_builder"))]
    fn no_variant_has_functions() {
        for variant in VARIANTS {
            assert!(!variant.text.lines().any(is_function));
        }
    }

    #[test]
    fn every_variant_holds_every_kernel() {
        for variant in VARIANTS {
            for id in KernelId::all() {
                let text = isolate(variant.text, id.symbol());
                let text = text.unwrap_or_else(|| panic!("{:?}: {id:?}", variant.capability));
                assert_eq!(text.matches(".entry").count(), 1, "{id:?}");
            }
        }
    }

    #[test]
    fn a_device_gets_what_it_runs_best_first() {
        let targets = |capability| {
            candidates("reduce_sum_f32", capability)
                .map(|candidate| candidate.text.split(".target ").nth(1).unwrap()[..5].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(targets((9, 0)), ["sm_90", "sm_80", "sm_70"]);
        assert_eq!(targets((12, 0)), ["sm_90", "sm_80", "sm_70"]);
        assert_eq!(targets((8, 6)), ["sm_80", "sm_70"]);
        assert_eq!(targets((7, 5)), ["sm_70"]);
        assert!(targets((6, 1)).is_empty());
    }
}
