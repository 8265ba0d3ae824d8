use super::*;
use crate::{Max, Min, Product, Sum};

/// Defines an operator on `f32` that combines with the given function.
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
fn check_reports_an_operator_that_is_not_associative() {
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
fn check_reports_an_inexact_identity() {
    let flaw = laws::<PositiveZero>().check().unwrap_err();
    let OperatorFlaw::Identity { value, result, .. } = flaw else {
        panic!("{flaw}");
    };
    let text = laws::<PositiveZero>().check().unwrap_err();
    assert_eq!(format!("{text:?}"), text.to_string());
    assert_eq!(value.to_string(), "0x80000000 (-0.0)");
    assert_eq!(result.to_string(), "0x00000000 (0.0)");
}

#[test]
fn check_reports_a_wrong_claim_of_exactness() {
    let flaw = laws::<ClaimsExact>().check().unwrap_err();
    let text = flaw.to_string();
    assert!(text.contains("though it says that it is exact"), "{text}");
}

#[test]
fn check_reports_an_operator_that_does_not_commute() {
    let flaw = laws::<First>().check_commutation().unwrap_err();
    assert!(matches!(flaw, OperatorFlaw::Commutation { .. }), "{flaw}");
}

#[test]
fn laws_without_items_are_refused() {
    let flaw = Laws::<Rounds, f32>::new(&[]).err();
    assert!(matches!(flaw, Some(OperatorFlaw::NoItems { .. })));
}

#[test]
fn different_bits_on_device_and_host_are_reported() {
    let flaw = compare::<Rounds, f32, f32>("a reduction", &[1.0, 2.0], &[1.0, 2.5], 7).unwrap_err();
    let text = flaw.to_string();
    assert!(
        text.contains("7 items gives 0x40000000 (2.0) on the device"),
        "{text}"
    );
    assert!(
        text.ends_with("0x40200000 (2.5) on the host, at place 1"),
        "{text}"
    );
}

#[test]
fn nans_with_different_bits_are_reported_with_advice() {
    let nan = |bits| f32::from_bits(bits);
    let of = |device, host| {
        let flaw = compare::<Rounds, f32, f32>("a reduction", &[device], &[host], 17);
        flaw.unwrap_err().to_string()
    };
    let text = of(nan(0xffc0_0000), nan(0x7fc0_0000));
    let hint = "0x7fc00000 (NaN) on the host, at place 0; both are NaN: make every NaN the same one in `lower`";
    assert!(text.ends_with(hint), "{text}");
    assert!(!of(nan(0x7fc0_0000), 1.0).contains("both are NaN"));
    assert!(!of(2.0, 1.0).contains("both are NaN"));
}

#[test]
fn predicates_and_equalities_with_different_answers_are_reported() {
    check_predicate::<crate::NonZero, u32>(&[0, 7, 1 << 31]).unwrap();
    check_equality::<crate::Equal, i32>(&[0, 7, -7]).unwrap();
    let nothing = check_predicate::<crate::NonZero, u32>(&[]).unwrap_err();
    assert!(matches!(nothing, OperatorFlaw::NoItems { .. }));
    let nothing = check_equality::<crate::Equal, u32>(&[]).unwrap_err();
    assert!(matches!(nothing, OperatorFlaw::NoItems { .. }));
    assert_eq!(
        choices::flaw::<Sum, u32>(&[1, 2], true).to_string(),
        "warpfold_kernels::op::Sum: of 0x00000001 and 0x00000002 it says false on the device and true on the host"
    );
    let differs = |device: &[usize]| choices::first_difference(device, 4, |place| place % 2 == 1);
    assert_eq!(differs(&[1, 3]), None);
    assert_eq!(differs(&[1]), Some(3));
    assert_eq!(differs(&[0, 1, 3]), Some(0));
    assert_eq!(differs(&[1, 2, 3]), Some(2));
}

#[test]
fn every_ordered_pair_of_items_is_adjacent_once() {
    let items = choices::neighbours(&[0, 1, 2], 18);
    let pairs: std::collections::BTreeSet<_> =
        items.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
    assert_eq!(pairs.len(), 9);
}

#[test]
fn floats_are_printed_as_bits_and_numbers() {
    assert_eq!(Bytes::of(&f32::INFINITY).to_string(), "0x7f800000 (inf)");
    assert_eq!(
        Bytes::of(&[0.5f32, -1e-45]).to_string(),
        "0x3f000000_80000001 (0.5, -1e-45)"
    );
    assert_eq!(Bytes::of(&0.1f64).to_string(), "0x9999999a_3fb99999 (0.1)");
    assert_eq!(Bytes::of(&half::f16::ONE).to_string(), "0x3c00 (1.0)");
    assert_eq!(Bytes::of(&half::bf16::ONE).to_string(), "0x3f80 (1.0)");
    assert_eq!(Bytes::of(&7u32).to_string(), "0x00000007");
    assert_eq!(Bytes::of_operator(&7u32, true).to_string(), "0x00000007");
}

#[test]
fn structs_of_rounding_operators_are_printed_as_bits_and_numbers() {
    crate::item! {
        struct Point {
            x: f32,
            y: f32,
        }
    }
    let point = Point { x: 1.0, y: -0.0 };
    assert_eq!(Bytes::of(&point).to_string(), "0x3f800000_80000000");
    let rounded = Bytes::of_operator(&point, true);
    assert_eq!(rounded.to_string(), "0x3f800000_80000000 (1.0, -0.0)");
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
