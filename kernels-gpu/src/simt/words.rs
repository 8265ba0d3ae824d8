//! Words that running blocks share, or that the warps of a block share.
//!
//! All accesses are written in PTX (by `ptx!`). Each states its memory order and its scope. The compilers' own atomic loads and stores have
//! the wrong scope (`.sys`). The compilers' own read-modify-write operations state no memory order.

/// Reads a 64-bit word that other blocks may be writing: relaxed, GPU scope.
///
/// # Safety
/// `address` is in global memory, aligned and readable.
#[inline(always)]
pub unsafe fn load_word(address: *const u64) -> u64 {
    let word: u64;
    // SAFETY: `address` is in global memory, aligned and readable (condition of this function), so `cvta` is valid.
    unsafe {
        ptx!(
            load_word: "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "ld.relaxed.gpu.global.b64 {word}, [%g]; }}",
            address = in(reg64) address,
            word = out(reg64) word,
            options(nostack),
        );
    }
    word
}

/// Defines a function that loads several words at once, each like [`load_word`]. A word whose bit is not set in `wanted` is 0 in the
/// result.
///
/// All loads are in one `ptx!`. With a `ptx!` for each load, the compiler would place the use of one word before the load of the next word.
macro_rules! load_at_once {
    (
        $(#[$doc:meta])* $name:ident -> $result:ty { $value:expr }
        $($bit:literal: $word:ident = $base:literal + $offset:literal,)*
    ) => {
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name(first: *const u64, other: *const u64, wanted: u32) -> $result {
            $(let $word: u64;)*
            // SAFETY: each word that is wanted is in global memory, aligned and readable (condition of this function). Other words are not
            // accessed.
            unsafe {
                ptx!(
                    $name: "{{ .reg .pred %p; .reg .b32 %b; .reg .u64 %first; .reg .u64 %other;",
                    "cvta.to.global.u64 %first, {first}; cvta.to.global.u64 %other, {other};",
                    $(concat!(
                        "mov.u64 {", stringify!($word), "}, 0;",
                        "and.b32 %b, {wanted}, ", $bit, "; setp.ne.u32 %p, %b, 0;",
                        "@%p ld.relaxed.gpu.global.b64 {", stringify!($word), "}, [%", $base, "+", $offset, "];",
                    ),)*
                    // The text begins with a space, because `warpfold_ptx` takes a line of a single brace for the end of a function.
                    " }}",
                    first = in(reg64) first,
                    other = in(reg64) other,
                    wanted = in(reg32) wanted,
                    $($word = out(reg64) $word,)*
                    options(nostack),
                );
            }
            $value
        }
    };
}

load_at_once! {
    /// Loads up to nine words: the word at `first`, the seven words that lie 32, 64, …, 224 words before it, and the word at `other`. Only
    /// the words whose bits are set in `wanted` are loaded.
    ///
    /// # Safety
    /// The conditions of [`load_word`], for each word that is wanted.
    load_words_apart -> ([u64; 8], u64) { ([a, b, c, d, e, f, g, h], i) }
    1: a = "first" + 0,
    2: b = "first" + -256,
    4: c = "first" + -512,
    8: d = "first" + -768,
    16: e = "first" + -1024,
    32: f = "first" + -1280,
    64: g = "first" + -1536,
    128: h = "first" + -1792,
    256: i = "other" + 0,
}

load_at_once! {
    /// As [`load_words_apart`], but loads pairs of words. The distances count pairs, and a bit of `wanted` stands for a pair.
    ///
    /// # Safety
    /// The conditions of [`load_word`], for each word that is wanted.
    load_pairs_apart -> ([[u64; 2]; 8], [u64; 2]) {
        ([[a, aa], [b, bb], [c, cc], [d, dd], [e, ee], [f, ff], [g, gg], [h, hh]], [i, ii])
    }
    1: a = "first" + 0,
    1: aa = "first" + 8,
    2: b = "first" + -512,
    2: bb = "first" + -504,
    4: c = "first" + -1024,
    4: cc = "first" + -1016,
    8: d = "first" + -1536,
    8: dd = "first" + -1528,
    16: e = "first" + -2048,
    16: ee = "first" + -2040,
    32: f = "first" + -2560,
    32: ff = "first" + -2552,
    64: g = "first" + -3072,
    64: gg = "first" + -3064,
    128: h = "first" + -3584,
    128: hh = "first" + -3576,
    256: i = "other" + 0,
    256: ii = "other" + 8,
}

/// Writes a 64-bit word that other blocks may be reading: relaxed, GPU scope.
///
/// # Safety
/// `address` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn store_word(address: *mut u64, word: u64) {
    // SAFETY: `address` is in global memory, aligned and writable (condition of this function), so `cvta` is valid.
    unsafe {
        ptx!(
            store_word: "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "st.relaxed.gpu.global.b64 [%g], {word}; }}",
            address = in(reg64) address,
            word = in(reg64) word,
            options(nostack),
        );
    }
}

