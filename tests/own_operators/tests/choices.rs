//! Predicates and equalities such as users write. On the device and on the host, a predicate selects the same items, and an equality gives
//! the same runs.

#[path = "../../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../../common/numbers.rs"]
#[allow(dead_code, reason = "used in part")]
mod numbers;
#[path = "../../common/own_choice.rs"]
mod own_choice;

use own_choice::{check_equality, check_predicate};
use own_operators::operators::*;

#[test]
fn even_numbers() {
    check_predicate::<Even, u32>(|numbers| numbers.bits() as u32);
}

#[test]
fn letters() {
    check_predicate::<Letter, u8>(|numbers| numbers.bits() as u8);
}

#[test]
fn pairs_with_one_key() {
    check_equality::<SameKey, [u32; 2]>(|numbers| {
        let bits = numbers.bits();
        [bits as u32 % 3, (bits >> 32) as u32]
    });
}

#[test]
fn runs_that_drift() {
    check_equality::<Near, u16>(|numbers| 65_000 + numbers.bits() as u16 % 5);
}

#[test]
fn checks_of_choices_pass() {
    warpfold::check_predicate::<Even, _>(&[0, 1, 2, u32::MAX]).unwrap();
    let letters: Vec<u8> = (0..=u8::MAX).collect();
    warpfold::check_predicate::<Letter, _>(&letters).unwrap();
    warpfold::check_equality::<SameKey, _>(&[[0, 1], [0, 2], [u32::MAX, 1]]).unwrap();
    warpfold::check_equality::<Near, _>(&[0, 1, 2, 3, 100, u16::MAX]).unwrap();
}
