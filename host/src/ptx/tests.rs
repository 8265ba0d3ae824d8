use std::collections::BTreeMap;

use super::pack::{Variant as Unpacked, kernels, pack};
use super::table::Table;
use super::*;
use crate::kernel::SHIPPED as TABLES;

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
    let names: Vec<_> = kernels.keys().collect();
    assert_eq!(names, ["another", "first"]);
    let text = &kernels["first"];
    assert!(text.starts_with(".version 7.0\n.target sm_80\n"));
    assert!(text.contains(".extern .shared"));
    assert!(text.contains("{ mov.b64 {%r1, %r2}, %rd1; }"));
    assert!(text.ends_with("\tret;\n}\n"));
    assert_eq!(text.matches(".entry").count(), 1);
}

#[test]
fn functions_stay_with_every_entry() {
    let text = format!("{TEXT}.visible .func (.param .b32 r) helper()\n{{\n\tret;\n}}\n");
    for kernel in kernels(&text).unwrap().into_values() {
        assert_eq!(kernel, text);
    }
    let text = TEXT.replace("\tret;", "\tcall helper, (); // a .func");
    for kernel in kernels(&text).unwrap().into_values() {
        assert_eq!(kernel.matches(".entry").count(), 1);
    }
}

#[test]
fn a_text_without_entries_or_with_half_a_one_is_refused() {
    assert!(kernels(".version 7.0\n").is_err());
    let end = kernels(TEXT.trim_end().trim_end_matches('}')).unwrap_err();
    assert!(end.contains("another"), "{end}");
}

const SKELETON: &str = "\
.visible .entry skeleton(
\t.param .u64 skeleton_param_0
)
{
\tld.param.b64 %rd1, [skeleton_param_0];
\tHOLE identity %r1 <- ;
\tHOLE combine %r2 <- %r1, %r3;
\tHOLE combine %r4 <- %r2, %r2;
\tret;
}
";

const RECIPES: &str = "\
// A comment.

kernel sum skeleton
combine sum$combine
identity sum$identity

kernel product skeleton
combine product$combine
identity sum$identity

body sum$combine
\tadd.rn.f32 %out0, %in0, %in1;

body sum$identity
\tmov.b32 %out0, 0;

body product$combine
\t{
\t.reg .b32 %br<1>;
\tmul.rn.f32 %br0, %in1, %in0;
\tmov.b32 %out0, %br0;
\t}
";

const PRODUCT: &str = "\
.visible .entry product(
\t.param .u64 product_param_0
)
{
\tld.param.b64 %rd1, [product_param_0];
\tmov.b32 %r1, 0;
\t{
\t.reg .b32 %br<1>;
\tmul.rn.f32 %br0, %r3, %r1;
\tmov.b32 %r2, %br0;
\t}
\t{
\t.reg .b32 %br<1>;
\tmul.rn.f32 %br0, %r2, %r2;
\tmov.b32 %r4, %br0;
\t}
\tret;
}
";

fn table(recipes: &str) -> Result<Table, String> {
    let files = [("bodies.txt", recipes), ("skeleton.ptx", SKELETON)];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    Table::of_files(BTreeMap::from(files))
}

#[test]
fn bodies_fill_a_skeleton() {
    let table = table(RECIPES).unwrap();
    let [_, product] = &table.recipes[..] else {
        panic!("{:?}", table.recipes);
    };
    assert_eq!(table.text(product).unwrap(), PRODUCT);
}

#[test]
fn what_cannot_be_filled_is_refused() {
    for (there, instead, why) in [
        (
            "kernel sum skeleton",
            "kernel sum bones",
            "no skeleton called bones",
        ),
        (
            "combine sum$combine\n",
            "",
            "no body for the hole `combine`",
        ),
        (
            "combine sum$combine",
            "combine sum$both",
            "no body called sum$both",
        ),
        ("%in1", "%in2", "the hole `combine` asks for a register"),
        (
            "%out0, 0",
            "%out1, 0",
            "the hole `identity` asks for a register",
        ),
    ] {
        let recipes = RECIPES.replacen(there, instead, 1);
        let refusal = table(&recipes).err().unwrap();
        assert!(refusal.contains(why), "{refusal}");
    }
    assert_eq!(fill::fill("", "sum", ""), Err(fill::Unfilled::NoEntry));
    let hole = SKELETON.replace(" <- ;", ";");
    let refusal = fill::fill(&hole, "sum", "").unwrap_err();
    assert_eq!(refusal.to_string(), "`HOLE identity %r1;` is not a hole");
}

/// What is packed, as the library finds it: the table, and the compressed texts.
fn packed(texts: BTreeMap<String, String>, name: &str) -> (String, Vec<u8>) {
    let folder = format!("warpfold-pack-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let capability = (8, 0);
    pack(&[Unpacked { capability, texts }], &folder).unwrap();
    let table = std::fs::read_to_string(folder.join("variants.rs")).unwrap();
    let packed = std::fs::read(folder.join("kernels.bin")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (table, packed)
}

#[test]
fn packing_loses_nothing() {
    let (table, packed) = packed(kernels(TEXT).unwrap(), "text");
    let another = &kernels(TEXT).unwrap()["another"];
    assert!(table.contains("symbol: \"another\", packed: 0.."));
    assert!(table.contains(&format!("text_bytes: {}", another.len())));
    let text = decompress_to_vec_zlib_with_limit(&packed, another.len()).unwrap();
    assert_eq!(text, another.as_bytes());
}

#[test]
fn bodies_are_packed_beside_their_skeleton() {
    let texts = table(RECIPES).unwrap().packed();
    let names: Vec<_> = texts.keys().collect();
    assert_eq!(names, ["product", "skeleton", "sum"]);
    let filled = texts["product"].strip_prefix(fill::FILLED).unwrap();
    let (skeleton, bodies) = skeleton_and_bodies(filled);
    let text = fill::fill(&texts[skeleton], "product", bodies);
    assert_eq!(text.unwrap(), PRODUCT);
}

#[test]
fn every_generation_has_every_kernel() {
    for symbol in TABLES.into_iter().flatten() {
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
            for left in [fill::HOLE, fill::FILLED, "%in", "%out", "TAKE", "GIVE"] {
                assert!(!candidate.text.contains(left), "{symbol} has {left}");
            }
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
            .map(|candidate| candidate.text.split(".target ").nth(1).unwrap()[..5].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(targets((12, 0)), ["sm_90", "sm_80", "sm_70"]);
    assert_eq!(targets((9, 0)), ["sm_90", "sm_80", "sm_70"]);
    assert_eq!(targets((8, 9)), ["sm_80", "sm_70"]);
    assert_eq!(targets((7, 5)), ["sm_70"]);
    assert!(targets((6, 1)).is_empty());
}
