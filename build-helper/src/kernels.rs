//! Makes kernels from the compiler's text. Unsuitable operators are refused here, and kernels are finished and inspected.

use std::collections::BTreeMap;

use warpfold_kernels::contract::BLOCK_THREADS;
use warpfold_kernels::kind::{Barrier, Kind};
use warpfold_ptx::finish::{self, Bounds};
use warpfold_ptx::inspect::{Operands, Rules, Thing, inspect};
use warpfold_ptx::narrow;
use warpfold_ptx::older;
use warpfold_ptx::statement::Statement;
use warpfold_ptx::text::{Function, Text};

use crate::compiled::Kernel;
use crate::error::{Error, Problem, Refusal};
use crate::pack::canonical::canonical;
use crate::ptx::hook::{Hook, hooks};
use crate::ptx::refuse;
use crate::ptx::scans;
use crate::ptx::space::{self, SHARED_ARRAY};
use crate::ptx::splice::splice;
use crate::reason::Reason;
use crate::variant::Variant;

/// If an operator's function is compiled separately, its symbol begins with this prefix: `warpfold_combine_of_gcd`, for example.
const FUNCTION: &str = "warpfold_";

/// The prefix of the symbols of users' kernels.
const OWN: &str = "kernel_";

/// The origin of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The library's source for kernels of this kind.
    Library(Kind),
    /// The user's source.
    User,
}

impl Origin {
    /// The origin and the row's name that a symbol encodes.
    pub fn of(symbol: &str) -> Option<(Self, &str)> {
        let own = symbol.strip_prefix(OWN).map(|name| (Self::User, name));
        own.or_else(|| {
            let (kind, name) = Kind::of(symbol)?;
            Some((Self::Library(kind), name))
        })
    }

    /// The launch bounds of kernels of this origin.
    fn bounds(self) -> Bounds {
        match self {
            Self::Library(kind) => {
                let kind = kind.definition();
                Bounds::from((kind.threads, kind.blocks))
            }
            Self::User => Bounds::from((BLOCK_THREADS, 1)),
        }
    }

    /// The lists of barriers to try. A kernel of the library must have exactly the barriers of one list. A user's kernel may have any
    /// barriers, so its one list is empty, and [`Self::rules`] ignores it.
    fn barriers(self) -> Vec<&'static [Barrier]> {
        match self {
            Self::Library(kind) => {
                let kind = kind.definition();
                let others = kind.other_barriers.iter().copied();
                others.chain([kind.barriers]).collect()
            }
            Self::User => vec![&[]],
        }
    }

    /// The rules for a kernel of this origin with these barriers. `may_begin_early` says whether a kernel may begin before earlier work on
    /// its stream has ended.
    fn rules(
        self,
        barriers: &[Barrier],
        operands: Operands,
        may_begin_early: bool,
    ) -> Rules<'static> {
        match self {
            Self::Library(_) => {
                let barriers = barriers
                    .iter()
                    .map(|barrier| (barrier.to_string(), barrier.count));
                Rules {
                    forbidden: &Thing::ALL,
                    shared_array: SHARED_ARRAY,
                    barriers: Some(operands.barriers(barriers)),
                    waits_first: Some(may_begin_early),
                }
            }
            // The user decides how their kernels are launched, and whether multiplications and additions are fused.
            Self::User => Rules {
                forbidden: &[
                    Thing::Call,
                    Thing::Panic,
                    Thing::LocalMemory,
                    Thing::Flushed,
                    Thing::Variable,
                    Thing::Pragma,
                ],
                shared_array: SHARED_ARRAY,
                barriers: None,
                waits_first: None,
            },
        }
    }
}

/// The kernels that the compiler emitted for a variant, and the refusals.
#[derive(Debug, Default)]
pub struct Judged {
    /// The accepted kernels.
    pub kernels: Vec<Kernel>,
    /// The refused functions of operators and the refused kernels, each with its reason.
    pub refusals: Vec<Refusal>,
}

impl Judged {
    /// The kernels in the order of their symbols. An error if there are refusals or no kernels.
    pub fn all(mut self) -> Result<Vec<Kernel>, Error> {
        if !self.refusals.is_empty() {
            return Err(Error::Refused(self.refusals));
        }
        if self.kernels.is_empty() {
            return Err(Problem::unexpected("there are no kernels").into());
        }
        self.kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        Ok(self.kernels)
    }
}

