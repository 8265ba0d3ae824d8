//! Memory: vector accesses and copies to shared memory.
//!
//! Most accesses are written in PTX (by `ptx!`), which is the same for every compiler. A compiler's own accesses have no cache hints, and
//! the compiler may repeat a part of such an access. No function here has to be convergent.

use crate::launch::{Copies, Start};

use super::{COPIES, START};

/// The number 1, behind an optimisation barrier. A loop that advances by this number is not unrolled: rustc cannot count the iterations,
/// and the pragma forbids `ptxas` to unroll the loop. Call this function at the head of the loop. Loops that rarely run took half of
/// `ptxas`'s time when they were unrolled, and a program's first call waits for `ptxas`.
#[inline(always)]
pub fn opaque_one() -> usize {
    let one: u64;
    // SAFETY: the instructions only write a register.
    unsafe {
        ptx!(opaque_one: ".pragma \"nounroll\"; mov.u64 {one}, 1;", one = out(reg64) one, options(nostack));
    }
    one as usize
}

/// The number 1, behind an optimisation barrier for rustc alone. rustc does not unroll a loop that advances by this number, so the loop's
/// PTX is short. `ptxas` may unroll the loop.
#[inline(always)]
pub fn late_one() -> u32 {
    let one: u32;
    // SAFETY: the instructions only write a register.
    unsafe {
        ptx!(late_one: "mov.u32 {one}, 1;", one = out(reg32) one, options(nostack));
    }
    one
}

/// The direction's mask: 0 in the PTX as it is compiled, and all bits set in the PTX that the host makes for backward scans. See
/// [`crate::direction::Direction`].
#[inline(always)]
pub fn direction_mask() -> u64 {
    let mask: u64;
    // SAFETY: the instructions only write a register.
    unsafe {
        ptx!(
            direction_mask: "{{ .reg .b64 %direction; mov.b64 %direction, 0; mov.b64 {mask}, %direction; }}",
            mask = out(reg64) mask,
            options(pure, nomem, nostack),
        );
    }
    mask
}

