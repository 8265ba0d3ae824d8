use super::*;
use crate::fill::skeleton_and_bodies;

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

fn table(recipes: &str) -> Result<Table, NoTable> {
    let files = [("bodies.txt", recipes), ("skeleton.ptx", SKELETON)];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    Table::of_files(BTreeMap::from(files))
}

#[test]
fn bodies_fill_the_holes_of_a_skeleton() {
    let table = table(RECIPES).unwrap();
    let [_, product] = &table.recipes[..] else {
        panic!("{:?}", table.recipes);
    };
    assert_eq!(table.text(product).unwrap(), PRODUCT);
}

#[test]
fn recipes_that_cannot_be_filled_are_refused() {
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
        let refusal = table(&recipes).unwrap_err().to_string();
        assert!(refusal.contains(why), "{refusal}");
    }
    assert_eq!(fill("", "sum", ""), Err(Unfilled::NoEntry));
    let hole = SKELETON.replace(" <- ;", ";");
    let refusal = fill(&hole, "sum", "").unwrap_err();
    assert_eq!(refusal.to_string(), "`HOLE identity %r1;` is not a hole");
}

#[test]
fn bodies_are_packed_beside_their_skeleton() {
    let texts = table(RECIPES).unwrap().packed();
    let names: Vec<_> = texts.keys().collect();
    assert_eq!(names, ["product", "skeleton", "sum"]);
    let filled = texts["product"].strip_prefix(FILLED).unwrap();
    let (skeleton, bodies) = skeleton_and_bodies(filled);
    let text = fill(&texts[skeleton], "product", bodies);
    assert_eq!(text.unwrap(), PRODUCT);
}

#[test]
fn files_that_form_no_table_are_refused() {
    let of_files = |names: &[&str]| {
        let files = names.iter().map(|name| ((*name).to_owned(), String::new()));
        Table::of_files(files.collect()).unwrap_err()
    };
    assert_eq!(of_files(&["skeleton.ptx"]), NoTable::NoBodies);
    let other = of_files(&[BODIES, "notes.md"]);
    assert_eq!(other, NoTable::OtherFile("notes.md".to_owned()));
    let refusal = table("kernel sum skeleton\ncombine\n").unwrap_err();
    assert_eq!(refusal, NoTable::NoPair("combine".to_owned()));
}
