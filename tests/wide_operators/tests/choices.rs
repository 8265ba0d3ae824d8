//! Predicates on wide items select the same items on the device as on the host, and an equality gives the same runs.

#[path = "../../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../../common/numbers.rs"]
#[allow(dead_code, reason = "used in part")]
mod numbers;
#[path = "../../common/own_choice.rs"]
mod own_choice;

use own_choice::{check_equality, check_predicate};
use wide_operators::operators::*;

#[test]
fn points_in_reach() {
    check_predicate::<InReach, [f32; 3]>(|numbers| [0; 3].map(|_: i32| numbers.float()));
}

#[test]
fn records_of_64_bytes() {
    check_predicate::<EvenLast, [u32; 16]>(|numbers| {
        std::array::from_fn(|_| numbers.bits() as u32)
    });
}

#[test]
fn words() {
    check_equality::<SameWord, [u64; 4]>(|numbers| {
        let bits = numbers.bits();
        [7, 8, bits % 2, bits / 2 % 2]
    });
}
