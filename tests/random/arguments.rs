//! Calls of every verb and shape. Their arguments may be wrong: overlapping, too short, misaligned, in host memory, freed, on another
//! device, or at an invalid address. Counts in device memory may be too large, and offsets may be wrong. The call is queued, waited for or
//! captured.
//!
//! Arguments lie in one arena, unless a mistake moves them. The test compares the arena's bytes after the call with its bytes before the
//! call. A call with items must be refused if an argument is too short, if an argument is at a wrong address, or if an output overlaps
//! another argument. (Some scans may have an output that is the same memory as the input.) A refused call must write nothing, and leave
//! nothing in its capture. If a call has such a mistake but no items, it may be refused or not. Any other call must write the results of
//! plain loops, and nothing else. If only the device knows how long an output must be, a call fills a short output to its end. If the
//! results are unspecified, as with wrong offsets, the call may write anything to its outputs. The test judges arguments by their lengths,
//! addresses and byte ranges, without the library's code.

#[path = "arguments/calls.rs"]
mod calls;
#[path = "arguments/model.rs"]
mod model;
#[path = "arguments/role.rs"]
mod role;

use std::ops::Range;

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::sample::select;
use warpfold::{Error, Gpu, Result, Sum, cust, reduce};

use crate::common::gpu;
use crate::data::Random;
use crate::graph::Graph;
use calls::{Answer, Call, End};
use role::{Contents, Length, Role};

/// The number of columns of each matrix. Every number of items is a multiple of this.
pub const COLUMNS: usize = 5;

/// Numbers of items: none, a few, a warp and more, several vectors, more than a block's threads.
const LENGTHS: [usize; 6] = [0, 5, 35, 100, 300, 600];

/// How many bytes the arena has, and how many of them belong to each of the two borders at its ends. Only a mistake moves an argument into
/// a border.
const ARENA_BYTES: usize = 48 << 10;
const BORDER_BYTES: usize = 8 << 10;

/// Where an argument is, and how many items it has.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    address: u64,
    items: usize,
}

/// A mistake in an argument.
#[derive(Debug, Clone, Copy)]
enum Slip {
    /// It begins this many items after the start of the argument with this index, or before that start if the number is negative.
    Over(usize, i64),
    /// It begins in the middle of the argument with this index.
    OverMiddle(usize),
    /// Its length is this many tenths of [`Role::items`]. With [`Length::Given`], the length is not changed.
    Short(usize),
    /// It starts one byte late.
    Misaligned,
    Host,
    Freed,
    OtherDevice,
    /// It is at this address.
    Nowhere(u64),
}

/// How a call is made.
#[derive(Debug, Clone, Copy)]
enum How {
    Queued,
    Waited,
    Captured,
}

/// A call, and the mistakes in its arguments.
#[derive(Debug)]
pub struct Case {
    call: usize,
    how: How,
    items: usize,
    seed: u64,
    slips: Vec<(usize, Slip)>,
}

impl Case {
    pub fn strategy() -> impl Strategy<Value = Self> {
        let shifts = select(vec![0, 0, 1, -1, 3]);
        let addresses = select(vec![0, 8, u64::MAX - 7, u64::MAX - 4095, 1 << 63]);
        let slip = (0..10_u8, 0..6_usize, shifts, 0..10_usize, addresses);
        let slip = slip.prop_map(|(kind, other, shift, tenths, address)| match kind {
            0..3 => Slip::Over(other, shift),
            3 => Slip::OverMiddle(other),
            4 => Slip::Short(tenths),
            5 => Slip::Misaligned,
            6 => Slip::Host,
            7 => Slip::Freed,
            8 => Slip::OtherDevice,
            _ => Slip::Nowhere(address),
        });
        let how = select(vec![How::Queued, How::Waited, How::Captured]);
        let lengths = select(LENGTHS.to_vec());
        let slips = vec((0..6_usize, slip), 0..3);
        let parts = (0..calls::all().len(), how, lengths, any::<u64>(), slips);
        parts.prop_map(|(call, how, items, seed, slips)| Self {
            call,
            how,
            items,
            seed,
            slips,
        })
    }

