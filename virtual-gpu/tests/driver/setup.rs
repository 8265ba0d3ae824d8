//! The launch calls from before CUDA 4.0: one call sets a function's block shape, others set its parameters, and a last call launches it.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;

#[test]
fn a_launch_takes_the_shape_and_the_parameters_that_were_set() {
    let _context = Context::new();
    let (increment, counter) = (function(load(PTX), c"increment"), zeros(1));
    assert_eq!(cuFuncSetBlockShape(increment, 32, 2, 1), 0);
    // SAFETY: `counter` has eight bytes, which are read during the call.
    let set = unsafe { cuParamSetv(increment, 0, (&raw const counter).cast(), 8) };
    assert_eq!(set, 0);
    assert_eq!(cuParamSetSize(increment, 8), 0);
    assert_eq!(cuLaunchGrid(increment, 3, 2), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(counter), 6 * 64);
}

#[test]
fn parameters_stay_for_the_next_launch_and_can_be_set_one_by_one() {
    let _context = Context::new();
    let (write, word) = (function(load(PTX), c"write"), zeros(1));
    assert_eq!(cuFuncSetBlockShape(write, 1, 1, 1), 0);
    assert_eq!(cuParamSetSize(write, 16), 0);
    // SAFETY: `word` has eight bytes, which are read during the call.
    let set = unsafe { cuParamSetv(write, 0, (&raw const word).cast(), 8) };
    assert_eq!(set, 0);
    for value in [7, 9] {
        assert_eq!(cuParamSeti(write, 8, value), 0);
        assert_eq!(cuLaunchGrid(write, 1, 1), 0);
        assert_eq!(cuCtxSynchronize(), 0);
        assert_eq!(peek(word), value);
    }
}

#[test]
fn a_wrong_setup_is_refused() {
    if virtual_only("the order in which a real device checks is not documented") {
        return;
    }
    let _context = Context::new();
    let increment = function(load(PTX), c"increment");
    assert_eq!(cuLaunchGrid(increment, 1, 1), INVALID_VALUE, "no block");
    assert_eq!(cuFuncSetBlockShape(increment, 0, 1, 1), INVALID_VALUE);
    assert_eq!(cuFuncSetBlockShape(increment, 1, 1, 1), 0);
    let unset = cuLaunchGrid(increment, 1, 1);
    assert_eq!(unset, INVALID_VALUE, "no parameters");
    assert_eq!(cuParamSetSize(increment, 1 << 20), INVALID_VALUE);
    assert_eq!(cuParamSeti(increment, -1, 0), INVALID_VALUE);
    assert_eq!(cuParamSeti(increment, 1 << 20, 0), INVALID_VALUE);
    assert_eq!(cuParamSetSize(increment, 8), 0);
    assert_eq!(cuLaunchGrid(increment, 0, 1), INVALID_VALUE, "no blocks");
}
