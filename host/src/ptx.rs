//! The embedded PTX, kernel by kernel.
//!
//! The driver compiles what it is given, so it is given one kernel's text, and a first `gpu_sum` does not wait for
//! all the others. A text is a skeleton, which many kernels share, with the bodies of the kernel's operator (see [`fill`]);
//! or it is whole. All of it lies compressed in the library, as the build script packs it.

mod fill;

use std::ops::Range;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// PTX for one generation of devices and all later ones.
#[derive(Debug)]
struct Variant {
    /// The lowest compute capability that runs it, major and minor.
    capability: (u32, u32),
    /// Its kernels' symbols, in order, and how each kernel's text is made.
    kernels: &'static [(&'static str, Recipe)],
}

/// How a kernel's text is made.
#[derive(Debug)]
enum Recipe {
    /// It lies there whole.
    Text(Packed),
    /// The bodies fill the skeleton.
    #[cfg_attr(feature = "cuda_builder", allow(dead_code))]
    Filled { skeleton: Packed, bodies: Packed },
}

/// A text, compressed.
#[derive(Debug)]
struct Packed {
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
pub(crate) const LOWEST_CAPABILITY: (u32, u32) = (7, 0);

/// A text that holds one kernel.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The compute capability that it was compiled for.
    pub capability: (u32, u32),
    /// The text.
    pub text: String,
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
    fn text(&self, symbol: &str) -> Option<String> {
        let index = self.kernels.binary_search_by_key(&symbol, |(name, _)| name);
        match &self.kernels[index.ok()?].1 {
            Recipe::Text(text) => text.unpack(),
            Recipe::Filled { skeleton, bodies } => {
                fill::fill(&skeleton.unpack()?, symbol, &bodies.unpack()?).ok()
            }
        }
    }
}

impl Packed {
    /// The text.
    fn unpack(&self) -> Option<String> {
        let packed = KERNELS.get(self.packed.clone())?;
        let text = decompress_to_vec_zlib_with_limit(packed, self.text_bytes).ok()?;
        String::from_utf8(text).ok()
    }
}

#[cfg(test)]
#[path = "../build/pack.rs"]
mod pack;

#[cfg(test)]
#[path = "../build/table.rs"]
mod table;

#[cfg(test)]
mod tests;
