//! Memory: vector accesses, copies to shared memory, and the words that blocks share.
//!
//! All of it is `asm!`, which both compilers take: the compilers' own accesses have the wrong scope (`.sys`), the wrong
//! order (none, for read-modify-write) or no cache hint. Nothing here has to be convergent.

use crate::launch::Start;

use super::START;

/// 1, behind an optimisation barrier. A loop that advances by it is not unrolled: rustc cannot count its turns, and the pragma
/// forbids it to `ptxas`. Called at the loop's head. Rarely run loops, unrolled, took half of the time that a first call waits
/// for `ptxas`.
#[inline(always)]
pub fn opaque_one() -> usize {
    let one: u64;
    // SAFETY: sets a register.
    unsafe {
        ptx!(opaque_one: ".pragma \"nounroll\"; mov.u64 {one}, 1;", one = out(reg64) one, options(nostack));
    }
    one as usize
}

/// 1, behind an optimisation barrier for rustc alone: a loop that advances by it is short in the text, and `ptxas` may unroll it.
#[inline(always)]
pub fn late_one() -> u32 {
    let one: u32;
    // SAFETY: sets a register.
    unsafe {
        ptx!(late_one: "mov.u32 {one}, 1;", one = out(reg32) one, options(nostack));
    }
    one
}

/// Waits until the work before the launch on its stream is done, and can then read what that work wrote. A launch that may
/// begin earlier ([`Start::Early`]) accesses no global memory before.
#[inline(always)]
pub fn await_work_before() {
    if START == Start::Early {
        // SAFETY: waits.
        unsafe { ptx!(await_work_before: "griddepcontrol.wait;", options(nostack)) }
    }
}

/// Bytes of the block's shared memory that the launch asked for.
#[inline(always)]
pub fn shared_bytes() -> u32 {
    let bytes: u32;
    // SAFETY: reads a special register.
    unsafe {
        ptx!(shared_bytes: "mov.u32 {bytes}, %dynamic_smem_size;", bytes = out(reg32) bytes, options(pure, nomem, nostack));
    }
    bytes
}

/// Loads 16 bytes from an address in global memory with this instruction.
macro_rules! load_vector_by {
    ($name:ident: $instruction:literal, $address:expr) => {{
        let (a, b, c, d): (u32, u32, u32, u32);
        // The address is global, so its generic form converts.
        ptx!(
            $name: "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            concat!($instruction, " {{{a}, {b}, {c}, {d}}}, [%g]; }}"),
            address = in(reg64) $address,
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            options(nostack, readonly),
        );
        [a, b, c, d]
    }};
}

/// Loads 16 bytes, which stay in the caches.
///
/// # Safety
/// `address` is in global memory, aligned to 16 bytes, readable, and no other thread writes there.
#[inline(always)]
pub unsafe fn load_vector(address: *const u32) -> [u32; 4] {
    // SAFETY: the caller's.
    unsafe { load_vector_by!(load_vector: "ld.global.v4.b32", address) }
}

/// Loads 16 bytes with L1 no-allocate, for inputs that are larger than the caches.
///
/// # Safety
/// The same as for [`load_vector`].
#[inline(always)]
pub unsafe fn load_vector_past_l1(address: *const u32) -> [u32; 4] {
    // SAFETY: the caller's.
    unsafe { load_vector_by!(load_vector_past_l1: "ld.global.L1::no_allocate.v4.b32", address) }
}

/// Stores 16 bytes.
///
/// # Safety
/// `address` is in global memory, aligned to 16 bytes, writable, and no other thread reads or writes there.
#[inline(always)]
pub unsafe fn store_vector(address: *mut u32, words: [u32; 4]) {
    let [a, b, c, d] = words;
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        ptx!(
            store_vector: "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "st.global.v4.b32 [%g], {{{a}, {b}, {c}, {d}}}; }}",
            address = in(reg64) address,
            a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
            options(nostack),
        );
    }
}

/// In which order the L2 cache gives up lines that were read: an *eviction policy* of PTX.
#[derive(Clone, Copy)]
pub struct EvictionPolicy(u64);

impl EvictionPolicy {
    /// Whether policies are used. PTX has them from compute capability 8.0 on; they were measured on 9.0.
    const ARE_USED: bool = matches!(START, Start::Early);