    pub fn check(&self, strangers: &Strangers) {
        let gpu = gpu();
        let call = calls::all()[self.call];
        let roles = (call.roles)(self.items);
        let mut random = Random::new(self.seed);
        let mut bytes: Vec<u8> = (0..ARENA_BYTES)
            .map(|index| match index % 4 {
                0 => (random.bits() % 7 / 3) as u8,
                _ => 0,
            })
            .collect();
        let arena = DeviceBuffer::from_slice(&bytes).unwrap();
        let start = arena.as_device_ptr().as_raw();
        let places = self.places(&roles, start, strangers);
        for (role, place) in roles.iter().zip(&places) {
            write_contents(role, place, start, &mut bytes, &mut random);
        }
        let mut arena = arena;
        arena.copy_from(&bytes).unwrap();

        let answer = self.run(gpu, call, &places);
        let found = arena.as_host_vec().unwrap();
        let is_inside =
            |place: &&Extent| (start..start + ARENA_BYTES as u64).contains(&place.address);
        let must_refuse = self.items > 0 && has_flaw(&roles, &places, start, is_inside);
        if must_refuse {
            assert!(answer.is_err(), "{} is not refused: {places:x?}", call.name);
        }
        let model = || values_and_model(call, &roles, &places, start, &bytes);
        let check_results = || check_results(call, &roles, &places, start, &bytes, &found);
        match answer {
            Ok(answer) => {
                check_results();
                if let (Answer::Number(given), Some(written)) = (answer, model()) {
                    assert_eq!(written.last(), Some(&vec![given]), "{} gives", call.name);
                    assert!(
                        has_room(&roles, &places, &written),
                        "{} had no room: {places:x?}",
                        call.name
                    );
                }
            }
            Err(Error::BadOffset { .. }) => {
                let mut expected = bytes.clone();
                let results = spans(&roles, &places, start).pop().unwrap();
                expected[results.clone()].copy_from_slice(&found[results]);
                assert_eq!(found, expected, "{} wrote beside its results", call.name);
                assert_eq!(model(), None);
            }
            // Only the device knows how much room is needed. An output that is too short is filled to its end.
            Err(Error::OutputTooShort {
                offered_items,
                needed_items,
            }) if !must_refuse && self.waits(call) && is_any_short(&roles, &places) => {
                assert!(offered_items < needed_items, "{}", call.name);
                // A call without items may also be refused before it writes anything.
                if self.items > 0 || found != bytes {
                    check_results();
                }
            }
            Err(error) => {
                assert!(is_refusal(&error), "{}: {error:?}", call.name);
                assert!(
                    must_refuse || self.items == 0 && !self.slips.is_empty(),
                    "{} is refused: {error:?}",
                    call.name
                );
                assert_eq!(found, bytes, "{} was refused and wrote", call.name);
            }
        }
    }

    fn waits(&self, call: &Call) -> bool {
        call.only_waits || matches!(self.how, How::Waited)
    }

    /// Makes the call, and waits until its work is done.
    fn run(&self, gpu: &Gpu, call: &Call, places: &[Extent]) -> Result<Answer> {
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
        let how = match self.waits(call) {
            true => How::Waited,
            false => self.how,
        };
        let answer = match how {
            How::Queued => (call.run)(gpu, End::Queued(&stream), places),
            How::Waited => (call.run)(gpu, End::Waited, places),
            How::Captured => {
                let mut answer = Ok(Answer::Nothing);
                let graph = Graph::capture(&stream, || {
                    answer = (call.run)(gpu, End::Queued(&stream), places);
                });
                if answer.is_err() {
                    let nodes = graph.node_count();
                    assert_eq!(nodes, 0, "{} was refused and captured", call.name);
                }
                // SAFETY: the arena outlives the `synchronize` below, and a refused call has left the graph empty.
                unsafe { graph.launch(&stream) };
                assert_eq!(stream.synchronize(), Ok(()), "{}: {answer:?}", call.name);
                answer
            }
        };
        assert_eq!(stream.synchronize(), Ok(()), "{}: {answer:?}", call.name);
        answer
    }

