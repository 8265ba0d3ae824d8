//! Atomic operations on a 32-bit word that threads share, in global or in shared memory.
//!
//! Any threads call them, each for itself, with an item's bits ([`f32::to_bits`]). They do not give the old value. They are relaxed: read
//! the word after a barrier, or after the end of the launch. Those in global memory are atomic among all threads of the device, those in
//! shared memory among the block's.
//!
//! Sums of floats depend on the order in which threads come, and so do their bits. Not promised: subnormal sums in global
//! memory, which hardware flushes to zero.

macro_rules! operations {
    ($($name:ident: $operation:literal on $address:literal in $space:literal;)*) => {$(
        #[doc = concat!("`", $operation, "` of the word at `address` in ", $space, " memory and `bits`.")]
        ///
        /// # Safety
        /// `address` is in that memory, aligned and writable.
        #[inline(always)]
        pub unsafe fn $name(address: *mut u32, bits: u32) {
            // SAFETY: the caller's; the address converts to its space.
            unsafe {
                ptx!(
                    $name: concat!("{{ .reg .u64 %a; cvta.to.", $space, ".u64 %a, {address};"),
                    concat!("red.relaxed.", $address, ".", $operation, " [%a], {bits}; }}"),
                    address = in(reg64) address,
                    bits = in(reg32) bits,
                    options(nostack),
                );
            }
        }
    )*};
}

operations! {
    global_add_u32: "add.u32" on "gpu.global" in "global";
    global_add_f32: "add.f32" on "gpu.global" in "global";
    global_max_u32: "max.u32" on "gpu.global" in "global";
    global_max_i32: "max.s32" on "gpu.global" in "global";
    global_min_u32: "min.u32" on "gpu.global" in "global";
    shared_add_u32: "add.u32" on "cta.shared" in "shared";
    shared_add_f32: "add.f32" on "cta.shared" in "shared";
    shared_max_u32: "max.u32" on "cta.shared" in "shared";
    shared_max_i32: "max.s32" on "cta.shared" in "shared";
    shared_min_u32: "min.u32" on "cta.shared" in "shared";
}