/// Writes a word of shared memory atomically: relaxed, block scope.
///
/// # Safety
/// `address` is in shared memory, aligned and writable.
#[inline(always)]
pub unsafe fn store_shared_atomically(address: *mut u32, word: u32) {
    // SAFETY: `address` is in shared memory, aligned and writable (condition of this function), so `cvta` is valid.
    unsafe {
        ptx!(
            store_shared_atomically: "{{ .reg .u64 %s; .reg .b32 %o; cvta.to.shared.u64 %s, {address};",
            "atom.relaxed.cta.shared.exch.b32 %o, [%s], {word}; }}",
            address = in(reg64) address,
            word = in(reg32) word,
            options(nostack),
        );
    }
}

/// Sets bits of a word of shared memory atomically: relaxed, block scope.
///
/// # Safety
/// `address` is in shared memory, aligned and writable.
#[inline(always)]
pub unsafe fn or_shared(address: *mut u32, bits: u32) {
    // SAFETY: `address` is in shared memory, aligned and writable (condition of this function), so `cvta` is valid.
    unsafe {
        ptx!(
            or_shared: "{{ .reg .u64 %s; .reg .b32 %o; cvta.to.shared.u64 %s, {address};",
            "atom.relaxed.cta.shared.or.b32 %o, [%s], {bits}; }}",
            address = in(reg64) address,
            bits = in(reg32) bits,
            options(nostack),
        );
    }
}

/// Adds 1 to a 64-bit word if `increments` is true on the warp's first lane: relaxed, GPU scope. The first lane gets the word's old value,
/// and the other lanes get 0. If nothing is added, all lanes get 0.
///
/// The addition takes as long as a read of global memory. The thread waits only when it uses the result. Two details avoid an early use.
/// First, the addition has a predicate and no branch. With a branch, the result would be moved to the register that holds 0 if nothing is
/// added, and this move would use the result at once. Second, the summand is computed from the lane, and is 1 on the first lane. If the
/// summand were a constant, `ptxas` would add up the lanes' summands, and then distribute the result.
///
/// # Safety
/// `word` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn increment_word_if(word: *mut u64, increments: bool) -> u64 {
    let before: u64;
    let lane = super::lane();
    // SAFETY: `word` is in global memory, aligned and writable (condition of this function), so `cvta` is valid.
    unsafe {
        ptx!(
            increment_word_if: "{{ .reg .pred %p; .reg .u64 %g; .reg .u64 %one; cvta.to.global.u64 %g, {word};",
            "setp.ne.u32 %p, {increments}, 0; mov.u64 {before}, 0; sub.u64 %one, 1, {lane};",
            "@%p atom.relaxed.gpu.global.add.u64 {before}, [%g], %one; }}",
            word = in(reg64) word,
            increments = in(reg32) (increments && lane == 0) as u32,
            lane = in(reg64) lane as u64,
            before = out(reg64) before,
            options(nostack),
        );
    }
    before
}

