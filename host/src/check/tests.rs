use super::*;
use crate::{Max, Min, Product, Sum};

/// Defines an operator on `f32` by a function.
macro_rules! operator {
    ($name:ident, exact $exact:literal, identity $identity:expr, $combine:expr) => {
        #[derive(Debug, Clone, Copy)]
        struct $name;

        impl Op<f32> for $name {
            type Accumulator = f32;
            type Output = f32;
            const EXACT: bool = $exact;
            fn identity() -> f32 {
                $identity
            }
            fn lift(item: f32) -> f32 {
                item
            }
            fn combine(left: f32, right: f32) -> f32 {
                let combine: fn(f32, f32) -> f32 = $combine;
                combine(left, right)
            }
            fn lower(value: f32) -> f32 {
                value
            }
        }
    };
}

operator!(Difference, exact false, identity 0.0, |a, b| if a.to_bits() == 0 { b } else if b.to_bits() == 0 { a } else { a - b });
operator!(PositiveZero, exact false, identity 0.0, |a, b| a + b);
operator!(ClaimsExact, exact true, identity -0.0, |a, b| a + b);
operator!(First, exact true, identity f32::INFINITY, |a, b| if a == f32::INFINITY { b } else { a });
operator!(Rounds, exact false, identity -0.0, |a, b| a + b);

const ITEMS: [f32; 5] = [0.1, -0.0, 1.0e7, -3.3, 0.7];

fn laws<O: Op<f32, Output = f32>>() -> Laws<O, f32> {
    Laws::new(&ITEMS).unwrap()
}

#[test]
fn an_operator_that_keeps_its_promises_passes() {
    laws::<Rounds>().check().unwrap();
    laws::<Rounds>().check_commutation().unwrap();
    laws::<First>().check().unwrap();
}

#[test]
fn a_wrong_grouping_is_told() {
    let flaw = laws::<Difference>().check().unwrap_err();
    assert!(matches!(
        flaw,
        OperatorFlaw::Association {
            claims_exact: false,
            ..
        }
    ));
    let text = flaw.to_string();
    assert!(
        text.contains("Difference is not associative: of 0x"),
        "{text}"
    );
}

#[test]
fn an_inexact_identity_is_told() {
    let flaw = laws::<PositiveZero>().check().unwrap_err();
    let OperatorFlaw::Identity { value, result, .. } = flaw else {
        panic!("{flaw}");
    };
    let text = laws::<PositiveZero>().check().unwrap_err();
    assert_eq!(format!("{text:?}"), text.to_string());
    assert_eq!(value.to_string(), "0x80000000");
    assert_eq!(result.to_string(), "0x00000000");
}

#[test]
fn a_wrong_claim_to_be_exact_is_told() {
    let flaw = laws::<ClaimsExact>().check().unwrap_err();
    let text = flaw.to_string();
    assert!(text.contains("though it says that it is exact"), "{text}");
}

#[test]
fn an_operator_that_does_not_commute_is_told() {
    let flaw = laws::<First>().check_commutation().unwrap_err();
    assert!(matches!(flaw, OperatorFlaw::Commutation { .. }), "{flaw}");
}

#[test]
fn no_items_are_told() {
    let flaw = Laws::<Rounds, f32>::new(&[]).err();
    assert!(matches!(flaw, Some(OperatorFlaw::NoItems { .. })));
}

#[test]
fn other_bits_on_the_device_are_told() {
    let flaw = compare::<Rounds, f32>("a reduction", &[1.0, 2.0], &[1.0, 2.5], 7).unwrap_err();
    let text = flaw.to_string();
    assert!(
        text.contains("7 items gives 0x40000000 on the device"),
        "{text}"
    );
    assert!(
        text.ends_with("0x40200000 on the host, at place 1"),
        "{text}"
    );
}

#[test]
fn the_operators_of_the_table_pass() {
    let floats = [0.0, -0.0, 1.5, -2.25, f32::INFINITY, f32::NAN, 1.0e-40];
    check_operator::<Max, f32>(&floats).unwrap();
    check_operator::<Min, f32>(&floats).unwrap();
    check_operator::<Sum, f32>(&ITEMS).unwrap();
    check_operator::<Product, f64>(&[1.5, -0.3, 7.0]).unwrap();
    check_operator::<Sum, u8>(&[0, 1, 200, 255]).unwrap();
    check_scan_operator::<Sum, i64>(&[i64::MIN, -1, 5]).unwrap();
}
