//! The file of committed device code, beside the source:
//!
//! ```text
//! warpfold device code 3              the format
//! kernels 0.1.0-2                     the version of warpfold-kernels, and its `INTERFACE`
//! source 1f0c…                        a hash of the source's tokens
//! packed 523411 77ab…                 the packed bytes, and a hash of them and of the lines below
//! kernel 9 0 reduce_gcd 31514         a compute capability, a symbol, the text's bytes
//! …
//!                                     an empty line, then the packed bytes, as `lines` packs them
//! ```
//!
//! The file may come from an attacker. The sizes that the file states must not exceed fixed limits. Unpacking takes no more memory than
//! these sizes allow. The reader checks that each text has one entry, with the kernel's name, and is for the variant's architecture. It
//! refuses a symbol that its caller does not accept. Only compiling again shows whether a text belongs to its source: see
//! [`crate::UPDATE`].

use std::collections::BTreeSet;
use std::fmt::Write;

use super::lines::{self, Named};
use super::{Capability, MOST_TEXT_BYTES, number};
use crate::compiled::{Compiled, Kernel};
use crate::error::Unfit;
use crate::source::Hash;
use crate::variant::VARIANTS;

/// The first line.
const FORMAT: &str = "warpfold device code 3";

/// Identifies the sources from which kernels were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The version of `warpfold-kernels`, and its `INTERFACE`.
    pub kernels: String,
    /// A hash of the source's tokens.
    pub source: String,
}

impl Stamp {
    /// A hash of the stamp.
    pub fn hash(&self) -> Hash {
        Hash::of(self.kernels.as_bytes()).with(self.source.as_bytes())
    }
}

/// The file for these kernels. `None` if a text would not unpack unchanged.
pub fn to_file(stamp: &Stamp, compiled: &[Compiled]) -> Option<Vec<u8>> {
    let mut kernels: Vec<(Capability, &Kernel)> = Vec::new();
    for variant in compiled {
        kernels.extend(
            variant
                .kernels
                .iter()
                .map(|kernel| (variant.capability, kernel)),
        );
    }
    // In the order of the symbols, the variants of a kernel are adjacent, and most neighbouring kernels are of the same kind. Such
    // neighbours have similar texts, and similar texts compress well together.
    kernels.sort_by_key(|(capability, kernel)| (kernel.symbol.clone(), *capability));
    let texts = kernels.iter().map(|(_, kernel)| Named {
        name: &kernel.symbol,
        text: &kernel.text,
    });
    let packed = lines::pack(&texts.collect::<Vec<_>>())?;
    let mut rest = String::new();
    for ((major, minor), kernel) in kernels {
        let (symbol, bytes) = (&kernel.symbol, kernel.text.len());
        let _ = writeln!(rest, "kernel {major} {minor} {symbol} {bytes}");
    }
    rest.push('\n');
    let Stamp { kernels, source } = stamp;
    let (bytes, hash) = (packed.len(), Hash::of(rest.as_bytes()).with(&packed));
    let head =
        format!("{FORMAT}\nkernels {kernels}\nsource {source}\npacked {bytes} {hash}\n{rest}");
    Some([head.into_bytes(), packed].concat())
}

/// The kernels in a file. The file must have this stamp and these architectures, and all symbols must pass `is_symbol`.
pub fn from_file(
    file: &[u8],
    stamp: &Stamp,
    capabilities: &[Capability],
    is_symbol: impl Fn(&str) -> bool,
) -> Result<Vec<Compiled>, Unfit> {
    let (head, packed) = split(file).ok_or(Unfit::Damaged)?;
    let mut lines = head.split('\n');
    if lines.next() != Some(FORMAT) {
        return Err(Unfit::Library);
    }
    let mut value = |name| lines.next()?.strip_prefix(name);
    let kernels = value("kernels ").ok_or(Unfit::Damaged)?;
    let source = value("source ").ok_or(Unfit::Damaged)?;
    let told = value("packed ").ok_or(Unfit::Damaged)?;
    if kernels != stamp.kernels {
        return Err(Unfit::Library);
    }
    if source != stamp.source {
        return Err(Unfit::Source);
    }
    let rest: String = lines.map(|line| [line, "\n"].concat()).collect();
    let hash = Hash::of(rest.as_bytes()).with(b"\n").with(packed);
    if told != format!("{} {hash}", packed.len()) {
        return Err(Unfit::Damaged);
    }
    unpacked(&rest, packed, capabilities, is_symbol).ok_or(Unfit::Damaged)
}

/// The lines up to the empty line, and the bytes after it.
fn split(file: &[u8]) -> Option<(&str, &[u8])> {
    let end = file.windows(2).position(|two| two == b"\n\n")?;
    Some((std::str::from_utf8(&file[..end]).ok()?, &file[end + 2..]))
}

fn unpacked(
    head: &str,
    packed: &[u8],
    capabilities: &[Capability],
    is_symbol: impl Fn(&str) -> bool,
) -> Option<Vec<Compiled>> {
    let mut sizes = Vec::new();
    let mut of_variants = Vec::new();
    for line in head.lines() {
        let ["kernel", major, minor, symbol, bytes] = line.split(' ').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let bytes = number(bytes).filter(|bytes| *bytes <= MOST_TEXT_BYTES)?;
        sizes.push((symbol, bytes));
        of_variants.push((number(major)?, number(minor)?));
    }
    let all: BTreeSet<_> = of_variants
        .iter()
        .zip(&sizes)
        .map(|(variant, (symbol, _))| (variant, symbol))
        .collect();
    let known = sizes.iter().all(|(symbol, _)| is_symbol(symbol));
    let variants = of_variants
        .iter()
        .all(|capability| capabilities.contains(capability));
    if all.len() != sizes.len() || !known || !variants {
        return None;
    }
    let texts = lines::unpack(packed, &sizes)?;
    let mut compiled: Vec<Compiled> = capabilities
        .iter()
        .map(|capability| Compiled {
            capability: *capability,
            kernels: Vec::new(),
        })
        .collect();
    for ((capability, (symbol, _)), text) in of_variants.iter().zip(sizes).zip(texts) {
        if !is_kernel(&text, symbol, *capability) {
            return None;
        }
        let variant = compiled
            .iter_mut()
            .find(|variant| variant.capability == *capability)?;
        variant.kernels.push(Kernel {
            symbol: symbol.to_owned(),
            text,
        });
    }
    // Each architecture must have the same kernels.
    let symbols = |variant: &Compiled| -> Vec<String> {
        variant
            .kernels
            .iter()
            .map(|kernel| kernel.symbol.clone())
            .collect()
    };
    let first = symbols(compiled.first()?);
    let same = compiled.iter().all(|variant| symbols(variant) == first);
    (same && !first.is_empty()).then_some(compiled)
}

/// Whether a text is for this architecture, and has exactly one function: an entry of this name.
fn is_kernel(text: &str, symbol: &str, capability: Capability) -> bool {
    let target = VARIANTS
        .iter()
        .find(|variant| variant.capability == capability);
    let target = target.map(|variant| format!(".target {}\n", variant.target_cpu));
    let entries = text.matches(".entry").count();
    let is_for_target =
        target.is_some_and(|target| text.matches(".target").count() == 1 && text.contains(&target));
    let is_named = text.contains(&format!(".visible .entry {symbol}("));
    is_for_target && is_named && entries == 1 && !text.contains(".func") && !text.contains('\0')
}

#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "fuzz"))]
pub mod trial;
