//! Copies of rows and planes, with gaps between them.

use crate::raw::*;
use crate::support::*;
use std::ptr::null_mut;

const HOST: i32 = 1;
const DEVICE: i32 = 2;
const ARRAY: i32 = 3;

/// A box of words: 5 to a row, 4 rows to a plane, 3 planes.
const WHOLE: [usize; 3] = [5, 4, 3];
const WORDS: usize = WHOLE[0] * WHOLE[1] * WHOLE[2];
/// The part that is copied, and where it begins in the source and in the destination.
const PART: [usize; 3] = [2, 3, 2];
const FROM: [usize; 3] = [3, 1, 1];
const TO: [usize; 3] = [1, 0, 1];

#[test]
fn a_box_is_copied_between_host_and_device() {
    let _context = Context::new();
    let source: Vec<u32> = (0..WORDS as u32).collect();
    let (first, second) = (zeros(WORDS), zeros(WORDS));
    let copy = |from: Side, to: Side| planes(&Planes::new(from, to));
    assert_eq!(copy(host(&source, FROM), device(first, FROM)), 0);
    assert_eq!(copy(device(first, FROM), device(second, TO)), 0);
    let mut words = vec![7; WORDS];
    assert_eq!(copy(device(second, TO), host_mut(&mut words, TO)), 0);
    assert_eq!(words, expected(&source, 7));
    assert_eq!(download(&mut words, second), 0);
    assert_eq!(
        words,
        expected(&source, 0),
        "nothing beside the box is written"
    );
}

#[test]
fn a_box_is_copied_in_a_stream() {
    let _context = Context::new();
    let own = stream(1);
    let source: Vec<u32> = (0..WORDS as u32).collect();
    let (first, second) = (alloc(WORDS), zeros(WORDS));
    assert_eq!(upload(first, &source), 0);
    let copy = Planes::new(device(first, FROM), device(second, TO));
    // SAFETY: both sides are live device memory, and the copied part lies inside both.
    assert_eq!(unsafe { cuMemcpy3DAsync_v2(&copy, own) }, 0);
    assert_eq!(cuStreamSynchronize(own), 0);
    let mut words = vec![0; WORDS];
    assert_eq!(download(&mut words, second), 0);
    assert_eq!(words, expected(&source, 0));
}

#[test]
fn a_plane_is_copied() {
    let _context = Context::new();
    let source: Vec<u32> = (0..WORDS as u32).collect();
    let address = zeros(WORDS);
    let [width, rows, _] = PART;
    let copy = Plane {
        from: host(&source, [FROM[0], FROM[1], 0]).of_plane(),
        to: device(address, [TO[0], TO[1], 0]).of_plane(),
        width_bytes: width * 4,
        rows,
    };
    // SAFETY: both sides are live memory, and the copied part lies inside both.
    assert_eq!(unsafe { cuMemcpy2D_v2(&copy) }, 0);
    let mut words = vec![0; WORDS];
    assert_eq!(download(&mut words, address), 0);
    let mut right = vec![0; WORDS];
    for row in 0..rows {
        for x in 0..width {
            right[place([TO[0] + x, TO[1] + row, 0])] =
                source[place([FROM[0] + x, FROM[1] + row, 0])];
        }
    }
    assert_eq!(words, right);
}

#[test]
fn wrong_boxes_are_refused() {
    let _context = Context::new();
    let (from, to) = (zeros(WORDS), zeros(WORDS));
    let with = |change: &dyn Fn(&mut Planes)| {
        let mut copy = Planes::new(device(from, FROM), device(to, TO));
        change(&mut copy);
        planes(&copy)
    };
    assert_eq!(with(&|_| ()), 0);
    assert_eq!(with(&|copy| copy.width_bytes = 0), 0, "nothing to copy");
    let mut compare = Comparison::default();
    let mut refused = |what: &str, change: &dyn Fn(&mut Planes)| {
        compare.expect(what, with(change), INVALID_VALUE);
    };
    refused("planes that overlap", &|copy| copy.to.height = 2);
    refused("rows that overlap", &|copy| copy.to.pitch = 4);
    refused("past the end", &|copy| copy.from.z = 2);
    refused("a box beyond all memory", &|copy| copy.from.z = usize::MAX);
    refused("a place that is none", &|copy| copy.to.kind = 9);
    refused("a level of an array", &|copy| copy.from.level = 1);
    if !virtual_only("arrays, which no such handle names") {
        let code = with(&|copy| copy.from.kind = ARRAY);
        compare.expect("an array", code, NOT_SUPPORTED);
    }
}

/// The whole box after the copy: the part that begins at `TO` has the words of the source, and all other words are `fill`.
fn expected(source: &[u32], fill: u32) -> Vec<u32> {
    let mut words = vec![fill; WORDS];
    for z in 0..PART[2] {
        for y in 0..PART[1] {
            for x in 0..PART[0] {
                let at = |origin: [usize; 3]| place([origin[0] + x, origin[1] + y, origin[2] + z]);
                words[at(TO)] = source[at(FROM)];
            }
        }
    }
    words
}

fn place([x, y, z]: [usize; 3]) -> usize {
    (z * WHOLE[1] + y) * WHOLE[0] + x
}

fn planes(copy: &Planes) -> i32 {
    // SAFETY: the tests' memory is live. No copy goes beyond the host memory, and the driver refuses a copy that goes beyond device memory.
    unsafe { cuMemcpy3D_v2(copy) }
}

fn host(words: &[u32], origin: [usize; 3]) -> Side {
    Side {
        kind: HOST,
        host: words.as_ptr().cast_mut().cast(),
        ..device(0, origin)
    }
}

fn host_mut(words: &mut [u32], origin: [usize; 3]) -> Side {
    Side {
        host: words.as_mut_ptr().cast(),
        ..host(words, origin)
    }
}

fn device(address: u64, [x, y, z]: [usize; 3]) -> Side {
    Side {
        x_bytes: x * 4,
        y,
        z,
        level: 0,
        kind: DEVICE,
        host: null_mut(),
        device: address,
        array: 0,
        reserved: 0,
        pitch: WHOLE[0] * 4,
        height: WHOLE[1],
    }
}

impl Planes {
    /// A copy of a part with the extents [`PART`].
    fn new(from: Side, to: Side) -> Self {
        Self {
            from,
            to,
            width_bytes: PART[0] * 4,
            rows: PART[1],
            planes: PART[2],
        }
    }
}

impl Side {
    fn of_plane(self) -> PlaneSide {
        PlaneSide {
            x_bytes: self.x_bytes,
            y: self.y,
            kind: self.kind,
            host: self.host,
            device: self.device,
            array: self.array,
            pitch: self.pitch,
        }
    }
}
