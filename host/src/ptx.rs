//! The embedded PTX, kernel by kernel.
//!
//! The driver compiles a whole text at once. So each kernel has a text of its own, and a first `gpu_sum` does not wait for other kernels to
//! be compiled. The build script compresses the texts. A kernel's text is either PTX, or the name of a skeleton, followed by the bodies
//! that fill the skeleton (see [`warpfold_ptx::fill`]). The texts are for compute capability 9.0. Texts for 8.0 and 7.0 are made from them
//! at load (see [`warpfold_ptx::older`]), as for a program's own operators. With the feature `cuda_builder`, rust-cuda's compiler compiles
//! the texts for 7.0 as well as those for 9.0.

use std::ops::Range;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use warpfold_ptx::direction::forward;
use warpfold_ptx::fill::{FILLED, fill, skeleton_and_bodies};
use warpfold_ptx::keys::keyed;
use warpfold_ptx::older::{FOR_7_0, FOR_8_0, FROM, Older};

/// Texts of kernels: this library's, or a program's own.
#[derive(Debug)]
pub struct Texts {
    /// All texts, compressed.
    packed: &'static [u8],
    /// The variants, the best first.
    variants: &'static [Variant],
    /// Whether texts for 8.0 are made from the texts for 9.0.
    lacks_8_0: bool,
    /// Whether texts for 7.0 are made from the texts for 9.0.
    lacks_7_0: bool,
}

impl Texts {
    /// The texts that [`operators!`](crate::operators) or [`kernels!`](crate::kernels!) includes.
    #[doc(hidden)]
    pub const fn new(packed: &'static [u8], variants: &'static [Variant]) -> Self {
        Self {
            packed,
            variants,
            lacks_8_0: false,
            lacks_7_0: false,
        }
    }

    /// The same texts, with the setting that texts for older devices are made from the texts for 9.0 at load. Texts for 8.0 are always
    /// made. Texts for 7.0 are made only if all embedded texts are for 9.0.
    #[doc(hidden)]
    pub const fn without_older(self) -> Self {
        Self {
            lacks_8_0: true,
            lacks_7_0: self.newest_is_all(),
            ..self
        }
    }

    /// Whether all texts are for 9.0.
    const fn newest_is_all(&self) -> bool {
        self.variants.len() == 1 && self.variants[0].is_newest()
    }
}

/// PTX for one generation of devices and for all later generations.
#[doc(hidden)]
#[derive(Debug)]
pub struct Variant {
    /// The lowest compute capability that runs this PTX, major and minor.
    pub capability: (u32, u32),
    /// The variant's kernels and skeletons, in the order of their symbols.
    pub kernels: &'static [Packed],
}

impl Variant {
    /// Whether texts for older devices can be made from this variant's texts.
    const fn is_newest(&self) -> bool {
        self.capability.0 == FROM.0 && self.capability.1 == FROM.1
    }
}

/// A compressed text. It is a kernel's PTX, or a skeleton, or a text that begins with [`FILLED`]. The latter has the name of a skeleton,
/// followed by the bodies.
#[doc(hidden)]
#[derive(Debug)]
pub struct Packed {
    pub symbol: &'static str,
    /// The text's range in the compressed texts.
    pub packed: Range<usize>,
    /// Bytes of the text when it is unpacked.
    pub text_bytes: usize,
}

/// This library's texts. With the feature `cuda_builder`, they include texts for 7.0, which rust-cuda's compiler compiled.
static SHIPPED: Texts = Texts {
    packed: include_bytes!(concat!(env!("OUT_DIR"), "/kernels.bin")),
    variants: include!(concat!(env!("OUT_DIR"), "/variants.rs")),
    lacks_8_0: true,
    lacks_7_0: cfg!(not(feature = "cuda_builder")),
};

/// The lowest compute capability that runs this library's kernels.
pub(crate) static LOWEST_CAPABILITY: (u32, u32) =
    SHIPPED.lowest_of(&SHIPPED.variants[SHIPPED.variants.len() - 1]);

