//! Memory for the results of a scan of a slice.

use bytemuck::allocation::try_zeroed_vec;

use crate::error::{Error, Result};
use crate::kernel::Item;

/// So many items, all zero. Pages that nobody has written yet take no time here, but when they are written first; large pages
/// then take a fraction of it. On the host of an H200, 8 threads filled a new GiB at 12 GB/s in pages of 4 KiB and at 27 in
/// large ones, and giving it back took 35 ms and 3.
pub(super) fn results<T: Item>(count: usize) -> Result<Vec<T>> {
    let results = try_zeroed_vec::<T>(count).map_err(|()| Error::OutOfHostMemory {
        asked_bytes: count.saturating_mul(size_of::<T>()),
    })?;
    #[cfg(target_os = "linux")]
    ask_for_large_pages(bytemuck::cast_slice(&results));
    Ok(results)
}

/// Asks for large pages where they fit, as NumPy does from this length on. No harm is done if there are none.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(bytes: &[u8]) {
    const WORTH_IT_BYTES: usize = 4 << 20;
    const LARGE_PAGE: usize = 2 << 20;
    if bytes.len() < WORTH_IT_BYTES {
        return;
    }
    let start = bytes.as_ptr().addr().next_multiple_of(LARGE_PAGE);
    let end = (bytes.as_ptr().addr() + bytes.len()) / LARGE_PAGE * LARGE_PAGE;
    let start = bytes.as_ptr().with_addr(start).cast_mut();
    // SAFETY: whole pages of this allocation alone; the advice changes neither their contents nor who may access them.
    let _ = unsafe {
        libc::madvise(
            start.cast(),
            end.saturating_sub(start.addr()),
            libc::MADV_HUGEPAGE,
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_zero_and_as_many_as_asked_for() {
        for count in [1, 1000, (4 << 20) - 1, (9 << 20) + 5] {
            let results = results::<u8>(count).unwrap();
            assert_eq!(results.len(), count);
            assert!(results.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let asked = results::<u64>(usize::MAX / 16);
        let asked_bytes = usize::MAX / 16 * 8;
        assert_eq!(asked, Err(Error::OutOfHostMemory { asked_bytes }));
    }
}
