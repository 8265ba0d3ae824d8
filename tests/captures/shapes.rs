//! More calls during a capture, from a reduction of pairs to the loading of PTX.

use std::mem;
use std::time::Duration;

use cust::memory::DeviceSlice;
use warpfold::group::{self, Gpus};
use warpfold::{Dot, Equal, Max, NonZero, Sum, cust, reduce, runs, scan, select};

use crate::{Case, Data, Outcome, stream};

/// The number of items of each call.
const ITEMS: usize = 64;

/// Keys, values or a matrix.
fn items(data: &Data) -> DeviceSlice<u32> {
    data.input.index(..ITEMS)
}

/// Offsets of segments: the input's items, which are 0, 1, 2, …
fn offsets(data: &Data) -> DeviceSlice<u32> {
    data.input.index(..ITEMS)
}

pub const CASES: [Case; 18] = [
    Case {
        name: "dot",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            reduce::<Dot, _>((&items(data), &items(data)))
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "a scan and its total",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            scan::<Sum, _>(&items(data))
                .exclusive()
                .to(&mut data.room(ITEMS))
                .and_total()
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "a reduction of segments",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.room(ITEMS);
            reduce::<Max, _>(&items(data))
                .segments(&offsets(data))
                .to(&mut output)
                .wait(gpu)
        },
    },
    Case {
        name: "a scan of segments",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.room(ITEMS);
            scan::<Sum, _>(&items(data))
                .segments(&offsets(data))
                .to(&mut output)
                .wait(gpu)
        },
    },
    Case {
        name: "a scan of rows",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            scan::<Sum, _>(&items(data))
                .rows(8)
                .to(&mut data.room(ITEMS))
                .wait(gpu)
        },
    },
    Case {
        name: "a reduction of columns",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            reduce::<Sum, _>(&items(data))
                .columns(8)
                .to(&mut data.room(8))
                .wait(gpu)
        },
    },
    Case {
        name: "a scan of columns",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            scan::<Sum, _>(&items(data))
                .columns(8)
                .to(&mut data.room(ITEMS))
                .wait(gpu)
        },
    },
    Case {
        name: "a reduction of columns of a count of rows",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            reduce::<Sum, _>(&items(data))
                .columns(8)
                .count(&data.count())
                .to(&mut data.room(8))
                .wait(gpu)
        },
    },
    Case {
        name: "a reduction of a count of items in order",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            reduce::<Sum, _>(&items(data))
                .in_order()
                .count(&data.count())
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "a selection",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            select::<NonZero, _>(&items(data))
                .to(&mut data.room(ITEMS))
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "runs",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            runs::<Equal, _>(&items(data))
                .to(&mut data.room(ITEMS))
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "a reduction by key",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let (mut keys, mut sums) = (data.room(ITEMS), data.room(ITEMS));
            let [input, values] = [items(data); 2];
            reduce::<Sum, _>(&values)
                .by_key::<Equal, _>(&input)
                .keys_to(&mut keys)
                .to(&mut sums)
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "a scan by key",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.room(ITEMS);
            scan::<Sum, _>(&items(data))
                .by_key::<Equal, _>(&items(data))
                .to(&mut output)
                .wait(gpu)
                .map(drop)
        },
    },
    Case {
        name: "a reduction of rows and a selection on another stream",
        outcome: Outcome::Done,
        call: |gpu, data| {
            let stream = stream();
            let mut output = data.room(8);
            reduce::<Sum, _>(&items(data))
                .rows(8)
                .to(&mut output)
                .queue(gpu, &stream)?;
            let mut output = data.room(ITEMS);
            select::<NonZero, _>(&items(data))
                .to(&mut output)
                .count_to(&mut data.count())
                .queue(gpu, &stream)
        },
    },
    Case {
        name: "a reduction by key on another stream",
        outcome: Outcome::Done,
        call: |gpu, data| {
            let [input, values] = [items(data); 2];
            let (mut keys, mut sums) = (data.room(ITEMS), data.room(ITEMS));
            reduce::<Sum, _>(&values)
                .by_key::<Equal, _>(&input)
                .keys_to(&mut keys)
                .to(&mut sums)
                .runs_to(&mut data.room(ITEMS + 1), &mut data.count())
                .queue(gpu, &stream())
        },
    },
    Case {
        name: "a slice over all GPUs",
        outcome: Outcome::Done,
        call: |_, _| {
            let gpus = Gpus::all()?;
            assert_eq!(reduce::<Sum, _>(&[1u32; ITEMS]).wait(&gpus)?, ITEMS as u32);
            scan::<Sum, _>(&[1u32; ITEMS]).wait(&gpus).map(drop)
        },
    },
    Case {
        name: "a rank's reduction",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut ranks = group::within([gpu], Duration::from_secs(10));
            let sum = reduce::<Sum, _>(&items(data)).wait(&mut ranks[0]);
            sum.map(drop)
        },
    },
    Case {
        name: "load_ptx",
        outcome: Outcome::Done,
        call: |gpu, _| {
            let text =
                ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
            // The module is leaked: if it were dropped, `cust` would unload it, but this test is only about the library's calls.
            gpu.load_ptx("k", text).map(mem::forget)
        },
    },
];
