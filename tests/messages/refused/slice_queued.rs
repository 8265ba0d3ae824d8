//! Queued work on a slice of the host.

use warpfold::cust::stream::Stream;
use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, stream: &Stream, items: &[f32], sums: &mut [f32]) -> warpfold::Result<()> {
    scan::<Sum, _>(items).to(sums).queue(gpu, stream)
}

fn main() {}