/// Reads a flag from the register `$register`. The flag is 0 in the PTX as it is compiled. The host makes other PTX in which the flag is 1.
macro_rules! is_set_in_text {
    ($name:ident: $register:literal) => {{
        let number: u32;
        // SAFETY: the instructions only write a register.
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

/// Whether copies are synchronous: false in the PTX as it is compiled, true in the PTX that the host makes for devices without asynchronous
/// copies.
#[inline(always)]
pub fn copies_at_once() -> bool {
    is_set_in_text!(copies_at_once: "%at_once")
}

/// Whether indices are written as 32 bits: false in the PTX as it is compiled, true in the PTX that the host makes for 32-bit results.
#[inline(always)]
pub fn writes_short_indices() -> bool {
    is_set_in_text!(writes_short_indices: "%short")
}

/// Whether a scan or a reduction by key compares keys. In the PTX as it is compiled, this is false: the kernel reads the heads that an
/// earlier launch has marked. The host makes other PTX in which this is true: the kernel reads keys and compares them.
#[inline(always)]
pub fn compares_keys() -> bool {
    is_set_in_text!(compares_keys: "%keyed")
}

/// Waits until all earlier work of the launch's stream is done. Later reads see that work's writes. A launch that may begin early
/// ([`Start::Early`]) accesses no global memory before this call.
#[inline(always)]
pub fn await_work_before() {
    if START == Start::Early {
        // SAFETY: the instruction only waits.
        unsafe { ptx!(await_work_before: "griddepcontrol.wait;", options(nostack)) }
    }
}

/// Bytes of dynamic shared memory of the block.
#[inline(always)]
pub fn shared_bytes() -> u32 {
    let bytes: u32;
    // SAFETY: the instruction reads a special register.
    unsafe {
        ptx!(shared_bytes: "mov.u32 {bytes}, %dynamic_smem_size;", bytes = out(reg32) bytes, options(pure, nomem, nostack));
    }
    bytes
}

/// Loads 16 bytes from an address in global memory, by the given instruction.
macro_rules! load_vector_by {
    ($name:ident: $instruction:literal, $address:expr) => {{
        let (a, b, c, d): (u32, u32, u32, u32);
        // `cvta` is valid: the generic address is in global memory.
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

/// Loads 16 bytes, with the default caching.
///
/// # Safety
/// - `address` is in global memory, and aligned to 16 bytes.
/// - The 16 bytes there are readable, and no other thread writes them.
#[inline(always)]
pub unsafe fn load_vector(address: *const u32) -> [u32; 4] {
    // SAFETY: `address` is in global memory, aligned and readable, and no other thread writes there (conditions of this function).
    unsafe { load_vector_by!(load_vector: "ld.global.v4.b32", address) }
}

/// Loads 16 bytes, with the cache hint `L1::no_allocate`.
///
/// # Safety
/// The same as for [`load_vector`].
#[inline(always)]
pub unsafe fn load_vector_past_l1(address: *const u32) -> [u32; 4] {
    // SAFETY: the conditions of `load_vector` hold (condition of this function).
    unsafe { load_vector_by!(load_vector_past_l1: "ld.global.L1::no_allocate.v4.b32", address) }
}

/// Stores 16 bytes.
///
/// # Safety
/// - `address` is in global memory, and aligned to 16 bytes.
/// - The 16 bytes there are writable, and no other thread reads or writes them.
#[inline(always)]
pub unsafe fn store_vector(address: *mut u32, words: [u32; 4]) {
    let [a, b, c, d] = words;
    // SAFETY: `address` is in global memory, aligned, writable and this thread's (conditions of this function). So `cvta` is valid.
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

/// An *eviction policy* of PTX: how soon the L2 cache evicts the lines that were read.
#[derive(Clone, Copy)]
pub struct EvictionPolicy(u64);

impl EvictionPolicy {
    /// Whether policies are used: from compute capability 9.0 on, since no lower capability was measured. PTX has policies from 8.0 on.
    const ARE_USED: bool = matches!(START, Start::Early);

    /// `evict_last` if `last`, else `evict_normal`. Call this function at each use: a kept policy would take registers.
    #[inline(always)]
    pub fn new(last: bool) -> Self {
        let mut policy = 0;
        if Self::ARE_USED {
            // SAFETY: the instructions only write a register.
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

/// Begins to copy from an address in global memory (`%g`) to an address in shared memory (`%s`). The caller gives the instruction and its
/// other operands.
macro_rules! begin_copy_by {
    ($name:ident: $instruction:literal, $to:expr, $from:expr, $($operands:tt)*) => {
        // `cvta` is valid: each generic address is in its space.
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

/// Begins to copy 16 bytes from global to shared memory. The copy is done after [`await_copies`]. If eviction policies are used, the
/// copy has `policy`.
///
/// # Safety
/// - `to` is in shared memory and `from` in global memory, both aligned to 16 bytes.
/// - The 16 bytes at `from` are readable, and nobody writes them before the copy is done.
/// - Nobody but this thread uses the 16 bytes at `to` before the copy is done.
#[inline(always)]
pub unsafe fn begin_copy_vector(to: *mut u32, from: *const u32, policy: EvictionPolicy) {
    // SAFETY: both addresses are in their spaces and aligned, `from` is readable, and `to` is this thread's (conditions of this function).
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

/// Bytes of the smallest item that [`begin_copy_item`] copies.
pub const LEAST_COPY_BYTES: usize = 4;

/// Begins to copy 16 bytes from global memory to the place in shared memory that is `offset` bytes after `base`. The shared address is
/// computed in 32 bits. The copy bypasses the L1 cache, and is done after [`await_copies`].
///
/// # Safety
/// The conditions of [`begin_copy_vector`], where `to` is `offset` bytes after `base`. `base` is in shared memory too.
#[inline(always)]
pub unsafe fn begin_copy_vector_at(base: *mut u8, offset: u32, from: *const u32) {
    // SAFETY: `from` is readable global memory. The 16 bytes at the offset are in shared memory, and only this thread uses them. Both
    // places are aligned (conditions of this function). So `cvta` is valid. Offsets within shared memory fit into 32 bits.
    unsafe {
        ptx!(
            begin_copy_vector_at: "{{ .reg .u64 %g, %s; .reg .b32 %a; cvta.to.global.u64 %g, {from}; cvta.to.shared.u64 %s, {base};",
            "cvt.u32.u64 %a, %s; add.u32 %a, %a, {offset}; cvt.u64.u32 %s, %a; cp.async.cg.shared.global [%s], [%g], 16; }}",
            from = in(reg64) from,
            base = in(reg64) base,
            offset = in(reg32) offset,
            options(nostack),
        );
    }
}

/// Begins to copy an item of 4, 8 or 16 bytes from global to shared memory. The copy is done after [`await_copies`].
///
/// # Safety
/// The conditions of [`begin_copy_vector`], with the size of an item in place of 16 bytes. Both addresses are multiples of this size.
#[inline(always)]
pub unsafe fn begin_copy_item<T>(to: *mut T, from: *const T) {
    // SAFETY: as in `begin_copy_vector`, for the item's bytes (condition of this function).
    unsafe {
        begin_copy_by!(
            begin_copy_item: "cp.async.ca.shared.global [%s], [%g], {bytes};",
            to,
            from,
            bytes = const size_of::<T>(),
        );
    }
}

/// Reads a single value of shared memory.
///
/// Stable rustc does not know that the address is in shared memory. It could merge a plain read with a read of global memory in another
/// branch: the result would be one read from a generic address. So with stable rustc the read is volatile, and `warpfold-build` removes
/// `.volatile` from the PTX.
///
/// # Safety
/// `address` is in shared memory, and aligned. A value has been written there.
#[inline(always)]
pub unsafe fn read_shared<T: Copy>(address: *const T) -> T {
    // SAFETY: `address` is in shared memory, aligned and written (conditions of this function).
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
/// `address` is in shared memory, and aligned to 16 bytes. The 16 bytes there have been written.
#[inline(always)]
pub unsafe fn read_vector(address: *const u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: `address` is in shared memory, aligned and written (conditions of this function), so `cvta` is valid. The read is PTX because
    // the compiler might repeat part of a plain read.
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

/// Reads 16 bytes of shared memory, `offset` bytes after `base`. The address is computed in 32 bits.
///
/// # Safety
/// - `base` is in shared memory.
/// - The 16 bytes that begin `offset` bytes after `base` are in shared memory too, aligned to 16 bytes, and have been written.
#[inline(always)]
pub unsafe fn read_vector_at(base: *const u8, offset: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: `base` and the address are in shared memory, and the bytes are aligned and written (conditions of this function). So `cvta`
    // is valid. Offsets within shared memory fit into 32 bits.
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
/// `address` is in shared memory and aligned to 16 bytes. No other thread uses the 16 bytes there.
#[inline(always)]
pub unsafe fn write_vector(address: *mut u32, words: [u32; 4]) {
    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    struct Aligned([u32; 4]);
    // SAFETY: `address` is aligned for `Aligned`, in shared memory and this thread's (conditions of this function).
    unsafe { address.cast::<Aligned>().write(Aligned(words)) }
}

/// Waits until this thread's copies to shared memory are done. The thread may then read the copied bytes.
#[inline(always)]
pub fn await_copies() {
    // SAFETY: the instruction only waits.
    unsafe { ptx!(await_copies: "cp.async.wait_all;", options(nostack)) }
}

/// Ends a group of copies: the copies that this thread has begun since it ended the group before.
#[inline(always)]
pub fn end_copies() {
    if COPIES == Copies::Asynchronous {
        // SAFETY: the instruction only marks copies.
        unsafe { ptx!(end_copies: "cp.async.commit_group;", options(nostack)) }
    }
}

/// Waits until all [groups](end_copies) of copies of this thread are done, except the group that was ended last.
#[inline(always)]
pub fn await_copies_before_last() {
    if COPIES == Copies::Asynchronous {
        // SAFETY: the instruction only waits.
        unsafe { ptx!(await_copies_before_last: "cp.async.wait_group 1;", options(nostack)) }
    }
}
