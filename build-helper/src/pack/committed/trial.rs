//! One trial with a committed file whose contents and hash were changed. The unit tests and the fuzz target `committed` both use it.

use super::{Capability, Stamp, from_file, split, to_file};
use crate::compiled::{Compiled, Kernel};
use crate::source::Hash;

const CAPABILITIES: [Capability; 2] = [(9, 0), (7, 0)];

/// The symbols of the source's rows.
const SYMBOLS: [&str; 2] = ["reduce_product", "reduce_sum"];

pub fn stamp() -> Stamp {
    Stamp {
        kernels: "0.1.0-2".to_owned(),
        source: Hash::of(b"tokens").to_string(),
    }
}

pub fn text(symbol: &str, target: &str, operation: &str) -> String {
    format!(
        ".version 7.4\n.target {target}\n.visible .entry {symbol}(\n\t.param .u64 {symbol}_param_0\n)\n{{\n\
         \t.reg .b32 %r<9>;\n\t{operation} %r1, %r2;\n\tret;\n}}\n"
    )
}

/// Two kernels, for both architectures.
pub fn compiled() -> Vec<Compiled> {
    let variant = |capability, target: &str| Compiled {
        capability,
        kernels: SYMBOLS
            .into_iter()
            .zip(["mul", "add"])
            .map(|(symbol, operation)| Kernel {
                symbol: symbol.to_owned(),
                text: text(symbol, target, operation),
            })
            .collect(),
    };
    vec![variant((9, 0), "sm_90"), variant((7, 0), "sm_70")]
}

pub fn read(file: &[u8]) -> Result<Vec<Compiled>, super::Unfit> {
    from_file(file, &stamp(), &CAPABILITIES, |symbol| {
        SYMBOLS.contains(&symbol)
    })
}

/// A file with these `kernel` lines, these packed bytes and the right hash.
pub fn sealed(kernels: &[u8], packed: &[u8]) -> Vec<u8> {
    let rest = [kernels, b"\n"].concat();
    let Stamp {
        kernels: versions,
        source,
    } = stamp();
    let (bytes, hash) = (packed.len(), Hash::of(&rest).with(packed));
    let head = format!(
        "warpfold device code 3\nkernels {versions}\nsource {source}\npacked {bytes} {hash}\n"
    );
    [head.as_bytes(), &rest, packed].concat()
}

/// Reads the input as changes to a valid file. Each change has three bytes: two for a position, and one that is the new byte there. The
/// changed file gets a new hash. The reader must refuse this file, or return only kernels of the source's rows, each for its architecture.
pub fn judge(input: &[u8]) {
    let file = to_file(&stamp(), &compiled()).unwrap_or_default();
    let Some((head, packed)) = split(&file) else {
        return;
    };
    let kernels = head.split_inclusive('\n').skip(4).collect::<String>() + "\n";
    let (mut kernels, mut packed) = (kernels.into_bytes(), packed.to_vec());
    for change in input.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let at = at % (kernels.len() + packed.len());
        match kernels.get_mut(at) {
            Some(byte) => *byte = change[2],
            None => packed[at - kernels.len()] = change[2],
        }
    }
    let file = sealed(&kernels, &packed);
    let Ok(read) = read(&file) else { return };
    assert_eq!(read.len(), CAPABILITIES.len());
    for (variant, capability) in read.iter().zip(CAPABILITIES) {
        assert_eq!(variant.capability, capability);
        for kernel in &variant.kernels {
            assert!(SYMBOLS.contains(&&*kernel.symbol));
            assert_eq!(kernel.text.matches(".entry").count(), 1);
            let entry = format!(".entry {}(", kernel.symbol);
            assert!(kernel.text.contains(&entry), "{}", kernel.text);
        }
    }
}