    /// After all others, if `last`, else as they come. Made anew wherever it is asked for: to keep it would take registers.
    #[inline(always)]
    pub fn new(last: bool) -> Self {
        let mut policy = 0;
        if Self::ARE_USED {
            // SAFETY: makes a value.
            unsafe {
                ptx!(
                    eviction_policy: "{{ .reg .pred %p; .reg .b64 %n, %l; setp.ne.u32 %p, {last}, 0;",
                    "createpolicy.fractional.L2::evict_normal.b64 %n, 1.0;",
                    "createpolicy.fractional.L2::evict_last.b64 %l, 1.0;",
                    "selp.b64 {policy}, %l, %n, %p; }}",
                    last = in(reg32) last as u32,
                    policy = out(reg64) policy,
                    options(nomem, nostack),
                );
            }
        }
        EvictionPolicy(policy)
    }
}

/// Begins to copy from an address in global memory (`%g`) to one in shared memory (`%s`) with this instruction, whose further
/// operands follow.
macro_rules! begin_copy_by {
    ($name:ident: $instruction:literal, $to:expr, $from:expr, $($operands:tt)*) => {
        // The addresses convert to their spaces.
        ptx!(
            $name: "{{ .reg .u64 %g, %s; cvta.to.global.u64 %g, {from}; cvta.to.shared.u64 %s, {to};",
            concat!($instruction, " }}"),
            from = in(reg64) $from,
            to = in(reg64) $to,
            $($operands)*
            options(nostack),
        )
    };
}

/// Begins to copy 16 bytes from global to shared memory; done after [`await_copies`]. The lines are read by a policy, where
/// there are any.
///
/// # Safety
/// `to` is in shared memory and `from` in global memory, both aligned to 16 bytes; `from` is readable and nobody
/// writes there, and nobody but this thread uses `to`, before the copy is done.
#[inline(always)]
pub unsafe fn begin_copy_vector(to: *mut u32, from: *const u32, policy: EvictionPolicy) {
    // SAFETY: the caller's.
    unsafe {
        if EvictionPolicy::ARE_USED {
            begin_copy_by!(
                begin_copy_vector_by_policy: "cp.async.cg.shared.global.L2::cache_hint [%s], [%g], 16, {policy};",
                to,
                from,
                policy = in(reg64) policy.0,
            );
            return;
        }
        begin_copy_by!(begin_copy_vector: "cp.async.cg.shared.global [%s], [%g], 16;", to, from,);
    }
}

/// The smallest item that [`begin_copy_item`] copies.
pub const LEAST_COPY_BYTES: usize = 4;

/// Begins to copy an item of 4, 8 or 16 bytes from global to shared memory; done after [`await_copies`].
///
/// # Safety
/// As for [`begin_copy_vector`], with the alignment of the item.
#[inline(always)]
pub unsafe fn begin_copy_item<T>(to: *mut T, from: *const T) {
    // SAFETY: the caller's.
    unsafe {
        begin_copy_by!(
            begin_copy_item: "cp.async.ca.shared.global [%s], [%g], {bytes};",
            to,
            from,
            bytes = const size_of::<T>(),
        );
    }
}

/// Reads a value of shared memory that is no vector.
///
/// Stable rustc does not know that the address is in shared memory. A plain read could become one with a read of global memory
/// in another branch, of an address that may be in either: so it is volatile there, which `warpfold-build` takes back.
///
/// # Safety
/// `address` is in shared memory, aligned, and written.
#[inline(always)]
pub unsafe fn read_shared<T: Copy>(address: *const T) -> T {
    // SAFETY: the caller's.
    unsafe {
        if cfg!(all(feature = "stable", not(feature = "cuda_std"))) {
            address.read_volatile()
        } else {
            address.read()
        }
    }
}

/// Reads 16 bytes of shared memory.
///
/// # Safety
/// `address` is in shared memory, aligned to 16 bytes, and written.
#[inline(always)]
pub unsafe fn read_vector(address: *const u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's; the address converts to its space. A plain read might be repeated in part.
    unsafe {
        ptx!(
            read_vector: "{{ .reg .u64 %s; cvta.to.shared.u64 %s, {address};",
            "ld.shared.v4.b32 {{{a}, {b}, {c}, {d}}}, [%s]; }}",
            address = in(reg64) address,
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            options(nostack, readonly),
        );
    }
    [a, b, c, d]
}

/// Reads 16 bytes of shared memory, `offset` bytes after `base`: the address is computed in 32 bits.
///
/// # Safety
/// `base` is in shared memory, and so is the address, which is aligned to 16 bytes, and written.
#[inline(always)]
pub unsafe fn read_vector_at(base: *const u8, offset: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's; the address converts to its space, which is smaller than 32 bits can say.
    unsafe {
        ptx!(
            read_vector_at: "{{ .reg .u64 %s; .reg .b32 %a; cvta.to.shared.u64 %s, {base}; cvt.u32.u64 %a, %s;",
            "add.u32 %a, %a, {offset}; ld.shared.v4.b32 {{{a}, {b}, {c}, {d}}}, [%a]; }}",
            base = in(reg64) base,
            offset = in(reg32) offset,
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            options(nostack, readonly),
        );
    }
    [a, b, c, d]
}

