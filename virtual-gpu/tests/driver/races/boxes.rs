//! The copy of a box accesses the rows of the box, and not the gaps between these rows.

use super::*;
use std::ptr::null_mut;

/// Copies a box of 2 words, 2 rows and 2 planes to `bed.shared`, which has 8 words to a row and 4 rows to a plane.
fn copy(bed: &Bed, origin: [usize; 3], stream: usize) {
    let side = |device, [x, y, z]: [usize; 3]| Side {
        x_bytes: x * 4,
        y,
        z,
        level: 0,
        kind: 2,
        host: null_mut(),
        device,
        array: 0,
        reserved: 0,
        pitch: 32,
        height: 4,
    };
    let copy = Planes {
        from: side(bed.own, [0; 3]),
        to: side(bed.shared, origin),
        width_bytes: 8,
        rows: 2,
        planes: 2,
    };
    // SAFETY: both sides are live device memory of 64 words, and the box lies inside.
    assert_eq!(unsafe { cuMemcpy3DAsync_v2(&copy, stream) }, 0);
}

#[test]
fn only_overlapping_boxes_race() {
    if only_on_virtual_devices() {
        return;
    }
    let races_with = |origin| {
        races(|bed| {
            copy(bed, [0, 0, 0], bed.a);
            copy(bed, origin, bed.b);
        })
    };
    assert!(!races_with([2, 0, 0]), "the same rows, beside it");
    assert!(!races_with([0, 2, 0]), "the same planes, below it");
    assert!(races_with([1, 1, 0]), "a corner of each plane");
}
