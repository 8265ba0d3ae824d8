//! One trial with messages of hostile peers: shared with the fuzz target `peers`.

use super::Fault;
use super::header::{HEADER_BYTES, Header, MOST_SHARE_BYTES};
use super::layout::Layout;

const ITEM_BYTES: u64 = 4;

/// XORs the input's bytes into the headers of a rank's peers, and checks the outcome: either a fault that can be printed, or shares within
/// bounds. This rank's own share must be unchanged.
pub(crate) fn judge(input: &[u8]) {
    let (&[ranks, rank, length], changes) = input.split_first_chunk().unwrap_or((&[0; 3], &[]));
    let ranks = 1 + usize::from(ranks) % 5;
    let rank = usize::from(rank) % ranks;
    let mut own = Header::new(7, "reduce_sum_f32", ITEM_BYTES as usize, None);
    own.item_count = u64::from(length) << (length % 32);
    let mut headers = vec![own.clone(); ranks];
    let changed = (0..ranks).filter(|&peer| peer != rank);
    for (peer, changes) in changed.zip(changes.chunks(HEADER_BYTES)) {
        let mut bytes = own.to_bytes();
        for (byte, change) in bytes.iter_mut().zip(changes) {
            *byte ^= change;
        }
        headers[peer] = Header::from_bytes(&bytes);
    }
    let lengths = headers.iter().map(|header| header.item_count);
    let shares = Header::check_all(&headers).and_then(|()| {
        // At most about 4096 units, as a reduction has at most 4096 chunks.
        let unit_items = |count: u64| (count / 4096).max(1 << 13);
        Layout::new(lengths, unit_items).ok_or(Fault::TooLong)
    });
    match shares {
        Err(fault) => {
            let text = fault.to_string();
            assert!(text.len() < 2000, "{text}");
            assert!(text.chars().all(|letter| !letter.is_control()), "{text:?}");
        }
        Ok(layout) => {
            let share = layout.share(rank);
            assert_eq!(share.end - share.start, own.item_count);
            assert!(layout.item_count() <= ranks as u64 * (MOST_SHARE_BYTES / ITEM_BYTES));
            let units = (0..ranks).map(|rank| layout.units(rank));
            assert!(units.map(|units| units.count()).sum::<usize>() <= 4097 + ranks);
            for (peer, head) in (0..ranks).filter_map(|peer| Some((peer, layout.head(peer)?.1))) {
                let share = layout.share(peer);
                assert!(share.start <= head.start && head.end <= share.end);
            }
        }
    }
}
