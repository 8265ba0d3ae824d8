//! Headers: a header is the first message of a rank in a call. From the headers, all ranks know the lengths of the shares, and whether all
//! ranks make the same call.
//!
//! A header is not trusted: peers may have another version, or be hostile. So names are escaped before they are shown, and the lengths
//! of shares are checked against a bound before any allocation depends on them.

use super::{Fault, Matter};

/// Bytes of a kernel's name that fit into a header. A hash of the whole name is compared, too.
const NAME_BYTES: usize = 96;

pub(super) const HEADER_BYTES: usize = 5 * 8 + NAME_BYTES;

/// Bytes of the longest share that is accepted: more than any device's memory. Allocations that depend on the lengths of shares are much
/// smaller.
pub(super) const MOST_SHARE_BYTES: u64 = 1 << 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// The number of the member's calls so far, including this call.
    pub call: u64,
    /// The length of the rank's share.
    pub item_count: u64,
    pub item_bytes: u64,
    /// The rank that gets the result; `None` for all ranks.
    pub root: Option<u64>,
    /// The beginning of the kernel's name, and a hash of the whole name.
    name: [u8; NAME_BYTES],
    name_hash: u64,
}

impl Header {
    pub fn new(call: u64, kernel: &str, item_bytes: usize, root: Option<usize>) -> Self {
        let mut name = [0; NAME_BYTES];
        let length = kernel.len().min(NAME_BYTES);
        name[..length].copy_from_slice(&kernel.as_bytes()[..length]);
        Self {
            call,
            item_count: 0,
            item_bytes: item_bytes as u64,
            root: root.map(|rank| rank as u64),
            name,
            name_hash: hash(kernel.as_bytes()),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let root = self.root.unwrap_or(u64::MAX);
        let numbers = [
            self.call,
            self.item_count,
            self.item_bytes,
            root,
            self.name_hash,
        ];
        let numbers = numbers.iter().flat_map(|number| number.to_ne_bytes());
        numbers.chain(self.name).collect()
    }

    /// The header of these [`HEADER_BYTES`] bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let number = |index: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[8 * index..][..8]);
            u64::from_ne_bytes(number)
        };
        let mut name = [0; NAME_BYTES];
        name.copy_from_slice(&bytes[5 * 8..][..NAME_BYTES]);
        Self {
            call: number(0),
            item_count: number(1),
            item_bytes: number(2),
            root: Some(number(3)).filter(|&root| root != u64::MAX),
            name_hash: number(4),
            name,
        }
    }

    /// Finds the first rank that makes a different call from rank 0, or else the first share that is too long. All ranks find the same
    /// fault.
    pub fn check_all(headers: &[Self]) -> Result<(), Fault> {
        for (rank, header) in headers.iter().enumerate().skip(1) {
            header.check(rank, &headers[0])?;
        }
        for (rank, header) in headers.iter().enumerate() {
            header.check_length(rank)?;
        }
        Ok(())
    }

    fn check_length(&self, rank: usize) -> Result<(), Fault> {
        match self.item_count.checked_mul(self.item_bytes) {
            Some(bytes) if bytes <= MOST_SHARE_BYTES => Ok(()),
            _ => Err(Fault::ShareTooLong {
                rank,
                item_count: self.item_count,
            }),
        }
    }

    fn check(&self, rank: usize, first: &Self) -> Result<(), Fault> {
        let root = |header: &Self| match header.root {
            Some(rank) => rank.to_string(),
            None => "every rank".to_owned(),
        };
        let number = |number: u64| number.to_string();
        let (matter, [found, expected]) = if self.call != first.call {
            (Matter::Call, [self.call, first.call].map(number))
        } else if (self.name, self.name_hash) != (first.name, first.name_hash) {
            (Matter::Kernel, [self, first].map(Self::kernel))
        } else if self.item_bytes != first.item_bytes {
            let bytes = [self.item_bytes, first.item_bytes];
            (Matter::ItemBytes, bytes.map(number))
        } else if self.root != first.root {
            (Matter::Root, [self, first].map(root))
        } else {
            return Ok(());
        };
        Err(Fault::Disagreement {
            rank,
            matter,
            found,
            expected,
        })
    }

    /// The kernel's name, escaped, since it may be any bytes. The hash is added if it does not match these bytes, as for a name that was
    /// cut off.
    fn kernel(&self) -> String {
        let end = self.name.iter().position(|&byte| byte == 0);
        let name = &self.name[..end.unwrap_or(NAME_BYTES)];
        let shown = name.escape_ascii();
        match hash(name) == self.name_hash {
            true => shown.to_string(),
            false => format!("{shown}… ({:016x})", self.name_hash),
        }
    }
}

/// The 64-bit FNV-1a hash, of Fowler, Noll and Vo.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip() {
        for root in [None, Some(3)] {
            let mut header = Header::new(7, "reduce_sum_f32", 4, root);
            header.item_count = 12;
            assert_eq!(Header::from_bytes(&header.to_bytes()), header);
            assert_eq!(header.to_bytes().len(), HEADER_BYTES);
        }
    }

    #[test]
    fn a_share_beyond_the_byte_limit_is_refused() {
        let with = |item_count| {
            let mut header = Header::new(1, "reduce_sum_f32", 4, None);
            header.item_count = item_count;
            header
        };
        let most = MOST_SHARE_BYTES / 4;
        assert_eq!(Header::check_all(&[with(0), with(most)]), Ok(()));
        for item_count in [most + 1, 1 << 62, u64::MAX] {
            let refused = Fault::ShareTooLong {
                rank: 1,
                item_count,
            };
            let found = Header::check_all(&[with(5), with(item_count)]);
            assert_eq!(found, Err(refused));
        }
    }

    #[test]
    fn names_are_escaped_in_errors() {
        let named = |name: &str| Header::new(1, name, 4, None);
        let found = Header::check_all(&[named("a"), named("\x1b[2J\u{202e}\n")]);
        let fault = found.unwrap_err().to_string();
        assert!(fault.contains(r"\x1b[2J\xe2\x80\xae\n"), "{fault}");
    }

    #[test]
    fn long_names_that_differ_at_the_end_disagree() {
        let long = |end: &str| Header::new(1, &("x".repeat(200) + end), 4, None);
        assert_eq!(Header::check_all(&[long("a"), long("a")]), Ok(()));
        assert!(matches!(
            Header::check_all(&[long("a"), long("a"), long("b")]),
            Err(Fault::Disagreement {
                rank: 2,
                matter: Matter::Kernel,
                ..
            })
        ));
    }
}
