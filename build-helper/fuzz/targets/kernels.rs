//! Whatever the packed part of a file of committed device code is, unpacking it ends with texts of the sizes that were said, or with none.

#![no_main]

// What the library has beside the unpacking is not used here.
#[allow(dead_code)]
#[path = "../../src/pack/lines.rs"]
mod lines;
#[path = "../../src/pack/words.rs"]
mod words;

// Two texts, whose sizes come first; the five parts that follow are compressed here, so that what is found is not that they are not.
libfuzzer_sys::fuzz_target!(|input: ([u16; 2], [Vec<u8>; 5])| {
    let (sizes, parts) = input;
    let mut packed = Vec::new();
    for part in parts {
        let part = miniz_oxide::deflate::compress_to_vec_zlib(&part, 1);
        lines::number_to(part.len(), &mut packed);
        packed.extend(part);
    }
    let texts = [
        ("reduce_a", usize::from(sizes[0])),
        ("reduce_b", usize::from(sizes[1])),
    ];
    if let Some(unpacked) = lines::unpack(&packed, &texts) {
        assert!(
            unpacked
                .iter()
                .map(String::len)
                .eq(texts.map(|(_, bytes)| bytes))
        );
    }
});
