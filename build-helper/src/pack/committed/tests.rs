use fastrand::Rng;

use super::trial::{compiled, judge, read, sealed, stamp, text};
use super::*;

/// Applies `change` to valid kernels, writes them to a file, and reads the file.
fn read_with(change: impl Fn(&mut Vec<Compiled>)) -> Result<Vec<Compiled>, Unfit> {
    let mut compiled = compiled();
    change(&mut compiled);
    read(&to_file(&stamp(), &compiled).unwrap())
}

#[test]
fn a_written_file_reads_back_unchanged() {
    assert_eq!(read_with(|_| {}), Ok(compiled()));
}

#[test]
fn a_file_that_does_not_fit_has_a_reason() {
    let of = |kernels: &str, source: &str| {
        let stamp = Stamp {
            kernels: kernels.to_owned(),
            source: source.to_owned(),
        };
        read(&to_file(&stamp, &compiled()).unwrap())
    };
    assert_eq!(of("0.1.0-3", &stamp().source), Err(Unfit::Library));
    assert_eq!(of("0.1.0-2", "0"), Err(Unfit::Source));
    assert_eq!(
        read(b"warpfold operators 1\nkernels 0.1.0-2\n\n"),
        Err(Unfit::Library)
    );
    assert_eq!(read(b""), Err(Unfit::Damaged));
}

/// A file is refused if one of its bits is changed, if it is cut anywhere, or if a byte is appended.
#[test]
fn a_damaged_file_is_never_used() {
    let file = to_file(&stamp(), &compiled()).unwrap();
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            assert!(read(&damaged).is_err(), "bit {bit} of byte {at}");
        }
        assert!(read(&file[..at]).is_err(), "{at} bytes");
    }
    assert_eq!(read(&[&file[..], b"\n"].concat()), Err(Unfit::Damaged));
}

#[test]
fn kernels_with_a_wrong_symbol_or_architecture_are_refused() {
    let damaged = Err(Unfit::Damaged);
    // The sum's text under the product's name.
    assert_eq!(
        read_with(|c| c[0].kernels[0].text = c[0].kernels[1].text.clone()),
        damaged
    );
    // A symbol that no row has.
    assert_eq!(
        read_with(|c| c[0].kernels[0].symbol = "reduce_other".to_owned()),
        damaged
    );
    assert_eq!(
        read_with(|c| c[0].kernels[0].symbol = "x\"]}},panic!()".to_owned()),
        damaged
    );
    // Another architecture, a text for another architecture, a missing architecture, a missing kernel, a kernel twice.
    assert_eq!(read_with(|c| c[1].capability = (6, 0)), damaged);
    assert_eq!(
        read_with(|c| c[1].kernels[0].text = text("reduce_product", "sm_90", "mul")),
        damaged
    );
    assert_eq!(read_with(|c| c.truncate(1)), damaged);
    assert_eq!(read_with(|c| c[1].kernels.truncate(1)), damaged);
    assert_eq!(
        read_with(|c| c[0].kernels[0] = c[0].kernels[1].clone()),
        damaged
    );
    // Two entries, and a function beside the entry.
    assert_eq!(
        read_with(|c| c[0].kernels[1].text += ".entry more() { ret; }\n"),
        damaged
    );
    assert_eq!(
        read_with(|c| c[0].kernels[1].text += ".func more() { ret; }\n"),
        damaged
    );
}

/// A file with a correct hash and wrong sizes of its texts.
#[test]
fn sizes_are_bounded_before_anything_is_unpacked() {
    let file = to_file(&stamp(), &compiled()).unwrap();
    let (head, packed) = split(&file).unwrap();
    let (_, kernels) = head.split_once("\nkernel ").unwrap();
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b' '; 1 << 22], 1);
    for bytes in ["18446744073709551615", "1099511627776", "16777216", "0"] {
        let lines = kernels.lines().map(|line| {
            let line = line.strip_prefix("kernel ").unwrap_or(line);
            let (rest, _) = line.rsplit_once(' ').unwrap();
            format!("kernel {rest} {bytes}\n")
        });
        let rest = lines.collect::<String>() + "\n";
        let mut bombs = Vec::new();
        for _ in 0..5 {
            bombs.extend([
                (bomb.len() & 127 | 128) as u8,
                (bomb.len() >> 7 & 127 | 128) as u8,
                (bomb.len() >> 14) as u8,
            ]);
            bombs.extend(&bomb);
        }
        for packed in [packed, &bombs] {
            let kernels = rest.as_bytes().strip_suffix(b"\n").unwrap();
            assert_eq!(
                read(&sealed(kernels, packed)),
                Err(Unfit::Damaged),
                "{bytes}"
            );
        }
    }
}

