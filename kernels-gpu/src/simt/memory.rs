//! Memory: vector accesses and copies to shared memory.
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

/// The number, behind an optimisation barrier for rustc alone. So values computed from it are computed here, and are not moved before a
/// branch.
#[inline(always)]
pub fn late(number: u32) -> u32 {
    let same: u32;
    // SAFETY: sets a register.
    unsafe {
        ptx!(late: "mov.u32 {same}, {number};", number = in(reg32) number, same = out(reg32) same, options(nostack));
    }
    same
}

/// 0 in the text as it is; all bits in the text that the host makes of it for scans that go backward. See
/// [`crate::direction::Direction`].
#[inline(always)]
pub fn direction_mask() -> u64 {
    let mask: u64;
    // SAFETY: sets a register.
    unsafe {
        ptx!(
            direction_mask: "{{ .reg .b64 %direction; mov.b64 %direction, 0; mov.b64 {mask}, %direction; }}",
            mask = out(reg64) mask,
            options(pure, nomem, nostack),
        );
    }
    mask
}

/// Whether a number is set in the text: 0 in the text as it is, in a register of this name. The host makes texts in which it is 1.
macro_rules! is_set_in_text {
    ($name:ident: $register:literal) => {{
        let number: u32;
        // SAFETY: sets a register.
        unsafe {
            ptx!(
                $name: concat!(
                    "{{ .reg .b32 ", $register, "; mov.b32 ", $register, ", 0; mov.b32 {number}, ", $register, "; }}"
                ),
                number = out(reg32) number,
                options(pure, nomem, nostack),
            );
        }
        number != 0
    }};
}

/// Whether copies are synchronous. In this text they are not. In the text that the host makes from it for devices without asynchronous
/// copies, they are. The place that is copied to must be free then.
#[inline(always)]
pub fn copies_at_once() -> bool {
    is_set_in_text!(copies_at_once: "%at_once")
}

/// Whether results that are indices are written as 32 bits: not in the text as it is, but in the text that the host makes of it for these.
#[inline(always)]
pub fn writes_short_indices() -> bool {
    is_set_in_text!(writes_short_indices: "%short")
}

/// Waits until the work before the launch on its stream is done. From then on, reads see what that work wrote. A launch that may begin
/// earlier ([`Start::Early`]) accesses no global memory before.
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
/// Stable rustc does not know that the address is in shared memory. The compiler could merge a plain read with a read of global memory in
/// another branch, to one read of an address in either memory. So it is volatile there, and `warpfold-build` removes that again.
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
