use std::path::Path;

use warpfold_ptx::fill::HOLE;

use super::*;

macro_rules! symbols {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
}

/// The library's kernels.
const SYMBOLS: &[&str] = warpfold_kernels::for_each_row!(symbols);

/// With rust-cuda's compiler, the folder `WARPFOLD_TEXTS` has other files.
#[cfg(not(feature = "cuda_builder"))]
#[test]
fn packed_texts_unpack_unchanged() {
    for (name, variant) in ["sm_90", "sm_70"].into_iter().zip(SHIPPED.variants) {
        let folder = Path::new(env!("WARPFOLD_TEXTS")).join(name);
        let files = std::fs::read_dir(folder).unwrap();
        let mut skeletons = 0;
        for file in files {
            let path = file.unwrap().path();
            let skeleton = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_some_and(|it| it == "ptx") && skeleton != "kernels" {
                let text = std::fs::read_to_string(&path).unwrap();
                assert_eq!(SHIPPED.unpack(variant, skeleton), Some(text), "{name}");
                skeletons += 1;
            }
        }
        assert!(skeletons > 0, "{name}");
    }
}

#[test]
fn every_generation_has_every_kernel() {
    for symbol in SYMBOLS {
        let candidates: Vec<_> = SHIPPED.candidates(symbol, (9, 0)).collect();
        let capabilities: Vec<_> = candidates.iter().map(|c| c.capability).collect();
        assert_eq!(capabilities, [(9, 0), (8, 0), (7, 0)], "{symbol}");
        let waits = candidates
            .iter()
            .map(|c| c.text.matches("griddepcontrol.wait;").count());
        assert!(waits.eq([1, 0, 0]), "{symbol}");
        for candidate in candidates {
            let entry = format!(".visible .entry {}(", symbol);
            assert_eq!(candidate.text.matches(&entry).count(), 1, "{symbol}");
        }
    }
    assert!(
        SHIPPED
            .variants
            .iter()
            .all(|variant| SHIPPED.text(variant, "reduce").is_none())
    );
}

/// Only the embedded texts are checked. Texts for older devices are made from the embedded texts, and this adds no holes.
#[test]
fn no_shipped_text_has_a_hole() {
    for symbol in SYMBOLS {
        for variant in SHIPPED.variants {
            let text = SHIPPED.text(variant, symbol).unwrap();
            for left in [HOLE, FILLED, "%in", "%out", "TAKE", "GIVE"] {
                assert!(!text.contains(left), "{symbol} has {left}");
            }
        }
    }
}

#[test]
fn candidates_for_a_device_begin_with_the_newest_target() {
    let targets = |capability| {
        SHIPPED
            .candidates("reduce_sum_f32", capability)
            .map(|candidate| candidate.text.split(".target ").nth(1).unwrap()[..5].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(targets((12, 0)), ["sm_90", "sm_80", "sm_70"]);
    assert_eq!(targets((9, 0)), ["sm_90", "sm_80", "sm_70"]);
    assert_eq!(targets((8, 9)), ["sm_80", "sm_70"]);
    assert_eq!(targets((7, 5)), ["sm_70"]);
    assert!(targets((6, 1)).is_empty());
}

/// A program's own texts for 9.0 are made into texts for 8.0, and into texts for 7.0 unless the program has texts for 7.0.
#[test]
fn texts_for_older_devices_are_derived_from_a_programs_texts() {
    const TEXT: &str = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry scan(\n)\n{\n\tgriddepcontrol.wait;\n\
        \tcp.async.ca.shared.global [%rd1], [%rd2], 8;\n\tcp.async.wait_all;\n\tret;\n}\n";
    let packed: &[u8] = miniz_oxide::deflate::compress_to_vec_zlib(TEXT.as_bytes(), 3).leak();
    let kernels: &[Packed] = vec![Packed {
        symbol: "scan",
        packed: 0..packed.len(),
        text_bytes: TEXT.len(),
    }]
    .leak();
    let variant = |capability| Variant {
        capability,
        kernels,
    };
    let texts = |capabilities: &[(u32, u32)]| -> &'static Texts {
        let variants = capabilities.iter().copied().map(variant);
        let variants: &[Variant] = variants.collect::<Vec<_>>().leak();
        Box::leak(Box::new(Texts::new(packed, variants).without_older()))
    };
    let newest: Vec<_> = texts(&[(9, 0)]).candidates("scan", (9, 0)).collect();
    let capabilities: Vec<_> = newest
        .iter()
        .map(|candidate| candidate.capability)
        .collect();
    assert_eq!(capabilities, [(9, 0), (8, 0), (7, 0)]);
    assert!(newest[1].text.contains("cp.async") && !newest[1].text.contains("griddepcontrol"));
    assert!(newest[2].text.contains(".target sm_70\n") && !newest[2].text.contains("cp.async"));
    let only = |texts: &'static Texts, capability| texts.candidates("scan", capability).count();
    assert_eq!(
        [(8, 6), (7, 5), (6, 1)].map(|of| only(texts(&[(9, 0)]), of)),
        [2, 1, 0]
    );
    let compiled: Vec<_> = texts(&[(9, 0), (7, 0)])
        .candidates("scan", (7, 5))
        .collect();
    assert_eq!(compiled.len(), 1);
    assert_eq!(compiled[0].text, TEXT);
}