/// Adds 1 to `counter`, and returns its old value. Releases this thread's earlier accesses, and acquires the accesses that earlier callers
/// released, at GPU scope.
///
/// # Safety
/// `counter` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn arrive(counter: *mut u32) -> u32 {
    let before: u32;
    // SAFETY: `counter` is in global memory, aligned and writable (condition of this function), so `cvta` is valid.
    unsafe {
        ptx!(
            arrive: "{{ .reg .u64 %g; cvta.to.global.u64 %g, {counter};",
            "atom.acq_rel.gpu.global.add.u32 {before}, [%g], 1; }}",
            counter = in(reg64) counter,
            before = out(reg32) before,
            options(nostack),
        );
    }
    before
}

/// Defines [`load_rows`] from a list of the words that it loads: each word's bit in `wanted`, its base, and its distance from the base in
/// bytes.
macro_rules! load_rows_at_once {
    ($($bit:literal: $word:ident = $base:literal + $offset:literal,)*) => {
        /// Loads up to 32 words in three rows: 16 words from `first` on, 8 words from `second` on, and 8 words from `third` on. Each word
        /// of a row lies 32 words after the previous word. Each load is like [`load_word`]. Only the words whose bits are set in `wanted`
        /// are loaded. In the result, the other words are 0.
        ///
        /// # Safety
        /// The conditions of [`load_word`], for each word that is wanted.
        #[inline(always)]
        pub unsafe fn load_rows(
            first: *const u64,
            second: *const u64,
            third: *const u64,
            wanted: u32,
        ) -> [u64; 32] {
            $(let $word: u64;)*
            // SAFETY: each word that is wanted is in global memory, aligned and readable (condition of this function). Other words are not
            // accessed.
            unsafe {
                ptx!(
                    load_rows: "{{ .reg .pred %p; .reg .b32 %b; .reg .u64 %first; .reg .u64 %second; .reg .u64 %third;",
                    "cvta.to.global.u64 %first, {first}; cvta.to.global.u64 %second, {second}; cvta.to.global.u64 %third, {third};",
                    $(concat!(
                        "mov.u64 {", stringify!($word), "}, 0;",
                        "and.b32 %b, {wanted}, ", $bit, "; setp.ne.u32 %p, %b, 0;",
                        "@%p ld.relaxed.gpu.global.b64 {", stringify!($word), "}, [%", $base, "+", $offset, "];",
                    ),)*
                    // The text begins with a space, because `warpfold_ptx` takes a line of a single brace for the end of a function.
                    " }}",
                    first = in(reg64) first,
                    second = in(reg64) second,
                    third = in(reg64) third,
                    wanted = in(reg32) wanted,
                    $($word = out(reg64) $word,)*
                    options(nostack),
                );
            }
            [$($word),*]
        }
    };
}

load_rows_at_once! {
    1: a0 = "first" + 0,
    2: a1 = "first" + 256,
    4: a2 = "first" + 512,
    8: a3 = "first" + 768,
    16: a4 = "first" + 1024,
    32: a5 = "first" + 1280,
    64: a6 = "first" + 1536,
    128: a7 = "first" + 1792,
    256: a8 = "first" + 2048,
    512: a9 = "first" + 2304,
    1024: a10 = "first" + 2560,
    2048: a11 = "first" + 2816,
    4096: a12 = "first" + 3072,
    8192: a13 = "first" + 3328,
    16384: a14 = "first" + 3584,
    32768: a15 = "first" + 3840,
    65536: b0 = "second" + 0,
    131072: b1 = "second" + 256,
    262144: b2 = "second" + 512,
    524288: b3 = "second" + 768,
    1048576: b4 = "second" + 1024,
    2097152: b5 = "second" + 1280,
    4194304: b6 = "second" + 1536,
    8388608: b7 = "second" + 1792,
    16777216: c0 = "third" + 0,
    33554432: c1 = "third" + 256,
    67108864: c2 = "third" + 512,
    134217728: c3 = "third" + 768,
    268435456: c4 = "third" + 1024,
    536870912: c5 = "third" + 1280,
    1073741824: c6 = "third" + 1536,
    2147483648: c7 = "third" + 1792,
}
