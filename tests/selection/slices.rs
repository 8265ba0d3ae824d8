//! Selections and runs of host slices: the GPU's results are those of the CPU. Empty slices give empty results, and errors are reported.

use warpfold::{Cpu, Equal, Error, Flagged, Gpu, NonZero, Sum, reduce, runs, select};

use crate::shapes;

#[test]
fn slices_of_any_length() {
    for count in [1, 31, 5000, 200_000] {
        let items: Vec<u16> = (0..count).map(|index| (index / 3 % 5) as u16).collect();
        let flags: Vec<u8> = items.iter().map(|&item| (item as u8) << 6).collect();
        let (selected, rejected) = select::<Flagged, _>((&items, &flags))
            .partition()
            .wait(Cpu)
            .unwrap();
        assert_eq!(
            select::<Flagged, _>((&items, &flags))
                .wait(Gpu::global())
                .unwrap(),
            selected
        );
        let parts = select::<Flagged, _>((&items, &flags))
            .partition()
            .wait(Gpu::global())
            .unwrap();
        assert_eq!(parts, (selected, rejected));
        let parts = select::<NonZero, _>(&items).partition().wait(Cpu).unwrap();
        assert_eq!(
            select::<NonZero, _>(&items).wait(Gpu::global()).unwrap(),
            parts.0
        );
        assert_eq!(
            select::<NonZero, _>(&items)
                .partition()
                .wait(Gpu::global())
                .unwrap(),
            parts
        );
        let indices = select::<NonZero, _>(&items).indices().wait(Cpu).unwrap();
        assert_eq!(
            select::<NonZero, _>(&items)
                .indices()
                .wait(Gpu::global())
                .unwrap(),
            indices
        );
        let expected = runs::<Equal, _>(&items).lengths().wait(Cpu).unwrap();
        assert_eq!(
            runs::<Equal, _>(&items).wait(Gpu::global()).unwrap(),
            expected.0
        );
        assert_eq!(
            runs::<Equal, _>(&items)
                .lengths()
                .wait(Gpu::global())
                .unwrap(),
            expected
        );
    }
}

#[test]
fn slices_of_which_all_or_none_are_selected() {
    for (name, flags) in shapes::choices(9000) {
        let items: Vec<f64> = flags.iter().map(|&flag| f64::from(flag)).collect();
        let parts = select::<NonZero, _>(&items).partition().wait(Cpu).unwrap();
        assert_eq!(
            select::<NonZero, _>(&items)
                .partition()
                .wait(Gpu::global())
                .unwrap(),
            parts,
            "{name}"
        );
    }
}

#[test]
fn an_empty_slice_gives_empty_results() {
    assert_eq!(
        select::<Flagged, _>((&[0u32; 0], &[])).wait(Gpu::global()),
        Ok(vec![])
    );
    assert_eq!(
        select::<NonZero, _>(&[0i32; 0]).wait(Gpu::global()),
        Ok(vec![])
    );
    assert_eq!(
        select::<NonZero, _>(&[0i32; 0])
            .partition()
            .wait(Gpu::global()),
        Ok((vec![], vec![]))
    );
    assert_eq!(
        select::<NonZero, _>(&[0i32; 0])
            .indices()
            .wait(Gpu::global()),
        Ok(vec![])
    );
    assert_eq!(
        runs::<Equal, _>(&[0u8; 0]).lengths().wait(Gpu::global()),
        Ok((vec![], vec![]))
    );
}

#[test]
fn flags_for_other_items_are_refused() {
    let differ = Error::LengthsDiffer {
        left_items: 3,
        right_items: 2,
    };
    assert_eq!(
        select::<Flagged, _>((&[1, 2, 3], &[1, 1])).wait(Gpu::global()),
        Err(differ)
    );
}

#[test]
fn slices_that_are_too_short_are_filled() {
    let items = [0u32, 7, 7, 0, 5, 9];
    let too_short = |offered_items, needed_items| {
        Err(Error::OutputTooShort {
            offered_items,
            needed_items,
        })
    };
    for by_gpu in [true, false] {
        let (mut chosen, mut rest) = ([1u32; 3], [1u32; 1]);
        let request = select::<NonZero, _>(&items)
            .to(&mut chosen)
            .rest_to(&mut rest);
        let answer = match by_gpu {
            true => request.wait(Gpu::global()),
            false => request.wait(Cpu),
        };
        assert_eq!(answer, too_short(3, 4));
        assert_eq!((chosen, rest), ([7, 7, 5], [0]));

        let mut firsts = [1u32; 2];
        let request = runs::<Equal, _>(&items).to(&mut firsts);
        let answer = match by_gpu {
            true => request.wait(Gpu::global()),
            false => request.wait(Cpu),
        };
        assert_eq!(answer, too_short(2, 5));
        assert_eq!(firsts, [0, 7]);
    }
    let (mut keys, mut sums) = ([1u32; 4], [1u32; 2]);
    let answer = reduce::<Sum, _>(&[1u32; 6])
        .by_key::<Equal, _>(&items)
        .keys_to(&mut keys)
        .to(&mut sums)
        .wait(Gpu::global());
    assert_eq!(answer, too_short(4, 5));
    assert_eq!((keys, sums), ([0, 7, 0, 5], [1, 2]));
}