/// The kernels in the text that the compiler emitted for a variant.
pub fn kernels(emitted: &str, variant: &Variant) -> Result<Judged, Error> {
    let text = Text::parse(emitted).map_err(Problem::from)?;
    let hooks = hooks(&text)?;
    let mut refusals = Vec::new();
    // A function that is compiled separately may keep an argument in local memory, although the kernel keeps it in registers. So a
    // function's local memory only leads to a refusal if a kernel of the operator has local memory, too.
    let mut suspects = Vec::new();
    for function in &text.functions {
        if let Some((part, operator)) = operator_function(function.name)
            && let Some(reason) = refuse::reason(function, &hooks)?
        {
            let to = match reason {
                Reason::LocalMemory => &mut suspects,
                _ => &mut refusals,
            };
            to.push(Refusal {
                function: part.to_owned(),
                operator: operator.to_owned(),
                line: None,
                reason,
                may_reduce_only: false,
            });
        }
    }
    let mut kernels = Vec::new();
    for function in &text.functions {
        let scans_of = scans::row_of(function.name);
        let open = scans_of.map(|row| (Origin::Library(Kind::InclusiveScan), row));
        let Some((origin, operator)) = open.or_else(|| Origin::of(function.name)) else {
            continue;
        };
        // If an operator has a refusal already, its kernels need none.
        if refusals.iter().any(|refusal| refusal.operator == operator) {
            continue;
        }
        let body = splice(&function.body, &hooks)?;
        if let Some(reason) = refuse::reason_of_kernel(&body) {
            let suspect = suspects.iter().find(|suspect| suspect.operator == operator);
            let refusal = match (&reason, suspect) {
                (Reason::LocalMemory, Some(suspect)) => suspect.clone(),
                _ => refusal_of_kernel(function.name, operator, reason),
            };
            refusals.push(Refusal {
                may_reduce_only: has_good_reduction(&text, &hooks, operator)?,
                ..refusal
            });
            continue;
        }
        let kernel = with_memory_named(function, body)?;
        let kernel = finished(kernel, origin, Operands::Known, variant)?;
        match scans_of {
            Some(row) => kernels.extend(scans::both(&kernel, row)),
            None => kernels.push(kernel),
        }
    }
    Ok(Judged { kernels, refusals })
}

/// The symbol of the reduction of an operator's row.
pub fn reduction_of(operator: &str) -> String {
    format!("{}{operator}", Kind::Reduce.definition().prefix)
}

/// Whether the text has the reduction of the operator's row, and this reduction is not refused.
fn has_good_reduction(
    text: &Text,
    hooks: &BTreeMap<String, Hook>,
    operator: &str,
) -> Result<bool, Problem> {
    let symbol = reduction_of(operator);
    let mut functions = text.functions.iter();
    let Some(reduction) = functions.find(|function| function.name == symbol) else {
        return Ok(false);
    };
    let body = splice(&reduction.body, hooks)?;
    Ok(refuse::reason_of_kernel(&body).is_none())
}

/// The refusal of a whole kernel. It names the kernel's kind instead of a function of the operator, since the cause may be more than one
/// function.
pub fn refusal_of_kernel(symbol: &str, operator: &str, reason: Reason) -> Refusal {
    Refusal {
        function: kernel_kind(symbol, operator).to_owned(),
        operator: operator.to_owned(),
        line: None,
        reason,
        may_reduce_only: false,
    }
}

/// The function with this body, in which each access that was generic now names its state space, shared or global.
fn with_memory_named<'a>(
    function: &Function<'a>,
    mut body: Vec<Statement>,
) -> Result<Function<'a>, Problem> {
    space::resolve(function.name, &mut body).map_err(|stray| {
        Problem::unexpected(format!(
            "{} accesses memory that is neither shared nor an argument's: {}",
            function.name, stray.instruction
        ))
    })?;
    Ok(Function {
        name: function.name,
        parameters: function.parameters.clone(),
        body,
    })
}

