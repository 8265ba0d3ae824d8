//! Selections of slices on the host give what those of buffers give; nothing needs no GPU, and what is wrong is said.

use warpfold::{
    Equal, Error, NonZero, gpu_partition_flagged, gpu_partition_if, gpu_run_length_encode,
    gpu_select_flagged, gpu_select_if, gpu_select_indices_if, gpu_unique, reference,
};

use crate::shapes;

#[test]
fn slices_of_any_length() {
    for count in [1, 31, 5000, 200_000] {
        let items: Vec<u16> = (0..count).map(|index| (index / 3 % 5) as u16).collect();
        let flags: Vec<u8> = items.iter().map(|&item| (item as u8) << 6).collect();
        let (selected, rejected) = reference::partition_flagged(&items, &flags);
        assert_eq!(gpu_select_flagged(&items, &flags).unwrap(), selected);
        let parts = gpu_partition_flagged(&items, &flags).unwrap();
        assert_eq!(parts, (selected, rejected));
        let parts = reference::partition_if::<NonZero, u16>(&items);
        assert_eq!(gpu_select_if::<NonZero, _>(&items).unwrap(), parts.0);
        assert_eq!(gpu_partition_if::<NonZero, _>(&items).unwrap(), parts);
        let indices = reference::select_indices_if::<NonZero, u16>(&items);
        assert_eq!(
            gpu_select_indices_if::<NonZero, _>(&items).unwrap(),
            indices
        );
        let runs = reference::run_length_encode::<Equal, u16>(&items);
        assert_eq!(gpu_unique::<Equal, _>(&items).unwrap(), runs.0);
        assert_eq!(gpu_run_length_encode::<Equal, _>(&items).unwrap(), runs);
    }
}

#[test]
fn slices_of_which_all_or_none_are_selected() {
    for (name, flags) in shapes::choices(9000) {
        let items: Vec<f64> = flags.iter().map(|&flag| f64::from(flag)).collect();
        let parts = reference::partition_if::<NonZero, f64>(&items);
        assert_eq!(
            gpu_partition_if::<NonZero, _>(&items).unwrap(),
            parts,
            "{name}"
        );
    }
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(gpu_select_flagged::<u8>(&[], &[]), Ok(vec![]));
    assert_eq!(gpu_select_if::<NonZero, u8>(&[]), Ok(vec![]));
    assert_eq!(gpu_partition_if::<NonZero, u8>(&[]), Ok((vec![], vec![])));
    assert_eq!(gpu_select_indices_if::<NonZero, u8>(&[]), Ok(vec![]));
    assert_eq!(
        gpu_run_length_encode::<Equal, u8>(&[]),
        Ok((vec![], vec![]))
    );
}

#[test]
fn flags_for_other_items_are_refused() {
    let differ = Error::LengthsDiffer {
        left_items: 3,
        right_items: 2,
    };
    assert_eq!(gpu_select_flagged(&[1, 2, 3], &[1, 1]), Err(differ));
}
