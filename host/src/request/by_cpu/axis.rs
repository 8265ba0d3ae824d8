//! Parts along an axis, on the CPU. The items of each part are copied side by side, so that the part becomes a segment.

use bytemuck::Zeroable;
use warpfold_kernels::op::Op;

use super::scan::segmented_scan;
use crate::axis::{Axis, Layout};
use crate::kernel::Item;
use crate::reference;
use crate::request::shape::ScanOrder;

/// The items of all parts, one part after another, and the offsets of the parts.
fn segments<T: Item>(items: &[T], layout: &Layout) -> (Vec<T>, Vec<usize>) {
    let groups = 0..layout.group_count();
    let places = groups.flat_map(|group| layout.items_of(group));
    let offsets = (0..=layout.group_count()).map(|group| group * layout.length);
    (
        places.map(|place| items[place]).collect(),
        offsets.collect(),
    )
}

/// The result of each part. The caller has checked the layout.
pub fn reduce<O: Op<T>, T: Item>(items: &[T], axis: &Axis) -> Vec<O::Output> {
    let Ok(layout) = axis.layout(items.len()) else {
        return Vec::new();
    };
    let (items, offsets) = segments(items, &layout);
    reference::segmented_reduce::<O, T>(&items, &offsets)
}

/// A result for each item, at the item's index. Gaps between rows get zeros. The caller has checked the layout.
pub fn scan<O: Op<T>, T: Item>(items: &[T], axis: &Axis, order: ScanOrder) -> Vec<O::Output> {
    let mut results = vec![O::Output::zeroed(); items.len()];
    let layout = match axis.layout(items.len()) {
        // If no part has an item, there can be too many parts to loop over.
        Ok(layout) if !layout.has_no_items() => layout,
        _ => return results,
    };
    let (items, offsets) = segments(items, &layout);
    let scanned = segmented_scan::<O, T>(&items, &offsets, order);
    let groups = 0..layout.group_count();
    let places = groups.flat_map(|group| layout.items_of(group));
    for (place, result) in places.zip(scanned) {
        results[place] = result;
    }
    results
}