    /// Where the arguments are. Those without a mistake lie one after the other in the arena.
    fn places(&self, roles: &[Role], start: u64, strangers: &Strangers) -> Vec<Extent> {
        let mut at = start + BORDER_BYTES as u64;
        let mut places: Vec<_> = roles
            .iter()
            .map(|role| {
                let place = Extent {
                    address: at,
                    items: role.items,
                };
                at = (at + (role.items * role.item_bytes) as u64).next_multiple_of(8) + 64;
                place
            })
            .collect();
        for &(argument, slip) in &self.slips {
            let argument = argument % roles.len();
            let role = &roles[argument];
            let bytes = role.item_bytes as i64;
            let other = |other: usize| {
                let other = other % roles.len();
                (places[other], roles[other].item_bytes)
            };
            let place = match slip {
                Slip::Over(over, shift) => {
                    let address = other(over).0.address;
                    address.wrapping_add_signed(shift * bytes)
                }
                Slip::OverMiddle(over) => {
                    let (place, item_bytes) = other(over);
                    let middle = (place.items / 2 * item_bytes) as u64;
                    place.address.wrapping_add(middle / 8 * 8)
                }
                Slip::Short(tenths) => {
                    if role.length != Length::Given {
                        places[argument].items = role.items * tenths / 10;
                    }
                    continue;
                }
                Slip::Misaligned => places[argument].address + 1,
                Slip::Host => strangers.host.as_ptr() as u64,
                Slip::Freed => strangers.freed,
                Slip::OtherDevice => strangers.other.as_device_ptr().as_raw(),
                Slip::Nowhere(address) => address,
            };
            places[argument].address = place;
        }
        places
    }
}

/// Memory that is not on the call's GPU, or no longer allocated.
pub struct Strangers {
    host: Vec<u64>,
    freed: u64,
    other: DeviceBuffer<u64>,
}

impl Strangers {
    /// Memory of another device, memory of the host, and freed memory.
    pub fn new(other: &Gpu) -> Self {
        other.make_current().unwrap();
        let words = ARENA_BYTES / 8;
        let foreign = DeviceBuffer::from_slice(&vec![0; words]).unwrap();
        let gpu = gpu();
        let freed = DeviceBuffer::from_slice(&vec![0_u64; words]).unwrap();
        // A call has used the memory before it is freed.
        assert_eq!(reduce::<Sum, _>(&freed).wait(gpu), Ok(0));
        Self {
            host: vec![0; words],
            freed: freed.as_device_ptr().as_raw(),
            other: foreign,
        }
    }
}

/// The bytes of each argument, as a range of the arena. The range is empty if the argument is not in the arena.
fn spans(roles: &[Role], places: &[Extent], start: u64) -> Vec<Range<usize>> {
    let pairs = roles.iter().zip(places);
    pairs
        .map(|(role, place)| {
            let bytes = place.items.min(role.items) * role.item_bytes;
            match place.address.checked_sub(start) {
                Some(at) if at < ARENA_BYTES as u64 => at as usize..at as usize + bytes,
                _ => 0..0,
            }
        })
        .collect()
}

/// Whether a call that has items must be refused.
fn has_flaw(
    roles: &[Role],
    places: &[Extent],
    start: u64,
    is_inside: impl Fn(&&Extent) -> bool,
) -> bool {
    let spans = spans(roles, places, start);
    let pairs = || roles.iter().zip(places);
    let is_short =
        |(role, place): (&Role, &Extent)| role.length == Length::Needed && place.items < role.items;
    let is_misplaced = |(role, place): (&Role, &Extent)| {
        let is_misaligned = !place.address.is_multiple_of(role.item_bytes as u64);
        place.items > 0 && role.items > 0 && (is_misaligned || !is_inside(&place))
    };
    let meets = |a: usize, b: usize| {
        let (left, right) = (&spans[a], &spans[b]);
        let overlap = left.start.max(right.start) < left.end.min(right.end);
        let in_place = a == 0 && roles[b].is_in_place && left.start == right.start;
        overlap && (roles[a].is_written || roles[b].is_written) && !in_place
    };
    let overlaps = || (0..roles.len()).any(|b| (0..b).any(|a| meets(a, b)));
    pairs().any(is_short) || pairs().any(is_misplaced) || overlaps()
}

