//! Scans by key in both directions, with keys and values that begin anywhere in a vector.

use cust::memory::DeviceBuffer;
use warpfold::{Cpu, Equal, Sum, cust, scan};
use warpfold_kernels::segments::chunk_items;

use crate::borders;
use crate::buffers::{assert_begins, values, zeros};
use crate::gpus::gpu;
use crate::runs::keys;

/// Scans in both directions, without this number of first keys.
fn check_directions(skipped: usize) {
    let gpu = gpu();
    let window = chunk_items::<f32, f32>() as usize;
    for (what, lengths) in borders::lengths(window) {
        let all = keys(&lengths, |run| run as u16);
        let values = values::<f32>(all.len());
        let device_keys = DeviceBuffer::from_slice(&all).unwrap();
        let device_values = DeviceBuffer::from_slice(&values).unwrap();
        let (keys, values) = (&all[skipped..], &values[skipped..]);
        let (device_keys, device_values) =
            (device_keys.index(skipped..), device_values.index(skipped..));
        let what = format!("{what}, without {skipped}");
        macro_rules! check {
            ($($order:ident)*) => {
                let expected = scan::<Sum, _>(values)
                    .by_key::<Equal, _>(keys)
                    $(.$order())*
                    .wait(Cpu)
                    .unwrap();
                let mut scanned = zeros::<f32>(keys.len());
                scan::<Sum, _>(&device_values)
                    .by_key::<Equal, _>(&device_keys)
                    $(.$order())*
                    .to(&mut scanned)
                    .wait(gpu)
                    .unwrap();
                assert_begins(&scanned, &expected, &what);
            };
        }
        check!();
        check!(reversed);
        check!(reversed exclusive);
    }
}

#[test]
fn reversed_scans() {
    check_directions(0);
}

#[test]
fn unaligned_keys_and_reversed_scans() {
    check_directions(1);
}

#[test]
fn more_unaligned_keys_and_reversed_scans() {
    check_directions(5);
}
