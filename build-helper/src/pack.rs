//! Packed kernels: each text is compressed separately, so that a program is small and unpacks only what it needs. The cache stores packs
//! as files (see [`crate::cache`]):
//!
//! ```text
//! warpfold kernels 1                  the format
//! hash 1f0c…                          of all that follows
//! variant 9 0                         a compute capability, the best first
//! kernel reduce_gcd 31514 5120        a symbol, the text's bytes, the packed bytes
//! …
//!                                     an empty line, then all packed bytes
//! ```
//!
//! Committed kernels are packed all together (see [`committed`]).

pub mod canonical;
pub mod committed;
mod lines;
mod words;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::str::FromStr;

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::compiled::{Compiled, Kernel};
use crate::source::Hash;

/// The first line.
const FORMAT: &str = "warpfold kernels 1\n";

/// The compression level. A build script is not optimised, so a higher level would take seconds. It would save a twelfth of the bytes.
const LEVEL: u8 = 3;

/// The most bytes of a kernel's text.
const MOST_TEXT_BYTES: usize = 16 << 20;

/// A compute capability, major and minor.
type Capability = (u32, u32);

/// A kernel, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    symbol: String,
    text_bytes: usize,
    bytes: Vec<u8>,
}

/// The packed kernels of each variant, in the order of their symbols. The best variant comes first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pack {
    variants: Vec<(Capability, Vec<Packed>)>,
}

impl Pack {
    /// Packs the kernels.
    pub fn of(compiled: &[Compiled]) -> Self {
        let variants = compiled.iter().map(|compiled| {
            let packed = compiled.kernels.iter().map(|kernel| Packed {
                symbol: kernel.symbol.clone(),
                text_bytes: kernel.text.len(),
                bytes: compress_to_vec_zlib(kernel.text.as_bytes(), LEVEL),
            });
            (compiled.capability, packed.collect())
        });
        Self {
            variants: variants.collect(),
        }
    }

    /// Several packs as one.
    pub fn joined(packs: impl IntoIterator<Item = Self>) -> Self {
        let mut variants: BTreeMap<Capability, Vec<Packed>> = BTreeMap::new();
        for (capability, kernels) in packs.into_iter().flat_map(|pack| pack.variants) {
            variants.entry(capability).or_default().extend(kernels);
        }
        for kernels in variants.values_mut() {
            kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        }
        Self {
            variants: variants.into_iter().rev().collect(),
        }
    }

    /// The kernels, unpacked. `None` if a text cannot be unpacked.
    pub fn compiled(&self) -> Option<Vec<Compiled>> {
        let variants = self.variants.iter().map(|(capability, kernels)| {
            let kernels = kernels.iter().map(|kernel| {
                let text = decompress_to_vec_zlib_with_limit(&kernel.bytes, kernel.text_bytes);
                Some(Kernel {
                    symbol: kernel.symbol.clone(),
                    text: String::from_utf8(text.ok()?).ok()?,
                })
            });
            Some(Compiled {
                capability: *capability,
                kernels: kernels.collect::<Option<_>>()?,
            })
        });
        variants.collect()
    }

    fn kernels(&self) -> impl Iterator<Item = &Packed> {
        self.variants.iter().flat_map(|(_, kernels)| kernels)
    }

    /// All packed bytes, one kernel after the other.
    pub fn bytes(&self) -> Vec<u8> {
        let kernels = self.kernels().map(|kernel| kernel.bytes.as_slice());
        kernels.collect::<Vec<_>>().concat()
    }

    /// A Rust expression: for each variant its kernels, in the order of their symbols, with their positions in [`Self::bytes`].
    pub fn table(&self) -> String {
        let mut table = String::from("&[\n");
        let mut begin = 0;
        for (capability, kernels) in &self.variants {
            let _ = writeln!(table, "Variant {{ capability: {capability:?}, kernels: &[");
            for kernel in kernels {
                let end = begin + kernel.bytes.len();
                let Packed {
                    symbol, text_bytes, ..
                } = kernel;
                let _ = writeln!(
                    table,
                    "Packed {{ symbol: {symbol:?}, packed: {begin}..{end}, text_bytes: {text_bytes} }},"
                );
                begin = end;
            }
            table.push_str("] },\n");
        }
        table.push(']');
        table
    }

