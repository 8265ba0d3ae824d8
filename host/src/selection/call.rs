//! A selection that waits, and returns the number of chosen items.

use crate::error::{Error, Result};
use crate::gpu::Entered;
use crate::launch::{Queue, Span};
use crate::selection::{Count, Selection};

/// Selects, and waits. Returns the number of chosen items, or an error if an output is too short. The number is also written to
/// `count_to`, if that is given.
pub fn and_wait(
    entered: Entered<'_>,
    selection: &Selection,
    count_to: Option<Span>,
) -> Result<usize> {
    let item_count = selection.input.item_count;
    if item_count == 0 && !selection.outputs.with_end && count_to.is_none() {
        selection.check_lengths()?;
        return Ok(0);
    }
    let mut call = entered.ordered_call()?;
    let count = match count_to {
        Some(place) => Count::Callers(place),
        None => Count::Own(call.result()?),
    };
    Queue::for_caller(entered, &call).select(selection, count)?;
    call.wait()?;
    let count = match (count_to, item_count) {
        (Some(place), _) => call.number_at(place.address)?,
        (None, 0) => 0,
        // SAFETY: `wait` ended the selection, which wrote its count to the call's result.
        (None, _) => unsafe { call.read_number() }?,
    } as usize;
    let item_count = match selection.item_count_at {
        Some(place) => item_count.min(call.number_at(place.address)? as usize),
        None => item_count,
    };
    let end = usize::from(selection.outputs.with_end);
    check_room(selection.capacity(), count)?;
    check_room(selection.index_capacity(), count + end)?;
    check_room(
        selection.rejected_capacity(),
        item_count.saturating_sub(count),
    )?;
    Ok(count)
}

/// Checks that an output has room for `needed_items` items. `offered_items` is `None` if the output was not requested.
fn check_room(offered_items: Option<usize>, needed_items: usize) -> Result<()> {
    match offered_items {
        Some(offered_items) if offered_items < needed_items => Err(Error::OutputTooShort {
            offered_items,
            needed_items,
        }),
        _ => Ok(()),
    }
}