/// A text that holds one kernel.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The compute capability of the text's target.
    pub capability: (u32, u32),
    /// The text.
    pub text: String,
}

/// The texts with the kernel `symbol` that a device of `capability` runs, the best first. If the driver does not know a text's PTX version,
/// the caller tries the next text. If `texts` is `None`, the library's own texts are used.
pub(crate) fn candidates(
    symbol: &'static str,
    texts: Option<&'static Texts>,
    capability: (u32, u32),
) -> impl Iterator<Item = Candidate> {
    texts.unwrap_or(&SHIPPED).candidates(symbol, capability)
}

/// The PTX of a row of the table for a device of this compute capability; `None` if there is no such PTX.
#[doc(hidden)]
pub fn shipped_text(symbol: &str, capability: (u32, u32)) -> Option<String> {
    let best = SHIPPED.candidates(symbol, capability).next()?;
    Some(forward(best.text))
}

/// As [`shipped_text`], but for a second form of the kernels by key. In this form, a kernel compares the keys itself, instead of reading
/// heads that an earlier launch marked. The result is also `None` for kernels that do not work by key.
#[doc(hidden)]
pub fn shipped_keyed_text(symbol: &str, capability: (u32, u32)) -> Option<String> {
    let best = SHIPPED.candidates(symbol, capability).next()?;
    keyed(&best.text).map(forward)
}

impl Texts {
    pub(crate) fn candidates<'symbol>(
        &'static self,
        symbol: &'symbol str,
        capability: (u32, u32),
    ) -> impl Iterator<Item = Candidate> + use<'symbol> {
        self.variants
            .iter()
            .flat_map(move |variant| self.of_variant(variant, symbol, capability))
    }

    /// The lowest compute capability that runs the variant's own texts or the texts that are made from them.
    const fn lowest_of(&self, variant: &Variant) -> (u32, u32) {
        match variant.is_newest() {
            true if self.lacks_7_0 => FOR_7_0.capability,
            true if self.lacks_8_0 => FOR_8_0.capability,
            _ => variant.capability,
        }
    }

    /// This variant's texts of the kernel `symbol` that run on a device of `capability`: first the embedded text, then the texts for older
    /// devices that are made from it. A text is made only when the iterator reaches it, since callers seldom need a second text.
    fn of_variant(
        &'static self,
        variant: &'static Variant,
        symbol: &str,
        capability: (u32, u32),
    ) -> impl Iterator<Item = Candidate> {
        let is_newest = variant.is_newest();
        let forms: [Option<Option<&Older>>; 3] = [
            Some(None),
            (is_newest && self.lacks_8_0).then_some(Some(&FOR_8_0)),
            (is_newest && self.lacks_7_0).then_some(Some(&FOR_7_0)),
        ];
        let forms = forms.into_iter().flatten();
        forms.filter_map(move |older| {
            let for_capability = older.map_or(variant.capability, |older| older.capability);
            if for_capability > capability {
                return None;
            }
            let compiled = self.text(variant, symbol)?;
            let text = match older {
                Some(older) => older.made_of(&compiled)?,
                None => compiled,
            };
            Some(Candidate {
                capability: for_capability,
                text,
            })
        })
    }

    /// The text of the kernel `symbol`.
    fn text(&self, variant: &Variant, symbol: &str) -> Option<String> {
        let text = self.unpack(variant, symbol)?;
        let Some(filled) = text.strip_prefix(FILLED) else {
            return Some(text);
        };
        let (skeleton, bodies) = skeleton_and_bodies(filled);
        fill(&self.unpack(variant, skeleton)?, symbol, bodies).ok()
    }

    /// The text that is packed under this name.
    fn unpack(&self, variant: &Variant, name: &str) -> Option<String> {
        let kernels = variant.kernels;
        let index = kernels.binary_search_by_key(&name, |kernel| kernel.symbol);
        let kernel = &kernels[index.ok()?];
        let packed = self.packed.get(kernel.packed.clone())?;
        let text = decompress_to_vec_zlib_with_limit(packed, kernel.text_bytes).ok()?;
        String::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests;
