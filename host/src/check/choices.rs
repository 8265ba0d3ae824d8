//! Checks whether a predicate or an equality gives the same answers on the device as on the host.

use std::any::type_name;

use super::{Bytes, LENGTHS, OperatorFlaw, check_some, repeated};
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::request::{runs, select};
use crate::selection::{RunsKernel, SelectKernel};

/// Checks that a predicate chooses the same items on the device as on the host.
///
/// ```
/// use warpfold::{NonZero, check_predicate};
/// check_predicate::<NonZero, f32>(&[0.0, -0.0, 1e-45, 1.0, f32::NAN])?;
/// # Ok::<(), warpfold::OperatorFlaw>(())
/// ```
///
/// # Errors
///
/// - [`OperatorFlaw::NoItems`] if there are no items;
/// - [`OperatorFlaw::Choice`] for an item for which the device and the host have different answers;
/// - [`OperatorFlaw::Gpu`] if the GPU cannot be opened, or a call on it fails.
pub fn check_predicate<P, T>(items: &[T]) -> Result<(), OperatorFlaw>
where
    T: Item,
    P: SelectKernel<T>,
{
    check_some::<P, T>(items)?;
    for item_count in LENGTHS {
        let items = repeated(items, item_count);
        let chosen = select::<P, _>(&items).indices().wait(Gpu::global()?)?;
        let differs = first_difference(&chosen, item_count, |place| P::holds(items[place]));
        if let Some(place) = differs {
            return Err(flaw::<P, T>(&items[place..=place], P::holds(items[place])));
        }
    }
    Ok(())
}

/// Checks that an equality gives the same answers on the device as on the host. Each item is compared with itself, and with the other items
/// in both orders. If there are many items, only some of these comparisons are made.
///
/// ```
/// use warpfold::{Equal, check_equality};
/// check_equality::<Equal, f32>(&[0.0, -0.0, 1e-45, 1.0, f32::NAN])?;
/// # Ok::<(), warpfold::OperatorFlaw>(())
/// ```
///
/// # Errors
///
/// - [`OperatorFlaw::NoItems`] if there are no items;
/// - [`OperatorFlaw::Choice`] for two items for which the device and the host have different answers;
/// - [`OperatorFlaw::Gpu`] if the GPU cannot be opened, or a call on it fails.
pub fn check_equality<E, T>(items: &[T]) -> Result<(), OperatorFlaw>
where
    T: Item,
    E: RunsKernel<T>,
{
    check_some::<E, T>(items)?;
    for item_count in LENGTHS {
        let items = neighbours(items, item_count);
        let mut starts = runs::<E, _>(&items).starts().wait(Gpu::global()?)?;
        // The last element is the number of items, where no run starts.
        starts.pop();
        let is_same = |place: usize| place > 0 && E::same(items[place - 1], items[place]);
        let differs = first_difference(&starts, item_count, |place| !is_same(place));
        if let Some(place) = differs {
            let pair = &items[place.saturating_sub(1)..=place];
            return Err(flaw::<E, T>(pair, is_same(place)));
        }
    }
    Ok(())
}

/// `count` items in pairs: first each item with itself, then each item with the next item, then with the item after that, and so on.
pub(super) fn neighbours<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    let places = (0..count).map(|place| {
        let (pair, second) = (place / 2, place % 2);
        let distance = pair / items.len();
        (pair + second * distance) % items.len()
    });
    places.map(|place| items[place]).collect()
}

/// The first place that is chosen on the device or on the host, but not on both. `device` lists the places that the device chose, in
/// ascending order.
pub(super) fn first_difference(
    device: &[usize],
    item_count: usize,
    host: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut device = device.iter().peekable();
    (0..item_count).find(|&place| {
        let on_device = device.next_if(|&&chosen| chosen == place);
        on_device.is_some() != host(place)
    })
}

/// The flaw of items for which the host answers `host`, and the device answers the opposite.
pub(super) fn flaw<C, T: Item>(items: &[T], host: bool) -> OperatorFlaw {
    OperatorFlaw::Choice {
        operator: type_name::<C>(),
        items: items.iter().map(Bytes::of).collect(),
        device: !host,
        host,
    }
}