/// Finishes a kernel: masks the floats in narrow stores (see [`narrow`]), inspects the kernel, and writes it as a separate text.
pub fn finished(
    kernel: Function,
    origin: Origin,
    operands: Operands,
    variant: &Variant,
) -> Result<Kernel, Problem> {
    let kernel = Function {
        body: narrow::mask(kernel.body),
        ..kernel
    };
    let inspected = |barriers| {
        let rules = origin.rules(barriers, operands, variant.may_begin_early());
        inspect(&kernel, &rules)
    };
    let lists = origin.barriers().into_iter();
    let found = lists.map(inspected).reduce(Result::or);
    found
        .unwrap_or(Ok(()))
        .map_err(|fault| Problem::unexpected(format!("{} {fault}", kernel.name)))?;
    let preamble = finish::preamble(variant.ptx_version, variant.target_cpu, SHARED_ARRAY);
    let text = canonical(&(preamble + &finish::entry(&kernel, origin.bounds())));
    let is_made_older = matches!(origin, Origin::Library(_)) && variant.capability == older::FROM;
    if is_made_older && older::FOR_7_0.made_of(&text).is_none() {
        return Err(Problem::unexpected(format!(
            "{} has an instruction that compute capability 7.0 lacks",
            kernel.name
        )));
    }
    Ok(Kernel {
        symbol: kernel.name.to_owned(),
        text,
    })
}

/// The kind of a kernel, from its symbol.
fn kernel_kind<'a>(symbol: &'a str, operator: &str) -> &'a str {
    let kind = symbol.strip_suffix(operator).unwrap_or_default();
    kind.trim_end_matches('_')
}

/// The function and the row, from the symbol of an operator's function.
fn operator_function(symbol: &str) -> Option<(&str, &str)> {
    symbol.strip_prefix(FUNCTION)?.split_once("_of_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn a_symbol_encodes_the_kernels_origin() {
        let reduction = (Origin::Library(Kind::Reduce), "gcd");
        assert_eq!(Origin::of("reduce_gcd"), Some(reduction));
        assert_eq!(Origin::of("kernel_gcd"), Some((Origin::User, "gcd")));
        assert_eq!(Origin::of("warpfold_lift_of_gcd"), None);
    }

    #[test]
    fn a_users_kernel_may_fuse_and_have_any_barriers() {
        let kernel = |symbol: &'static str| Function {
            name: symbol,
            parameters: Vec::new(),
            body: warpfold_ptx::statement::parse("bar.sync 3; fma.rn.f32 %r1, %r1, %r1, %r1; ret;")
                .unwrap(),
        };
        let finished = |symbol| {
            let (origin, _) = Origin::of(symbol).unwrap();
            let variant = &crate::variant::VARIANTS[0];
            finished(kernel(symbol), origin, Operands::Known, variant)
        };
        let text = finished("kernel_x").unwrap().text;
        assert!(
            text.contains(".maxntid 256, 1, 1\n.minnctapersm 1\n"),
            "{text}"
        );
        assert!(finished("reduce_x").is_err());
    }

    #[test]
    fn reduction_only_is_advised_only_if_the_reduction_is_accepted() {
        const LOCAL: &str = ".local .b8 depot[4];";
        let function =
            |symbol: &str, memory: &str| format!(".func {symbol}()\n{{\n{memory} ret;\n}}\n");
        let advised = |functions: &[(&str, &str)]| {
            let text: String = functions
                .iter()
                .map(|(symbol, memory)| function(symbol, memory))
                .collect();
            let judged = kernels(&text, &crate::variant::VARIANTS[0]).unwrap();
            assert_eq!(judged.refusals.len(), 1);
            let row = "warpfold::operators! { gcd: Gcd, u32; }".to_owned();
            let source = Source::parse(row).unwrap();
            let message = source.located(Error::Refused(judged.refusals)).to_string();
            assert!(message.contains("local memory"), "{message}");
            message.contains("write `reduction only`")
        };
        let (scan, combine) = (("scan_gcd", LOCAL), ("warpfold_combine_of_gcd", LOCAL));
        assert!(advised(&[scan, ("reduce_gcd", "")]));
        assert!(advised(&[combine, scan, ("reduce_gcd", "")]));
        for reduction in [("reduce_gcd", LOCAL), ("reduce_gcd", "call helper;")] {
            assert!(!advised(&[scan, reduction]), "{reduction:?}");
        }
        assert!(!advised(&[combine, ("reduce_gcd", LOCAL), scan]));
        assert!(!advised(&[("reduce_gcd", LOCAL)]), "the row has no scan");
        assert!(!advised(&[scan]), "the row has no reduction");
    }
}
