//! Tests of the files that are written before a build, and of the texts that a build produces.

use super::few::{FEW, library_rows, rows};
use warpfold_ptx::finish::finish;
use warpfold_ptx::rust_cuda::amend;

use super::KernelSet;

const EMITTED: &str = "\
.version 8.8
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 _Zcuda_std_dyn_shared[16];

.visible .entry reduce_sum_f32(
\t.param .u64 reduce_sum_f32_param_0
)
{
\tret;
}
";

const AMENDED: &str = "\
.version 7.4
.target sm_70
.address_size 64
.extern .shared .align 128 .b8 _Zcuda_std_dyn_shared[];
.visible .entry reduce_sum_f32(
\t.param .u64 reduce_sum_f32_param_0
)
.maxntid 256, 1, 1
.minnctapersm 3
{
\tret;
}
";

#[test]
fn the_compilers_output_is_amended() {
    let amended = amend(EMITTED, "7.4").unwrap();
    assert_eq!(
        finish(&amended, &KernelSet::Library.contents()).unwrap(),
        AMENDED
    );
}

#[test]
fn the_few_are_rows_of_the_tables() {
    let ladder = include_str!("../../../ladder/kernels/src/entries.rs");
    let is_row = |line: &&str| line.ends_with(';') && line.contains(" => ");
    let count = |table: &str| table.lines().filter(is_row).count();
    // The first table has all rows of the library. The other tables repeat some of these rows.
    let all = |tables: &str| count(tables.split("#[macro_export]").nth(1).unwrap());
    let few = all(&library_rows(&FEW)) + count(&rows(ladder, &FEW));
    // `ladder_nested_hello` is the only kernel of `FEW` that is not a row.
    assert_eq!(few, FEW.len() - 1);
    let library = library_rows(&KernelSet::Library.symbols());
    assert_eq!(all(&library), KernelSet::Library.symbols().len());
    assert_eq!(rows(&library, &KernelSet::Library.symbols()), library);
}