/// Whether an output of [`Length::Any`] has fewer items than the call may write.
fn is_any_short(roles: &[Role], places: &[Extent]) -> bool {
    let mut pairs = roles.iter().zip(places);
    pairs.any(|(role, place)| role.length == Length::Any && place.items < role.items)
}

/// Whether the outputs had room for all results.
fn has_room(roles: &[Role], places: &[Extent], written: &[Vec<u64>]) -> bool {
    let mut outputs = roles.iter().zip(places).zip(written);
    outputs
        .all(|((role, place), written)| role.length != Length::Any || written.len() <= place.items)
}

/// Whether an error says that a call's arguments are refused.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::Overlap { .. }
            | Error::Misaligned { .. }
            | Error::ForeignMemory { .. }
            | Error::OutputTooShort { .. }
            | Error::LengthsDiffer { .. }
            | Error::CountMissing
    )
}

/// Writes an argument's contents to the arena's bytes, if the argument is in the arena.
fn write_contents(role: &Role, place: &Extent, start: u64, bytes: &mut [u8], random: &mut Random) {
    let values: Vec<u64> = match role.contents {
        Contents::Arena => return,
        Contents::Count => {
            let any = [
                0,
                1,
                4,
                5,
                99,
                600,
                601,
                1 << 32,
                (1 << 32) + 7,
                1 << 63,
                u64::MAX,
            ];
            vec![any[random.bits() as usize % any.len()]]
        }
        Contents::Offsets(items) => {
            let is_wild = random.bits().is_multiple_of(4);
            let bound = if is_wild {
                u32::MAX as u64
            } else {
                items as u64 + 1
            };
            let mut offsets: Vec<_> = (0..role.items).map(|_| random.bits() % bound).collect();
            if !is_wild || random.bits().is_multiple_of(2) {
                offsets.sort_unstable();
            }
            if random.bits().is_multiple_of(2) {
                (offsets[0], offsets[role.items - 1]) = (0, items as u64);
            }
            offsets
        }
    };
    let Some(at) = place.address.checked_sub(start) else {
        return;
    };
    for (index, value) in values.into_iter().take(place.items).enumerate() {
        let from = at as usize + index * role.item_bytes;
        if let Some(to) = bytes.get_mut(from..from.saturating_add(role.item_bytes)) {
            to.copy_from_slice(&value.to_le_bytes()[..role.item_bytes]);
        }
    }
}

/// The results that the call's model computes from the values of all arguments.
fn values_and_model(
    call: &Call,
    roles: &[Role],
    places: &[Extent],
    start: u64,
    bytes: &[u8],
) -> Option<Vec<Vec<u64>>> {
    let spans = spans(roles, places, start);
    let values = roles.iter().zip(&spans).map(|(role, span)| {
        let items = bytes[span.clone()].chunks_exact(role.item_bytes);
        let number = |item: &[u8]| {
            item.iter()
                .rev()
                .fold(0, |high, &low| high << 8 | low as u64)
        };
        items.map(number).collect()
    });
    (call.model)(&values.collect::<Vec<_>>())
}

/// Checks the arena's bytes after a call that wrote results.
fn check_results(
    call: &Call,
    roles: &[Role],
    places: &[Extent],
    start: u64,
    bytes: &[u8],
    found: &[u8],
) {
    let spans = spans(roles, places, start);
    let mut expected = bytes.to_vec();
    match values_and_model(call, roles, places, start, bytes) {
        Some(written) => {
            for ((values, span), role) in written.iter().zip(&spans).zip(roles) {
                let items = expected[span.clone()].chunks_exact_mut(role.item_bytes);
                for (item, value) in items.zip(values) {
                    item.copy_from_slice(&value.to_le_bytes()[..role.item_bytes]);
                }
            }
        }
        None => {
            for (span, role) in spans.iter().zip(roles) {
                if role.is_written {
                    expected[span.clone()].copy_from_slice(&found[span.clone()]);
                }
            }
        }
    }
    let differs = (0..bytes.len()).find(|&at| found[at] != expected[at]);
    assert_eq!(
        differs, None,
        "{} at {places:x?}, arena {start:x}",
        call.name
    );
}
