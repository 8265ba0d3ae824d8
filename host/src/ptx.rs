//! The embedded PTX, kernel by kernel.
//!
//! The driver compiles what it is given, so it is given one kernel's text, and a first `gpu_sum` does not wait for
//! all the others. The texts lie compressed in the library, as the build script packs them.

use std::ops::Range;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// PTX for one generation of devices and all later ones.
#[derive(Debug)]
struct Variant {
    /// The lowest compute capability that runs it, major and minor.
    capability: (u32, u32),
    /// Its kernels, in the order of their symbols.
    kernels: &'static [Packed],
}

/// A kernel's text, compressed.
#[derive(Debug)]
struct Packed {
    symbol: &'static str,
    /// Where it lies in [`KERNELS`].
    packed: Range<usize>,
    /// Bytes of the text.
    text_bytes: usize,
}

/// All compressed texts.
static KERNELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.bin"));

/// The variants, the best first.
static VARIANTS: &[Variant] = include!(concat!(env!("OUT_DIR"), "/variants.rs"));

/// The lowest compute capability that runs any variant.
pub(crate) const LOWEST_CAPABILITY: (u32, u32) = VARIANTS[VARIANTS.len() - 1].capability;

/// A text that holds one kernel.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The compute capability that it was compiled for.
    pub capability: (u32, u32),
    /// The text.
    pub text: Vec<u8>,
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
                text: variant.text(symbol)?,
            })
        })
}

impl Variant {
    /// The text of the kernel `symbol`.
    fn text(&self, symbol: &str) -> Option<Vec<u8>> {
        let index = self
            .kernels
            .binary_search_by_key(&symbol, |kernel| kernel.symbol);
        let kernel = &self.kernels[index.ok()?];
        let packed = KERNELS.get(kernel.packed.clone())?;
        decompress_to_vec_zlib_with_limit(packed, kernel.text_bytes).ok()
    }
}

#[cfg(test)]
#[path = "../build/pack.rs"]
mod pack;

#[cfg(test)]
mod tests;
