//! Makes a test for each row that a macro like `for_each_kernel` passes. The test has the row's name, and calls `kind::<Op, Type>()`.

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            $kind::<$op, $t>();
        }
    )*};
}
pub(crate) use rows;
