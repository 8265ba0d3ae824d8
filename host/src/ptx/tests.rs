use super::pack::{Variant as Unpacked, kernels, pack};
use super::*;
use crate::kernel::SHIPPED as ROWS;

const TEXT: &str = "\
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 shared[];
\t// .globl\tfirst // a brace that does not count: {
.visible .entry first(
\t.param .u64 first_param_0
)
{
\t{ mov.b64 {%r1, %r2}, %rd1; } // nor does this: }
\tret;
}
\t// .globl\tfirst_of_all
.visible .entry another()
{
\tret;
}
";

#[test]
fn an_entry_is_cut_out_with_the_preamble() {
    let kernels = kernels(TEXT).unwrap();
    let names: Vec<_> = kernels.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["another", "first"]);
    let text = &kernels[1].1;
    assert!(text.starts_with(".version 7.0\n.target sm_80\n"));
    assert!(text.contains(".extern .shared"));
    assert!(text.contains("{ mov.b64 {%r1, %r2}, %rd1; }"));
    assert!(text.ends_with("\tret;\n}\n"));
    assert_eq!(text.matches(".entry").count(), 1);
}

#[test]
fn functions_stay_with_every_entry() {
    let text = format!("{TEXT}.visible .func (.param .b32 r) helper()\n{{\n\tret;\n}}\n");
    for (_, kernel) in kernels(&text).unwrap() {
        assert_eq!(kernel, text);
    }
    let text = TEXT.replace("\tret;", "\tcall helper, (); // a .func");
    for (_, kernel) in kernels(&text).unwrap() {
        assert_eq!(kernel.matches(".entry").count(), 1);
    }
}

#[test]
fn a_text_without_entries_or_with_half_a_one_is_refused() {
    assert!(kernels(".version 7.0\n").is_err());
    let end = kernels(TEXT.trim_end().trim_end_matches('}')).unwrap_err();
    assert!(end.contains("another"), "{end}");
}

#[test]
fn packing_loses_nothing() {
    let folder = std::env::temp_dir().join(format!("warpfold-pack-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let variant = Unpacked {
        capability: (8, 0),
        text: TEXT.to_owned(),
    };
    pack(&[variant], &folder).unwrap();
    let table = std::fs::read_to_string(folder.join("variants.rs")).unwrap();
    let packed = std::fs::read(folder.join("kernels.bin")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let (_, another) = &kernels(TEXT).unwrap()[0];
    assert!(table.contains("symbol: \"another\", packed: 0.."));
    assert!(table.contains(&format!("text_bytes: {}", another.len())));
    let text = decompress_to_vec_zlib_with_limit(&packed, another.len()).unwrap();
    assert_eq!(text, another.as_bytes());
}

#[test]
fn every_generation_has_every_kernel() {
    for symbol in ROWS {
        let candidates: Vec<_> = SHIPPED.candidates(symbol, (8, 0)).collect();
        let capabilities: Vec<_> = candidates.iter().map(|c| c.capability).collect();
        assert_eq!(capabilities, [(8, 0), (7, 0)], "{symbol}");
        for candidate in candidates {
            let text = String::from_utf8(candidate.text).unwrap();
            let entry = format!(".visible .entry {}(", symbol);
            assert_eq!(text.matches(&entry).count(), 1, "{symbol}");
        }
    }
    assert!(
        SHIPPED
            .variants
            .iter()
            .all(|variant| SHIPPED.text(variant, "reduce").is_none())
    );
}

#[test]
fn a_device_gets_what_it_runs_best_first() {
    let targets = |capability| {
        SHIPPED
            .candidates("reduce_sum_f32", capability)
            .map(|candidate| {
                let text = String::from_utf8(candidate.text).unwrap();
                text.split(".target ").nth(1).unwrap()[..5].to_owned()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(targets((12, 0)), ["sm_90", "sm_80", "sm_70"]);
    assert_eq!(targets((9, 0)), ["sm_90", "sm_80", "sm_70"]);
    assert_eq!(targets((8, 9)), ["sm_80", "sm_70"]);
    assert_eq!(targets((7, 5)), ["sm_70"]);
    assert!(targets((6, 1)).is_empty());
}
