//! The requests, with the result and outputs of each, and the places where it runs.

use std::slice;
use std::time::Duration;

use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::group::{Gpus, Member, within};
use warpfold::{Cpu, Dot, Equal, Flagged, NonZero, Sum, reduce, runs, scan, select};

use super::common::gpu;
use super::memory::{Given, OnDevice, Slices};
use super::probe::{self, IsNot};
use super::reasons::*;
use super::{Cell, Row};

/// The member of a group of one rank.
fn member() -> Member<'static> {
    let mut members = within(slice::from_ref(gpu()), Duration::from_secs(60));
    members.pop().unwrap()
}

/// A cell: `ran` if the request runs; `(REASON)` if the request exists but cannot run at this place; `[REASON]` if there is no such
/// request.
macro_rules! cell {
    ($place:ident [$reason:ident] $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        Cell::Refused(&$reason)
    };
    (slice ran $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@wait gpu(), Slices $memory, $request, $gives, $writes)
    };
    (device ran $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@wait gpu(), OnDevice $memory, $request, $gives, $writes)
    };
    (cpu ran $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@wait Cpu, Slices $memory, $request, $gives, $writes)
    };
    (gpus ran $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@wait &Gpus::all().unwrap(), Slices $memory, $request, $gives, $writes)
    };
    (member ran $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@wait &mut member(), OnDevice $memory, $request, $gives, $writes)
    };
    (queue ran $memory:ident, $request:expr, $gives:expr, $writes:expr) => {{
        let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
        let mut $memory = OnDevice::new();
        $request.queue(gpu(), &stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!($memory.written(), $writes, stringify!($request));
        Cell::Ran
    }};
    (@wait $on:expr, $of:ident $memory:ident, $request:expr, $gives:expr, $writes:expr) => {{
        let mut $memory = $of::new();
        let given = $request.wait($on).unwrap().list();
        assert_eq!(given, $gives, stringify!($request));
        assert_eq!($memory.written(), $writes, stringify!($request));
        Cell::Ran
    }};
    (slice ($reason:ident) $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@refused wait, gpu(), Slices $memory, $request, $reason)
    };
    (device ($reason:ident) $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@refused wait, gpu(), OnDevice $memory, $request, $reason)
    };
    (queue ($reason:ident) $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@refused queue, gpu(), OnDevice $memory, $request, $reason)
    };
    (gpus ($reason:ident) $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@refused wait, &Gpus::all().unwrap(), Slices $memory, $request, $reason)
    };
    (member ($reason:ident) $memory:ident, $request:expr, $gives:expr, $writes:expr) => {
        cell!(@refused wait, &mut member(), OnDevice $memory, $request, $reason)
    };
    (@refused $how:ident, $on:expr, $of:ident $memory:ident, $request:expr, $reason:ident) => {{
        let mut $memory = $of::new();
        assert!(!probe::$how(&$on, &$request).is_possible(), stringify!($request));
        Cell::Refused(&$reason)
    }};
}

/// Requests, as the documentation shows them. Each comes with its result, with the values that it writes (to the items first, then to
/// the outputs), and with its cells.
macro_rules! rows {
    ($memory:ident; $($name:literal: $request:expr, $gives:expr, $writes:expr;
        $slice:tt $device:tt $queue:tt $cpu:tt $gpus:tt $member:tt;)*) => {
        #[allow(unused_mut, reason = "not each request writes")]
        pub fn rows() -> Vec<Row> {
            const NONE: [u64; 0] = [];
            vec![$({
                Row {
                    request: $name,
                    cells: [
                        cell!(slice $slice $memory, $request, $gives, $writes),
                        cell!(device $device $memory, $request, $gives, $writes),
                        cell!(queue $queue $memory, $request, $gives, $writes),
                        cell!(cpu $cpu $memory, $request, $gives, $writes),
                        cell!(gpus $gpus $memory, $request, $gives, $writes),
                        cell!(member $member $memory, $request, $gives, $writes),
                    ],
                }
            }),*]
        }
    };
}