/// Writes 16 bytes of shared memory.
///
/// # Safety
/// `address` is in shared memory, aligned to 16 bytes.
#[inline(always)]
pub unsafe fn write_vector(address: *mut u32, words: [u32; 4]) {
    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    struct Aligned([u32; 4]);
    // SAFETY: the caller's.
    unsafe { address.cast::<Aligned>().write(Aligned(words)) }
}

/// Waits until this thread's copies to shared memory are done; it may then read what they wrote.
#[inline(always)]
pub fn await_copies() {
    // SAFETY: waits.
    unsafe { ptx!(await_copies: "cp.async.wait_all;", options(nostack)) }
}

/// Reads a 64-bit word that other blocks may be writing: relaxed, GPU scope.
///
/// # Safety
/// `address` is in global memory, aligned and readable.
#[inline(always)]
pub unsafe fn load_word(address: *const u64) -> u64 {
    let word: u64;
    // SAFETY: the caller's; the address is global, so its generic form converts.
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

/// A function that loads words as [`load_word`] does, all at once. One that is not wanted is 0.
///
/// One `asm!` for all: of several, what is done with the words of one would come before the loads of the next.
macro_rules! load_at_once {
    (
        $(#[$doc:meta])* $name:ident -> $result:ty { $value:expr }
        $($bit:literal: $word:ident = $base:literal + $offset:literal,)*
    ) => {
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name(first: *const u64, other: *const u64, wanted: u32) -> $result {
            $(let $word: u64;)*
            // SAFETY: the caller's; the addresses are global, so their generic form converts.
            unsafe {
                ptx!(
                    $name: "{{ .reg .pred %p; .reg .b32 %b; .reg .u64 %first; .reg .u64 %other;",
                    "cvta.to.global.u64 %first, {first}; cvta.to.global.u64 %other, {other};",
                    $(concat!(
                        "mov.u64 {", stringify!($word), "}, 0;",
                        "and.b32 %b, {wanted}, ", $bit, "; setp.ne.u32 %p, %b, 0;",
                        "@%p ld.relaxed.gpu.global.b64 {", stringify!($word), "}, [%", $base, "+", $offset, "];",
                    ),)*
                    // Not at a line's beginning, where it would end a function.
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
    /// Loads the word at `first`, seven words before it, each 32 words from the next, and the word at `other`: those whose bits are set in
    /// `wanted`.
    ///
    /// # Safety
    /// The same as for [`load_word`], for those that are wanted.
    load_words_apart -> [u64; 9] { [a, b, c, d, e, f, g, h, i] }
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
    /// [`load_words_apart`] for pairs of words.
    ///
    /// # Safety
    /// The same as for [`load_word`], for those that are wanted.
    load_pairs_apart -> [[u64; 2]; 9] {
        [[a, aa], [b, bb], [c, cc], [d, dd], [e, ee], [f, ff], [g, gg], [h, hh], [i, ii]]
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
    // SAFETY: the caller's; the address is global, so its generic form converts.
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

/// Writes a word of shared memory in one atomic step: relaxed, block scope.
///
/// # Safety
/// `address` is in shared memory and aligned.
#[inline(always)]
pub unsafe fn store_shared_atomically(address: *mut u32, word: u32) {
    // SAFETY: the caller's; the address converts to its space.
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

/// Sets bits of a word of shared memory in one atomic step: relaxed, block scope.
///
/// # Safety
/// `address` is in shared memory and aligned.
#[inline(always)]
pub unsafe fn or_shared(address: *mut u32, bits: u32) {
    // SAFETY: the caller's; the address converts to its space.
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

/// On a warp's first lane, if `increments`, adds 1 to a 64-bit word: relaxed, GPU scope. Gives the value before on that lane;
/// on others, and without the addition, 0.
///
/// It takes as long as a read of global memory, and a thread goes on until it uses the value. So that nothing uses it early,
/// the choice is a predicate, since a branch's two values would meet in a register at once; and 1 is computed from the lane,
/// since `ptxas` adds up equal additions of a warp's lanes and then hands the sum round.
///
/// # Safety
/// `word` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn increment_word_if(word: *mut u64, increments: bool) -> u64 {
    let before: u64;
    let lane = super::lane();
    // SAFETY: the caller's; the address is global, so its generic form converts.
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

/// Adds 1 and gives the value before: releases what this thread did so far, acquires what earlier callers
/// released, GPU scope.
///
/// # Safety
/// `counter` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn arrive(counter: *mut u32) -> u32 {
    let before: u32;
    // SAFETY: the caller's; the address is global, so its generic form converts.
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