/// The bytes with a few of them changed, removed, copied or reversed.
fn mutated(bytes: &[u8], numbers: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + numbers.usize(..4) {
        let at = numbers.usize(..bytes.len());
        let end = at + numbers.usize(..(bytes.len() - at).min(40) + 1);
        match numbers.usize(..5) {
            0 => bytes[at] ^= 1 << numbers.usize(..8),
            1 => bytes[at] = b"0179 \n\xff"[numbers.usize(..7)],
            2 if end - at < bytes.len() => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = numbers.usize(..bytes.len());
                bytes.splice(to..to, copy);
            }
            _ => bytes[at..end].reverse(),
        }
    }
    bytes
}

/// The parts of packed bytes, decompressed. In the packed bytes, each part comes after its length.
fn unzipped(packed: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = packed;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let mut length = 0;
        for shift in (0..).step_by(7) {
            let (first, others) = rest.split_first().unwrap();
            rest = others;
            length |= usize::from(first & 127) << shift;
            if *first < 128 {
                break;
            }
        }
        let (part, others) = rest.split_at(length);
        rest = others;
        parts.push(miniz_oxide::inflate::decompress_to_vec_zlib(part).unwrap());
    }
    parts
}

fn zipped(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut packed = Vec::new();
    for part in parts {
        let part = miniz_oxide::deflate::compress_to_vec_zlib(part, 1);
        packed.extend([(part.len() & 127 | 128) as u8, (part.len() >> 7) as u8]);
        packed.extend(part);
    }
    packed
}

/// Files as an attacker would write them: hash and compression are valid, and the contents are changed at random. No file leads to a panic,
/// and all kernels that are read have the expected symbols, architectures and entries.
#[test]
fn changed_files_with_right_hashes_have_only_kernels_of_the_source() {
    let file = to_file(&stamp(), &compiled()).unwrap();
    let (head, packed) = split(&file).unwrap();
    let (stamps, kernels) = head.split_once("\nkernel ").unwrap();
    let (stamps, _) = stamps.rsplit_once('\n').unwrap();
    let kernels = format!("kernel {kernels}\n\n");
    let parts = unzipped(packed);
    let (mut numbers, mut read_count, mut refused_count) = (Rng::with_seed(1), 0, 0);
    for _ in 0..5_000 {
        let (mut rest, mut parts) = (kernels.clone().into_bytes(), parts.clone());
        match numbers.usize(..parts.len() + 1) {
            0 => rest = mutated(&rest, &mut numbers),
            part if parts[part - 1].is_empty() => parts[part - 1].push(numbers.usize(..256) as u8),
            part => parts[part - 1] = mutated(&parts[part - 1], &mut numbers),
        }
        let packed = zipped(&parts);
        let hash = Hash::of(&rest).with(&packed);
        let head = format!("{stamps}\npacked {} {hash}\n", packed.len());
        match read(&[head.as_bytes(), &rest, &packed].concat()) {
            Err(_) => refused_count += 1,
            Ok(compiled) => {
                read_count += 1;
                let capabilities: Vec<_> = compiled.iter().map(|c| c.capability).collect();
                assert_eq!(capabilities, [(9, 0), (7, 0)]);
                for kernel in compiled.iter().flat_map(|compiled| &compiled.kernels) {
                    assert!(["reduce_sum", "reduce_product"].contains(&&*kernel.symbol));
                    let entry = format!(".visible .entry {}(", kernel.symbol);
                    assert!(kernel.text.contains(&entry), "{}", kernel.text);
                    assert_eq!(kernel.text.matches(".entry").count(), 1, "{}", kernel.text);
                }
            }
        }
    }
    // Some files must be read, and some refused. Otherwise this test would test nothing.
    assert!(
        read_count > 100 && refused_count > 1_000,
        "{read_count}, {refused_count}"
    );
}

#[test]
fn files_with_recomputed_hashes_have_only_kernels_of_the_source() {
    let mut numbers = Rng::with_seed(2);
    judge(&[]);
    for _ in 0..5_000 {
        let changes = 1 + numbers.usize(..3);
        let bytes: Vec<u8> = (0..3 * changes)
            .map(|_| numbers.usize(..256) as u8)
            .collect();
        judge(&bytes);
    }
}
