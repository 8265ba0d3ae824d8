//! Loads, stores and atomic operations: widths, vectors, signs, cache operators, spaces, and non-coherent reads.

use super::support::{Arg, Device, kernel};
use super::{OPERATIONS, Operation, block, warp_gives};
use virtual_gpu::{Conflict, FaultKind};

/// Thread `t` fills four bytes of shared memory with the numbers `200 + 4 t` to `203 + 4 t`.
const BYTES: &str = "mov.u32 %r9, dynamic; mad.lo.u32 %r8, %r0, 4, %r9; mul.lo.u32 %r7, %r0, 0x04040404; \
                     add.u32 %r7, %r7, 0xcbcac9c8; st.shared.u32 [%r8], %r7; bar.sync 0;";

/// The value of a little-endian load of `bytes` bytes, at an offset of the memory that [`BYTES`] fills. The tests run only eight threads,
/// so the greatest byte is 231, and no byte overflows.
fn at(offset: u32, bytes: u32) -> u64 {
    let byte = |i: u32| u64::from(200 + offset + i);
    (0..bytes).fold(0, |value, i| value | byte(i) << (8 * i))
}

fn check(load: &str, expected: u64) {
    for (part, right) in [("lo", expected as u32), ("hi", (expected >> 32) as u32)] {
        let take = match part {
            "lo" => "mov.b64 {%r39, %r38}, %d5;",
            _ => "mov.b64 {%r38, %r39}, %d5;",
        };
        let body = format!("mov.u64 %d5, 0; {BYTES} {load} {take}");
        assert_eq!(block(8, &body), Ok(vec![right; 8]), "{body}");
    }
}

#[test]
fn loads_of_every_width_and_sign() {
    for (form, bytes, signed) in [
        ("b8", 1, false),
        ("u8", 1, false),
        ("s8", 1, true),
        ("b16", 2, false),
        ("u16", 2, false),
        ("s16", 2, true),
        ("b32", 4, false),
        ("u32", 4, false),
        ("s32", 4, true),
        ("b64", 8, false),
        ("u64", 8, false),
        ("s64", 8, true),
    ] {
        let value = at(8, bytes);
        let unused = 64 - 8 * bytes;
        let filled = match signed {
            true => ((value << unused) as i64 >> unused) as u64,
            false => value,
        };
        check(&format!("ld.shared.{form} %d5, [%r9+8];"), filled);
    }
}

#[test]
fn every_element_of_a_vector_has_its_own_bytes() {
    let parts = ["%d6", "%d7", "%d8", "%d9"];
    for (vector, count) in [("v2", 2), ("v4", 4)] {
        for (form, bytes) in [("u8", 1), ("b16", 2), ("u32", 4), ("b64", 8)] {
            if count * bytes > 16 {
                continue;
            }
            let list = parts[..count as usize].join(", ");
            for part in 0..count {
                let load = format!(
                    "ld.shared.{vector}.{form} {{{list}}}, [%r9+16]; mov.u64 %d5, {};",
                    parts[part as usize]
                );
                check(&load, at(16 + part * bytes, bytes));
                // Each thread stores the vector in sixteen bytes that no other thread accesses, and reads one element from there.
                let apart = format!(
                    "mad.lo.u32 %r6, %r0, 12, %r8; ld.shared.{vector}.{form} {{{list}}}, [%r9+16]; \
                     st.shared.{vector}.{form} [%r6+256], {{{list}}}; ld.shared.{form} %d5, [%r6+{}];",
                    256 + part * bytes
                );
                check(&apart, at(16 + part * bytes, bytes));
            }
        }
    }
    let wide = "{ .reg .b128 %q; ld.shared.b128 %q, [%r9+16]; mov.b128 {%d6, %d5}, %q; }";
    check(wide, at(24, 8));
    check(&wide.replace("{%d6, %d5}", "{%d5, %d6}"), at(16, 8));
}

