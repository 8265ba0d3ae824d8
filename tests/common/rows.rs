//! Makes a test for each row that a macro like `for_each_kernel` passes, with the row's name. The test calls `kind::<Op, Type>()`.

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            $kind::<$op, $t>();
        }
    )*};
}
pub(crate) use rows;
