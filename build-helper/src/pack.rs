//! Kernels packed: each text compressed by itself, so that a program carries little and unpacks what it needs. One file, which
//! may be committed beside the source:
//!
//! ```text
//! warpfold operators 1                the format
//! kernels 0.1.0-2                     the versions of warpfold-kernels, and of what a launch tells a kernel
//! source 1f0c…                        a hash of the file of operators
//! variant 9 0                         a compute capability, the best first
//! kernel reduce_gcd 31514 5120        a symbol, the text's bytes, the packed bytes
//! …
//!                                     an empty line, then all packed bytes
//! ```

use std::fmt::Write;
use std::str::FromStr;

use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::kernels::Compiled;

/// The first line.
const FORMAT: &str = "warpfold operators 1";

/// How hard is compressed.
const LEVEL: u8 = 9;

/// What the kernels are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The version of `warpfold-kernels`, and of what a launch tells a kernel.
    pub kernels: String,
    /// A hash of the file of operators.
    pub source: String,
}

impl Stamp {
    /// The stamp of a file's text with this version of the kernels. Line ends do not count: version control may change them.
    pub fn of(source: &str, kernels: &str) -> Self {
        // FNV-1a, 128 bits: it tells a file from an older version of itself.
        let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
        for byte in source.bytes().filter(|byte| *byte != b'\r') {
            hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
        Self {
            kernels: kernels.to_owned(),
            source: format!("{hash:032x}"),
        }
    }
}

/// A kernel, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    symbol: String,
    text_bytes: usize,
    bytes: Vec<u8>,
}

/// The kernels of one variant.
type Variants = Vec<((u32, u32), Vec<Packed>)>;

/// A file of packed kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// What they are made from.
    pub stamp: Stamp,
    variants: Variants,
}

impl Pack {
    /// Packs the kernels.
    pub fn new(stamp: Stamp, compiled: &[Compiled]) -> Self {
        let variants = compiled.iter().map(|compiled| {
            let packed = compiled.kernels.iter().map(|kernel| Packed {
                symbol: kernel.symbol.clone(),
                text_bytes: kernel.text.len(),
                bytes: compress_to_vec_zlib(kernel.text.as_bytes(), LEVEL),
            });
            (compiled.capability, packed.collect())
        });
        Self {
            stamp,
            variants: variants.collect(),
        }
    }

    fn kernels(&self) -> impl Iterator<Item = &Packed> {
        self.variants.iter().flat_map(|(_, kernels)| kernels)
    }

    /// All packed bytes, one kernel after the other.
    pub fn bytes(&self) -> Vec<u8> {
        self.kernels()
            .flat_map(|kernel| kernel.bytes.clone())
            .collect()
    }

    /// A Rust expression that says what lies where in [`Self::bytes`]: variants, each with its kernels in the order of their symbols.
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

    /// The file.
    pub fn to_file(&self) -> Vec<u8> {
        let Stamp { kernels, source } = &self.stamp;
        let mut head = format!("{FORMAT}\nkernels {kernels}\nsource {source}\n");
        for ((major, minor), kernels) in &self.variants {
            let _ = writeln!(head, "variant {major} {minor}");
            for kernel in kernels {
                let bytes = kernel.bytes.len();
                let _ = writeln!(
                    head,
                    "kernel {} {} {bytes}",
                    kernel.symbol, kernel.text_bytes
                );
            }
        }
        head.push('\n');
        let mut file = head.into_bytes();
        file.extend(self.bytes());
        file
    }

    /// Reads a file; `None` if it is none of this format, or damaged.
    pub fn from_file(file: &[u8]) -> Option<Self> {
        let end = file.windows(2).position(|two| two == b"\n\n")?;
        let head = std::str::from_utf8(&file[..end]).ok()?;
        let mut bytes = &file[end + 2..];
        let mut lines = head.lines();
        (lines.next()? == FORMAT).then_some(())?;
        let stamp = Stamp {
            kernels: lines.next()?.strip_prefix("kernels ")?.to_owned(),
            source: lines.next()?.strip_prefix("source ")?.to_owned(),
        };
        let mut variants = Variants::new();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["variant", major, minor] => {
                    variants.push(((number(major)?, number(minor)?), Vec::new()));
                }
                ["kernel", symbol, text_bytes, packed] => {
                    let (own, rest) = bytes.split_at_checked(number(packed)?)?;
                    bytes = rest;
                    variants.last_mut()?.1.push(Packed {
                        symbol: symbol.to_owned(),
                        text_bytes: number(text_bytes)?,
                        bytes: own.to_vec(),
                    });
                }
                _ => return None,
            }
        }
        bytes.is_empty().then_some(Self { stamp, variants })
    }
}

fn number<N: FromStr>(text: &str) -> Option<N> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    use super::*;
    use crate::kernels::Kernel;

    fn pack() -> Pack {
        let kernel = |symbol: &str| Kernel {
            symbol: symbol.to_owned(),
            text: format!("text of {symbol}"),
        };
        let compiled = |capability, kernels| Compiled {
            capability,
            kernels,
        };
        let compiled = [
            compiled((9, 0), vec![kernel("a"), kernel("b")]),
            compiled((7, 0), vec![kernel("a")]),
        ];
        Pack::new(Stamp::of("source", "0.1.0"), &compiled)
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let pack = pack();
        assert_eq!(Pack::from_file(&pack.to_file()), Some(pack));
    }

    #[test]
    fn a_damaged_file_is_none() {
        let file = pack().to_file();
        assert_eq!(Pack::from_file(&file[..file.len() - 1]), None);
        assert_eq!(Pack::from_file(&[&file[..], b"x"].concat()), None);
        assert_eq!(Pack::from_file(&file[1..]), None);
        assert_eq!(Pack::from_file(b""), None);
    }

    #[test]
    fn the_table_says_what_lies_where() {
        let pack = pack();
        let table = pack.table();
        assert!(table.starts_with(
            "&[\nVariant { capability: (9, 0), kernels: &[\nPacked { symbol: \"a\", packed: 0.."
        ));
        let bytes = pack.bytes();
        let second = &table[table.find("\"b\"").unwrap()..];
        let range = second.split_once("packed: ").unwrap().1;
        let (begin, rest) = range.split_once("..").unwrap();
        let end = rest.split_once(',').unwrap().0;
        let range = begin.parse().unwrap()..end.parse().unwrap();
        let text = decompress_to_vec_zlib(&bytes[range]).unwrap();
        assert_eq!(text, b"text of b");
    }

    #[test]
    fn a_stamp_follows_the_source_and_not_its_line_ends() {
        assert_eq!(Stamp::of("a\nb", "1"), Stamp::of("a\r\nb", "1"));
        assert_ne!(Stamp::of("a\nb", "1"), Stamp::of("a\nc", "1"));
        assert_ne!(Stamp::of("a", "1"), Stamp::of("a", "2"));
    }
}