#[test]
fn cache_operators_change_no_result() {
    let device = Device::new();
    let input = device.upload(&[11_u32, 12, 13, 14]);
    for load in [
        "",
        ".ca",
        ".cg",
        ".cs",
        ".lu",
        ".cv",
        ".nc",
        ".ca.nc",
        ".L1::no_allocate",
        ".L2::128B",
    ] {
        for store in ["", ".wb", ".cg", ".cs", ".wt", ".L1::evict_last"] {
            let out = device.zeros(4);
            let text = kernel(
                2,
                &format!(
                    "ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1]; ld.global{load}.u32 %r1, [%d1+8]; \
                     st.global{store}.u32 [%d2], %r1; ret;"
                ),
            );
            device.run(&text, 1, 1, &[Arg::U64(input), Arg::U64(out)]);
            assert_eq!(device.download::<u32>(out, 1), [13], "{load} {store}");
        }
    }
}

#[test]
fn read_only_loads_race_with_earlier_writes() {
    let outcome = |before: &str, load: &str, after: &str| {
        let body = format!("{before} bar.sync 0; {load} %r5, [%d1]; bar.sync 0; {after}");
        block(64, &body)
    };
    let write = "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.u32 [%d1], 7;";
    for before in [write, "red.global.add.u32 [%d1], 7;"] {
        let found = outcome(before, "ld.global.nc.u32", "");
        let is_found = matches!(
            found,
            Err(FaultKind::Race {
                conflict: Conflict::ReadOnly,
                ..
            })
        );
        assert!(is_found, "{before}: {found:?}");
        assert!(outcome(before, "ld.global.u32", "").is_ok());
    }
    assert!(outcome("", "ld.global.nc.u32", write).is_ok());
}

#[test]
fn atomic_operations_in_every_space() {
    let others: [(&str, Operation); 2] = [
        ("inc.u32", |a, b| if a >= b { 0 } else { a + 1 }),
        ("dec.u32", |a, b| if a == 0 || a > b { b } else { a - 1 }),
    ];
    for (old, operand) in [(5_u32, 0x8000_0009_u32), (0x8000_0009, 5), (7, 7), (0, 3)] {
        for (form, modify) in OPERATIONS.into_iter().chain(others) {
            let new = modify(old, operand);
            for (space, address) in [
                (".global", "%d1"),
                (".shared", "%d4"),
                ("", "%d1"),
                ("", "%d5"),
            ] {
                let set = format!(
                    "mov.u64 %d4, dynamic; cvta.shared.u64 %d5, %d4; mov.u32 %r2, {operand}; \
                     setp.ne.u32 %p1, %r0, 0; @%p1 bra END; st{space}.u32 [{address}], {old};"
                );
                let get = format!("ld{space}.u32 %r39, [{address}];");
                let first = |body: &str| block(2, body).map(|out| out[0]);
                let red = format!("{set} red{space}.{form} [{address}], %r2; {get} END:");
                assert_eq!(first(&red), Ok(new), "{red}");
                let atom = format!("{set} atom{space}.{form} %r3, [{address}], %r2; {get} END:");
                assert_eq!(first(&atom), Ok(new), "{atom}");
                let before = atom.replace(&get, "mov.u32 %r39, %r3;");
                assert_eq!(first(&before), Ok(old), "{before}");
            }
        }
    }
}

#[test]
fn generic_addresses_identify_their_spaces() {
    let addresses = [
        ("global", "cvta.global.u64 %d5, %d1;"),
        ("shared", "mov.u64 %d5, dynamic; cvta.shared.u64 %d5, %d5;"),
        ("local", "mov.u64 %d5, stack; cvta.local.u64 %d5, %d5;"),
        ("param", "mov.u64 %d5, p0; cvta.param.u64 %d5, %d5;"),
    ];
    for (space, setup) in addresses {
        let stack = ".local .align 8 .b8 stack[16];";
        for (asked, _) in addresses {
            let body =
                format!("{stack} {setup} isspacep.{asked} %p1, %d5; selp.u32 %r39, 1, 0, %p1;");
            warp_gives(&body, |_| u32::from(asked == space));
        }
        // Converts the generic address to an address of the space, and back.
        let back = format!(
            "{stack} {setup} mov.u64 %d6, %d5; cvta.to.{space}.u64 %d6, %d6; cvta.{space}.u64 %d6, %d6; \
             setp.eq.u64 %p1, %d5, %d6; selp.u32 %r39, 1, 0, %p1;"
        );
        warp_gives(&back, |_| 1);
        if space != "global" {
            let differs = back.replace(&format!("cvta.{space}.u64 %d6, %d6;"), "");
            warp_gives(&differs, |_| 0);
        }
    }
}
