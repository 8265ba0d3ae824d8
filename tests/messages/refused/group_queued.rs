//! Queued work of a group of GPUs.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;
use warpfold::group::Member;
use warpfold::{Sum, scan};

fn sums(member: &mut Member<'_>, stream: &Stream, items: &mut DeviceBuffer<f32>) -> warpfold::Result<()> {
    scan::<Sum, _>(items).in_place().queue(member, stream)
}

fn main() {}
