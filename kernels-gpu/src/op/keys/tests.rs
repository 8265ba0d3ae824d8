use super::*;

/// Checks that the items' rising keys rise strictly, and that their falling keys fall strictly. `rising` has items from the least to the
/// greatest, all different.
fn check<T: Ordered>(rising: &[T]) {
    let keys = |item: T| {
        let up = item.located::<false>(0).key();
        (up, item.located::<true>(0).key())
    };
    for pair in rising.windows(2) {
        let (low, high) = (keys(pair[0]), keys(pair[1]));
        assert!(low.0 < high.0 && low.1 > high.1);
    }
}

#[test]
fn keys_order_like_their_items() {
    check(&[0_u8, 1, 127, 128, 255]);
    check(&[-128_i8, -1, 0, 1, 127]);
    check(&[0_u16, 1, 0x7fff, 0x8000, u16::MAX]);
    check(&[i16::MIN, -1, 0, 1, i16::MAX]);
    check(&[0_u32, 1, u32::MAX]);
    check(&[i32::MIN, -1, 0, i32::MAX]);
    check(&[0_u64, 1, u64::MAX]);
    check(&[i64::MIN, -1, 0, i64::MAX]);
    check(&[f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-45, f32::INFINITY]);
    check(&[f64::NEG_INFINITY, -1.0, -0.0, 0.0, 5e-324, f64::INFINITY]);
    check(&[-1.0, -0.0, 0.0, 1.0, f32::INFINITY].map(f16::from_f32));
    check(&[-1.0, -0.0, 0.0, 1.0, f32::INFINITY].map(bf16::from_f32));
}

#[test]
fn a_nan_of_either_sign_has_the_least_key() {
    fn check<T: Ordered>(nan: T, least: <T::Located as Located>::Key)
    where
        <T::Located as Located>::Key: core::fmt::Debug,
    {
        assert_eq!(nan.located::<false>(0).key(), least);
        assert_eq!(nan.located::<true>(0).key(), least);
    }
    check(f32::from_bits(0xff80_0001), 0);
    check(f32::NAN, 0);
    check(-f64::NAN, 0);
    check(f16::from_bits(0xfc01), 0);
    check(f16::from_bits(0x7fff), 0);
    check(bf16::from_bits(0xff81), 0);
    check(bf16::from_bits(0x7fff), 0);
}

#[test]
fn the_first_of_a_vectors_least_items_is_found() {
    fn check<T: Ordered>(words: Words) {
        let vector = vector_of(words);
        let (mut rising, mut falling) = (T::Located::NONE, T::Located::NONE);
        for_each_item!(P of T => {
            let item = item_of::<T>(&vector, P);
            rising = rising.least(item.located::<false>(40 + P as u64));
            falling = falling.least(item.located::<true>(40 + P as u64));
        });
        let found = T::least::<false>(words, 40);
        assert!(found.key() == rising.key() && found.index() == rising.index());
        let found = T::least::<true>(words, 40);
        assert!(found.key() == falling.key() && found.index() == falling.index());
        let [low, high] = T::both_least(words, 40);
        assert!(low.key() == rising.key() && low.index() == rising.index());
        assert!(high.key() == falling.key() && high.index() == falling.index());
    }

    /// Checks four vectors, one of which is `words` and three of which are `others`. `words` takes each of the four places in turn.
    fn check_four<T: Ordered>(words: Words, others: Words) {
        for place in 0..4 {
            let mut vectors = [others; 4];
            vectors[place] = words;
            let items = 16 / size_of::<T>() as u64;
            let (mut rising, mut falling) = (T::Located::NONE, T::Located::NONE);
            for (v, vector) in vectors.iter().enumerate() {
                let index = 40 + v as u64 * items;
                rising = rising.least(T::least::<false>(*vector, index));
                falling = falling.least(T::least::<true>(*vector, index));
            }
            let found = T::least_of_four::<false>(vectors, 40);
            assert!(found.key() == rising.key() && found.index() == rising.index());
            let found = T::least_of_four::<true>(vectors, 40);
            assert!(found.key() == falling.key() && found.index() == falling.index());
            assert!(T::bound_of_four::<false>(vectors, 40).key() == rising.key());
            assert!(T::bound_of_four::<true>(vectors, 40).key() == falling.key());
        }
    }
    const NAN: u32 = 0xffc0_0001;
    for words in [
        [0; 4],
        [u32::MAX; 4],
        [0x0102_0304, 0xfffe_8001, 0x8000_7fff, 0x0102_0300],
        [0x7c01_3c00, 0xfc01_bc00, 0x7f80_0001, 0xff80_0001],
        [0x8000_0000, 0x7fff_ffff, 0x8000_0000, 0x7fff_ffff],
        [0, 0x8000_0000, 0, 0x8000_0000],
        [0x8000_0000, 0, 0, 0x8000_0000],
        [0x7f80_0000, NAN, 0x7f80_0000, NAN],
        [0xff80_0000, 0x7f80_0000, NAN, 0xff80_0000],
        [0xff80_0000, 0x7f80_0000, 0x7f80_0000, NAN],
        [NAN, 0x7fff_ffff, 0, 0],
    ] {
        for others in [
            [0; 4],
            [u32::MAX; 4],
            [NAN, 1, 0x8000_0000, 3],
            [0x3f80_0000; 4],
        ] {
            check_four::<u32>(words, others);
            check_four::<i32>(words, others);
            check_four::<f32>(words, others);
            check_four::<u64>(words, others);
            check_four::<f64>(words, others);
            check_four::<u8>(words, others);
            check_four::<f16>(words, others);
        }
        check::<u8>(words);
        check::<i8>(words);
        check::<u16>(words);
        check::<i16>(words);
        check::<f16>(words);
        check::<bf16>(words);
        check::<u32>(words);
        check::<i32>(words);
        check::<f32>(words);
        check::<u64>(words);
        check::<i64>(words);
        check::<f64>(words);
    }
}
