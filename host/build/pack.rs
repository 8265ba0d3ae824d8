//! Compresses the kernels' PTX, and writes a table of where each text lies. The library includes the compressed texts and this table.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// PTX for one generation of devices and for all later generations.
pub struct Variant {
    /// The lowest compute capability that runs this PTX, major and minor.
    pub capability: (u32, u32),
    /// The texts, by the names that the library looks up.
    pub texts: BTreeMap<String, String>,
}

/// The compression level. A higher level makes the build slower and the library hardly smaller.
const LEVEL: u8 = 8;

/// Writes two files: `kernels.bin` has the compressed texts, and `variants.rs` has an expression that says where in `kernels.bin` each text
/// lies.
pub fn pack(variants: &[Variant], output: &Path) -> Result<(), Box<dyn Error>> {
    let mut bytes = Vec::new();
    let mut table = String::from("&[\n");
    for Variant { capability, texts } in variants {
        writeln!(table, "Variant {{ capability: {capability:?}, kernels: &[")?;
        for (symbol, text) in texts {
            let begin = bytes.len();
            bytes.extend(miniz_oxide::deflate::compress_to_vec_zlib(
                text.as_bytes(),
                LEVEL,
            ));
            let (end, text_bytes) = (bytes.len(), text.len());
            writeln!(
                table,
                "Packed {{ symbol: {symbol:?}, packed: {begin}..{end}, text_bytes: {text_bytes} }},"
            )?;
        }
        table.push_str("] },\n");
    }
    table.push(']');
    fs::write(output.join("kernels.bin"), bytes)?;
    fs::write(output.join("variants.rs"), table)?;
    Ok(())
}
