use super::trial::{compiled, judge, read, sealed, stamp, text};
use super::*;

/// What is read of a file of these kernels.
fn read_with(change: impl Fn(&mut Vec<Compiled>)) -> Result<Vec<Compiled>, Unfit> {
    let mut compiled = compiled();
    change(&mut compiled);
    read(&to_file(&stamp(), &compiled).unwrap())
}

#[test]
fn a_file_is_read_as_it_was_written() {
    assert_eq!(read_with(|_| {}), Ok(compiled()));
}

#[test]
fn a_file_that_does_not_fit_says_why() {
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

/// Each bit of a file, and each length: none is read as other kernels.
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
fn kernels_that_are_not_what_they_are_said_to_be_are_refused() {
    let damaged = Err(Unfit::Damaged);
    // The sum under the product's name, as it is.
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
    // Another architecture, one too many, one missing, a kernel twice.
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

/// A file whose hash is right, and which says of its texts what it likes.
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

#[test]
fn a_file_whose_hash_was_made_anew_has_kernels_of_the_source_alone() {
    // SplitMix64.
    let mut state = 1_u64;
    let mut roll = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    judge(&[]);
    for _ in 0..5_000 {
        let changes = 1 + roll() % 3;
        let bytes: Vec<u8> = (0..3 * changes).map(|_| roll() as u8).collect();
        judge(&bytes);
    }
}