    /// The pack as a file of the cache.
    pub fn to_file(&self) -> Vec<u8> {
        let mut rest = String::new();
        for ((major, minor), kernels) in &self.variants {
            let _ = writeln!(rest, "variant {major} {minor}");
            for kernel in kernels {
                let bytes = kernel.bytes.len();
                let _ = writeln!(
                    rest,
                    "kernel {} {} {bytes}",
                    kernel.symbol, kernel.text_bytes
                );
            }
        }
        rest.push('\n');
        let mut rest = rest.into_bytes();
        rest.extend(self.bytes());
        let head = format!("{FORMAT}hash {}\n", Hash::of(&rest));
        [head.into_bytes(), rest].concat()
    }

    /// Reads a file of the cache; `None` if it does not have this format, or is damaged.
    pub fn from_file(file: &[u8]) -> Option<Self> {
        let file = file.strip_prefix(FORMAT.as_bytes())?;
        let end = file.iter().position(|byte| *byte == b'\n')?;
        let (head, rest) = (&file[..end], &file[end + 1..]);
        (head == format!("hash {}", Hash::of(rest)).as_bytes()).then_some(())?;
        let end = rest.windows(2).position(|two| two == b"\n\n")?;
        let head = std::str::from_utf8(&rest[..end]).ok()?;
        let mut bytes = &rest[end + 2..];
        let mut pack = Self::default();
        for line in head.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["variant", major, minor] => {
                    let capability = (number(major)?, number(minor)?);
                    pack.variants.push((capability, Vec::new()));
                }
                ["kernel", symbol, text_bytes, packed] => {
                    let (own, rest) = bytes.split_at_checked(number(packed)?)?;
                    bytes = rest;
                    let text_bytes =
                        number(text_bytes).filter(|bytes| *bytes <= MOST_TEXT_BYTES)?;
                    pack.variants.last_mut()?.1.push(Packed {
                        symbol: symbol.to_owned(),
                        text_bytes,
                        bytes: own.to_vec(),
                    });
                }
                _ => return None,
            }
        }
        bytes.is_empty().then_some(pack)
    }
}

fn number<N: FromStr>(text: &str) -> Option<N> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(name: &str) -> Pack {
        let kernel = |kind: &str| Kernel {
            symbol: format!("{kind}_{name}"),
            text: format!("text of {kind}"),
        };
        let compiled = |capability, kernels| Compiled {
            capability,
            kernels,
        };
        Pack::of(&[
            compiled((9, 0), vec![kernel("a"), kernel("b")]),
            compiled((7, 0), vec![kernel("a")]),
        ])
    }

    #[test]
    fn a_written_file_reads_back_unchanged() {
        let pack = pack("x");
        assert_eq!(Pack::from_file(&pack.to_file()), Some(pack));
    }

    #[test]
    fn a_damaged_file_is_rejected() {
        let file = pack("x").to_file();
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert_eq!(Pack::from_file(&damaged), None, "byte {at}");
            assert_eq!(Pack::from_file(&file[..at]), None);
        }
        assert_eq!(Pack::from_file(&[&file[..], b"x"].concat()), None);
    }

    #[test]
    fn packs_are_joined_in_the_order_of_symbols() {
        let joined = Pack::joined([pack("y"), pack("x")]);
        let compiled = joined.compiled().unwrap();
        let symbols = |of: &Compiled| -> Vec<String> {
            of.kernels
                .iter()
                .map(|kernel| kernel.symbol.clone())
                .collect()
        };
        assert_eq!(compiled[0].capability, (9, 0));
        assert_eq!(symbols(&compiled[0]), ["a_x", "a_y", "b_x", "b_y"]);
        assert_eq!(symbols(&compiled[1]), ["a_x", "a_y"]);
        assert_eq!(compiled[0].kernels[2].text, "text of b");
    }

    #[test]
    fn the_table_has_every_kernels_position() {
        let pack = pack("x");
        let table = pack.table();
        assert!(table.starts_with(
            "&[\nVariant { capability: (9, 0), kernels: &[\nPacked { symbol: \"a_x\", packed: 0.."
        ));
        let bytes = pack.bytes();
        let second = &table[table.find("\"b_x\"").unwrap()..];
        let range = second.split_once("packed: ").unwrap().1;
        let (begin, rest) = range.split_once("..").unwrap();
        let end = rest.split_once(',').unwrap().0;
        let range = begin.parse().unwrap()..end.parse().unwrap();
        let text = decompress_to_vec_zlib_with_limit(&bytes[range], 100).unwrap();
        assert_eq!(text, b"text of b");
    }
}