rows! { m;
    // Reductions.
    "reduce(&x)": reduce::<Sum, _>(&m.items), [27], NONE;
        ran ran (QUEUED) ran ran ran;
    "reduce(&x).to(&mut y)": reduce::<Sum, _>(&m.items).to(&mut m.a), NONE, [27];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).count(&n)": reduce::<Sum, _>(&m.items).count(&m.count), [3], NONE;
        [LENGTH] ran (QUEUED) [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).count(&m.count).to(&mut m.a), NONE, [3];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce((&x, &z))": reduce::<Dot, _>((&m.items, &m.right)), [142], NONE;
        ran ran (QUEUED) ran (GROUPS) (GROUPS);
    "reduce((&x, &z)).to(&mut y)": reduce::<Dot, _>((&m.items, &m.right)).to(&mut m.wide), NONE, [142];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce((&x, &z)).count(&n)": (), NONE, NONE;
        [LENGTH] [PAIRS] [PAIRS] [LENGTH] [LENGTH] [PAIRS];
    "reduce((&x, &z)).rows(r)": (), NONE, NONE;
        [PAIRS] [PAIRS] [PAIRS] [PAIRS] [PAIRS] [PAIRS];
    "reduce(&x).in_order()": reduce::<Sum, _>(&m.items).in_order(), [27], NONE;
        ran ran (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).in_order().to(&mut y)": reduce::<Sum, _>(&m.items).in_order().to(&mut m.a), NONE, [27];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).in_order().count(&n)": reduce::<Sum, _>(&m.items).in_order().count(&m.count), [3], NONE;
        [LENGTH] ran (QUEUED) [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).in_order().count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).in_order().count(&m.count).to(&mut m.a), NONE, [3];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).segments(&o)": reduce::<Sum, _>(&m.items).segments(&m.offsets), [7, 0, 14], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).segments(&o).to(&mut y)": reduce::<Sum, _>(&m.items).segments(&m.offsets).to(&mut m.a), NONE, [7, 0, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).segments(&o).count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).segments(&m.offsets).count(&m.count).to(&mut m.a), NONE, [7, 0];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).rows(r)": reduce::<Sum, _>(&m.items).rows(4), [7, 20], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).rows(r).to(&mut y)": reduce::<Sum, _>(&m.items).rows(4).to(&mut m.a), NONE, [7, 20];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).rows(r).count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).rows(2).count(&m.count).to(&mut m.a), NONE, [3, 4];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).columns(c)": reduce::<Sum, _>(&m.items).columns(4), [8, 9, 4, 6], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).columns(c).to(&mut y)": reduce::<Sum, _>(&m.items).columns(4).to(&mut m.a), NONE, [8, 9, 4, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).columns(c).count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).columns(2).count(&m.count).to(&mut m.a), NONE, [7, 0];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).axis(o, l, i)": reduce::<Sum, _>(&m.items).axis(2, 2, 2), [7, 0, 5, 15], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).axis(o, l, i).to(&mut y)": reduce::<Sum, _>(&m.items).axis(2, 2, 2).to(&mut m.a), NONE, [7, 0, 5, 15];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).axis(o, l, i).count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).axis(4, 1, 2).count(&m.count).to(&mut m.a), NONE, [3, 0, 4, 0];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).rows(r).pitch(p)": reduce::<Sum, _>(&m.items).rows(3).pitch(4), [7, 14], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).rows(r).pitch(p).to(&mut y)": reduce::<Sum, _>(&m.items).rows(3).pitch(4).to(&mut m.a), NONE, [7, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).columns(c).pitch(p).to(&mut y)": reduce::<Sum, _>(&m.items).columns(3).pitch(4).to(&mut m.a), NONE, [8, 9, 4];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).axis(o, l, i).pitch(p).to(&mut y)": reduce::<Sum, _>(&m.items).axis(2, 2, 1).pitch(4).to(&mut m.a), NONE, [3, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "reduce(&x).rows(r).pitch(p).count(&n).to(&mut y)": reduce::<Sum, _>(&m.items).rows(1).pitch(2).count(&m.count).to(&mut m.a), NONE, [3, 4];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "reduce(&x).segments(&o).pitch(p)": (), NONE, NONE;
        [PITCH] [PITCH] [PITCH] [PITCH] [PITCH] [PITCH];
    "reduce(&x).by_key(&k)": reduce::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys), [7, 2, 7, 1, 3, 9, 9, 6], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "reduce(&x).by_key(&k).to(&mut y)": reduce::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).to(&mut m.a), [4], [3, 9, 9, 6];
        ran ran (UNLOCATED) ran (GROUPS) (GROUPS);
    "reduce(&x).by_key(&k).keys_to(&mut j).to(&mut y)":
        reduce::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).keys_to(&mut m.a).to(&mut m.b), [4], [7, 2, 7, 1, 3, 9, 9, 6];
        ran ran (UNLOCATED) ran (GROUPS) (GROUPS);
    "reduce(&x).by_key(&k).count_to(&mut n).to(&mut y)":
        reduce::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).count_to(&mut m.n).to(&mut m.a), [4], [3, 9, 9, 6, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "reduce(&x).by_key(&k).runs_to(&mut s, &mut n).to(&mut y)":
        reduce::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).runs_to(&mut m.b, &mut m.n).to(&mut m.a), [4], [3, 9, 9, 6, 0, 2, 5, 6, 8, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "reduce(&x).by_key(&k).count(&n).runs_to(&mut s, &mut n).to(&mut y)":
        reduce::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).count(&m.count).runs_to(&mut m.b, &mut m.n).to(&mut m.a), [1], [3, 0, 2, 1];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    // Scans.
    "scan(&x)": scan::<Sum, _>(&m.items), [3, 3, 7, 7, 12, 21, 21, 27], NONE;
        ran (SEVERAL) (QUEUED) ran ran (GROUPS);
    "scan(&x).to(&mut y)": scan::<Sum, _>(&m.items).to(&mut m.a), NONE, [3, 3, 7, 7, 12, 21, 21, 27];
        ran ran ran ran (GROUPS) ran;
    "scan(&mut x).in_place()": scan::<Sum, _>(&mut m.items).in_place(), NONE, [3, 3, 7, 7, 12, 21, 21, 27];
        ran ran ran ran (GROUPS) ran;
    "scan(&x).exclusive()": scan::<Sum, _>(&m.items).exclusive(), [0, 3, 3, 7, 7, 12, 21, 21], NONE;
        ran (SEVERAL) (QUEUED) ran ran (GROUPS);
    "scan(&x).exclusive().to(&mut y)": scan::<Sum, _>(&m.items).exclusive().to(&mut m.a), NONE, [0, 3, 3, 7, 7, 12, 21, 21];
        ran ran ran ran (GROUPS) ran;
    "scan(&x).initial(v)": scan::<Sum, _>(&m.items).initial(5), [8, 8, 12, 12, 17, 26, 26, 32], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).initial(v).to(&mut y)": scan::<Sum, _>(&m.items).initial(5).to(&mut m.a), NONE, [8, 8, 12, 12, 17, 26, 26, 32];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&mut x).initial(v).in_place()": scan::<Sum, _>(&mut m.items).initial(5).in_place(), NONE, [8, 8, 12, 12, 17, 26, 26, 32];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).total(&mut t)": scan::<Sum, _>(&m.items).total(&mut m.b), [3, 3, 7, 7, 12, 21, 21, 27], [27];
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).total(&mut t).to(&mut y)": scan::<Sum, _>(&m.items).total(&mut m.b).to(&mut m.a), NONE, [3, 3, 7, 7, 12, 21, 21, 27, 27];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&mut x).total(&mut t).in_place()": scan::<Sum, _>(&mut m.items).total(&mut m.b).in_place(), NONE, [3, 3, 7, 7, 12, 21, 21, 27, 27];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).and_total()": scan::<Sum, _>(&m.items).and_total(), [3, 3, 7, 7, 12, 21, 21, 27, 27], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).and_total().to(&mut y)": scan::<Sum, _>(&m.items).to(&mut m.a).and_total(), [27], [3, 3, 7, 7, 12, 21, 21, 27];
        ran ran (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&mut x).and_total().in_place()": scan::<Sum, _>(&mut m.items).in_place().and_total(), [27], [3, 3, 7, 7, 12, 21, 21, 27];
        ran ran (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).count(&n).to(&mut y)": scan::<Sum, _>(&m.items).count(&m.count).to(&mut m.a), NONE, [3, 3];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&mut x).count(&n).in_place()": scan::<Sum, _>(&mut m.items).count(&m.count).in_place(), NONE, [3, 3, 4, 0, 5, 9, 0, 6];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan((&x, &z))": (), NONE, NONE;
        [OF_PAIRS] [OF_PAIRS] [OF_PAIRS] [OF_PAIRS] [OF_PAIRS] [OF_PAIRS];
    "scan(&x).segments(&o)": scan::<Sum, _>(&m.items).segments(&m.offsets), [3, 3, 7, 0, 5, 14, 0, 0], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).segments(&o).to(&mut y)": scan::<Sum, _>(&m.items).segments(&m.offsets).to(&mut m.a), NONE, [3, 3, 7, 0, 5, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).segments(&o).exclusive().to(&mut y)": scan::<Sum, _>(&m.items).segments(&m.offsets).exclusive().to(&mut m.a), NONE, [0, 3, 3, 0, 0, 5];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).segments(&o).count(&n).to(&mut y)": scan::<Sum, _>(&m.items).segments(&m.offsets).count(&m.count).to(&mut m.a), NONE, [3, 3, 7];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).rows(r)": scan::<Sum, _>(&m.items).rows(4), [3, 3, 7, 7, 5, 14, 14, 20], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).rows(r).to(&mut y)": scan::<Sum, _>(&m.items).rows(4).to(&mut m.a), NONE, [3, 3, 7, 7, 5, 14, 14, 20];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).rows(r).exclusive().to(&mut y)": scan::<Sum, _>(&m.items).rows(4).exclusive().to(&mut m.a), NONE, [0, 3, 3, 7, 0, 5, 14, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).rows(r).count(&n).to(&mut y)": scan::<Sum, _>(&m.items).rows(2).count(&m.count).to(&mut m.a), NONE, [3, 3, 4, 4];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).columns(c)": scan::<Sum, _>(&m.items).columns(4), [3, 0, 4, 0, 8, 9, 4, 6], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).columns(c).to(&mut y)": scan::<Sum, _>(&m.items).columns(4).to(&mut m.a), NONE, [3, 0, 4, 0, 8, 9, 4, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).columns(c).exclusive().to(&mut y)": scan::<Sum, _>(&m.items).columns(4).exclusive().to(&mut m.a), NONE, [0, 0, 0, 0, 3, 0, 4, 0];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).columns(c).count(&n).to(&mut y)": scan::<Sum, _>(&m.items).columns(2).count(&m.count).to(&mut m.a), NONE, [3, 0, 7, 0];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).axis(o, l, i)": scan::<Sum, _>(&m.items).axis(2, 2, 2), [3, 0, 7, 0, 5, 9, 5, 15], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).axis(o, l, i).to(&mut y)": scan::<Sum, _>(&m.items).axis(2, 2, 2).to(&mut m.a), NONE, [3, 0, 7, 0, 5, 9, 5, 15];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).axis(o, l, i).exclusive().to(&mut y)": scan::<Sum, _>(&m.items).axis(2, 2, 2).exclusive().to(&mut m.a), NONE, [0, 0, 3, 0, 0, 0, 5, 9];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).axis(o, l, i).count(&n).to(&mut y)": scan::<Sum, _>(&m.items).axis(4, 1, 2).count(&m.count).to(&mut m.a), NONE, [3, 0, 4, 0];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).rows(r).pitch(p)": scan::<Sum, _>(&m.items).rows(3).pitch(4), [3, 3, 7, 0, 5, 14, 14, 0], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).rows(r).pitch(p).to(&mut y)": scan::<Sum, _>(&m.items).rows(3).pitch(4).to(&mut m.a), NONE, [3, 3, 7, 5, 14, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).columns(c).pitch(p).to(&mut y)": scan::<Sum, _>(&m.items).columns(3).pitch(4).to(&mut m.a), NONE, [3, 0, 4, 8, 9, 4];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).axis(o, l, i).pitch(p).to(&mut y)": scan::<Sum, _>(&m.items).axis(2, 2, 1).pitch(4).to(&mut m.a), NONE, [3, 3, 5, 14];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).by_key(&k)": scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys), [3, 3, 4, 4, 9, 9, 0, 6], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).by_key(&k).to(&mut y)": scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).to(&mut m.a), NONE, [3, 3, 4, 4, 9, 9, 0, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).by_key(&k).exclusive().to(&mut y)": scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).exclusive().to(&mut m.a), NONE, [0, 3, 0, 4, 4, 0, 0, 0];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).by_key(&k).count(&n).to(&mut y)": scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).count(&m.count).to(&mut m.a), NONE, [3, 3];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).by_key(&k).runs_to(&mut s, &mut n).to(&mut y)":
        scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).runs_to(&mut m.b, &mut m.n).to(&mut m.a), NONE,
        [3, 3, 4, 4, 9, 9, 0, 6, 0, 2, 5, 6, 8, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "scan(&x).by_key(&k).count(&n).runs_to(&mut s, &mut n).to(&mut y)":
        scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).count(&m.count).runs_to(&mut m.b, &mut m.n).to(&mut m.a), NONE,
        [3, 3, 0, 2, 1];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).reversed()": scan::<Sum, _>(&m.items).reversed(), [27, 24, 24, 20, 20, 15, 6, 6], NONE;
        ran (SEVERAL) (QUEUED) ran (GROUPS) (GROUPS);
    "scan(&x).reversed().to(&mut y)": scan::<Sum, _>(&m.items).reversed().to(&mut m.a), NONE, [27, 24, 24, 20, 20, 15, 6, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&mut x).reversed().in_place()": scan::<Sum, _>(&mut m.items).reversed().in_place(), NONE, [27, 24, 24, 20, 20, 15, 6, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).exclusive().reversed().to(&mut y)": scan::<Sum, _>(&m.items).exclusive().reversed().to(&mut m.a), NONE, [24, 24, 20, 20, 15, 6, 6, 0];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).reversed().initial(v).to(&mut y)": scan::<Sum, _>(&m.items).reversed().initial(5).to(&mut m.a), NONE, [32, 29, 29, 25, 25, 20, 11, 11];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).reversed().count(&n).to(&mut y)": scan::<Sum, _>(&m.items).reversed().count(&m.count).to(&mut m.a), NONE, [3, 0];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "scan(&x).segments(&o).reversed().to(&mut y)": scan::<Sum, _>(&m.items).segments(&m.offsets).reversed().to(&mut m.a), NONE, [7, 4, 4, 14, 14, 9];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).rows(r).reversed().to(&mut y)": scan::<Sum, _>(&m.items).rows(4).reversed().to(&mut m.a), NONE, [7, 4, 4, 0, 20, 15, 6, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).columns(c).reversed().to(&mut y)": scan::<Sum, _>(&m.items).columns(4).reversed().to(&mut m.a), NONE, [8, 9, 4, 6, 5, 9, 0, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).axis(o, l, i).reversed().to(&mut y)": scan::<Sum, _>(&m.items).axis(2, 2, 2).reversed().to(&mut m.a), NONE, [7, 0, 4, 0, 5, 15, 0, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).by_key(&k).reversed().to(&mut y)": scan::<Sum, _>(&m.items).by_key::<Equal, _>(&m.keys).reversed().to(&mut m.a), NONE, [3, 0, 9, 5, 5, 9, 6, 6];
        ran ran ran ran (GROUPS) (GROUPS);
    "scan(&x).rows(r).initial(v)": (), NONE, NONE;
        [WHOLE] [WHOLE] [WHOLE] [WHOLE] [WHOLE] [WHOLE];
    "scan(&x).rows(r).total(&mut t)": (), NONE, NONE;
        [WHOLE] [WHOLE] [WHOLE] [WHOLE] [WHOLE] [WHOLE];
    "scan(&mut x).rows(r).in_place()": (), NONE, NONE;
        [IN_PLACE] [IN_PLACE] [IN_PLACE] [IN_PLACE] [IN_PLACE] [IN_PLACE];
    // Selections.
    "select(&x)": select::<NonZero, _>(&m.items), [3, 4, 5, 9, 6], NONE;
        ran (FOUND) (UNCOUNTED) ran (GROUPS) (GROUPS);
    "select(&x).indices()": select::<NonZero, _>(&m.items).indices(), [0, 2, 4, 5, 7], NONE;
        ran [RETURNED] [RETURNED] ran (GROUPS) [RETURNED];
    "select(&x).partition()": select::<NonZero, _>(&m.items).partition(), [3, 4, 5, 9, 6, 0, 0, 0], NONE;
        ran [RETURNED] [RETURNED] ran (GROUPS) [RETURNED];
    "select(&x).to(&mut y)": select::<NonZero, _>(&m.items).to(&mut m.a), [5], [3, 4, 5, 9, 6];
        ran ran (UNCOUNTED) ran (GROUPS) (GROUPS);
    "select(&x).to(&mut y).rest_to(&mut z)": select::<NonZero, _>(&m.items).to(&mut m.a).rest_to(&mut m.b), [5], [3, 4, 5, 9, 6, 0, 0, 0];
        ran ran (UNCOUNTED) ran (GROUPS) (GROUPS);
    "select(&x).indices_to(&mut i)": select::<NonZero, _>(&m.items).indices_to(&mut m.a), [5], [0, 2, 4, 5, 7];
        [WRITTEN] ran (UNCOUNTED) [WRITTEN] [WRITTEN] (GROUPS);
    "select(&x).to(&mut y).count_to(&mut n)": select::<NonZero, _>(&m.items).to(&mut m.a).count_to(&mut m.n), [5], [3, 4, 5, 9, 6, 5];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "select(&x).indices_to(&mut i).count_to(&mut n)": select::<NonZero, _>(&m.items).indices_to(&mut m.a).count_to(&mut m.n), [5], [0, 2, 4, 5, 7, 5];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "select(&x).rest_to(&mut z).count_to(&mut n)": select::<NonZero, _>(&m.items).rest_to(&mut m.b).count_to(&mut m.n), [5], [0, 0, 0, 5];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "select(&x).count(&n).to(&mut y).count_to(&mut n)": select::<NonZero, _>(&m.items).count(&m.count).to(&mut m.a).count_to(&mut m.n), [1], [3, 1];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    "select((&x, &f))": select::<Flagged, _>((&m.items, &m.flags)), [3, 0, 5, 0], NONE;
        ran (FOUND) (UNCOUNTED) ran (GROUPS) (GROUPS);
    "select((&x, &f)).indices()": select::<Flagged, _>((&m.items, &m.flags)).indices(), [0, 3, 4, 6], NONE;
        ran [RETURNED] [RETURNED] ran (GROUPS) [RETURNED];
    "select((&x, &f)).partition()": select::<Flagged, _>((&m.items, &m.flags)).partition(), [3, 0, 5, 0, 0, 4, 9, 6], NONE;
        ran [RETURNED] [RETURNED] ran (GROUPS) [RETURNED];
    "select((&x, &f)).to(&mut y).rest_to(&mut z)": select::<Flagged, _>((&m.items, &m.flags)).to(&mut m.a).rest_to(&mut m.b), [4], [3, 0, 5, 0, 0, 4, 9, 6];
        ran ran (UNCOUNTED) ran (GROUPS) (GROUPS);
    "select((&x, &f)).to(&mut y).count_to(&mut n)": select::<Flagged, _>((&m.items, &m.flags)).to(&mut m.a).count_to(&mut m.n), [4], [3, 0, 5, 0, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "select((&x, &f)).indices_to(&mut i).count_to(&mut n)": select::<Flagged, _>((&m.items, &m.flags)).indices_to(&mut m.a).count_to(&mut m.n), [4], [0, 3, 4, 6, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "select((&x, &f)).count(&n).to(&mut y).count_to(&mut n)": select::<Flagged, _>((&m.items, &m.flags)).count(&m.count).to(&mut m.a).count_to(&mut m.n), [1], [3, 1];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
    // Runs.
    "runs(&k)": runs::<Equal, _>(&m.keys), [7, 2, 7, 1], NONE;
        ran (FOUND) (UNCOUNTED) ran (GROUPS) (GROUPS);
    "runs(&k).lengths()": runs::<Equal, _>(&m.keys).lengths(), [7, 2, 7, 1, 2, 3, 1, 2], NONE;
        ran [RETURNED] [RETURNED] ran (GROUPS) [RETURNED];
    "runs(&k).starts()": runs::<Equal, _>(&m.keys).starts(), [0, 2, 5, 6, 8], NONE;
        ran [RETURNED] [RETURNED] ran (GROUPS) [RETURNED];
    "runs(&k).to(&mut y)": runs::<Equal, _>(&m.keys).to(&mut m.a), [4], [7, 2, 7, 1];
        ran ran (UNCOUNTED) ran (GROUPS) (GROUPS);
    "runs(&k).to(&mut y).lengths_to(&mut l)": runs::<Equal, _>(&m.keys).to(&mut m.a).lengths_to(&mut m.b), [4], [7, 2, 7, 1, 2, 3, 1, 2];
        [WRITTEN] ran (UNCOUNTED) [WRITTEN] [WRITTEN] (GROUPS);
    "runs(&k).to(&mut y).lengths_to(&mut l).count_to(&mut n)":
        runs::<Equal, _>(&m.keys).to(&mut m.a).lengths_to(&mut m.b).count_to(&mut m.n), [4], [7, 2, 7, 1, 2, 3, 1, 2, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "runs(&k).starts_to(&mut s).count_to(&mut n)": runs::<Equal, _>(&m.keys).starts_to(&mut m.a).count_to(&mut m.n), [4], [0, 2, 5, 6, 8, 4];
        [WRITTEN] ran ran [WRITTEN] [WRITTEN] (GROUPS);
    "runs(&k).count(&n).to(&mut y).count_to(&mut n)": runs::<Equal, _>(&m.keys).count(&m.count).to(&mut m.a).count_to(&mut m.n), [1], [7, 1];
        [LENGTH] ran ran [LENGTH] [LENGTH] (GROUPS);
}
