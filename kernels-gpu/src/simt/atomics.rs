//! Atomic operations on a 32-bit word that threads share, in global or in shared memory.
//!
//! Any thread may call these functions: they are not convergent. Pass a float as its bits ([`f32::to_bits`]). The functions do not return
//! the old value. Their memory order is relaxed: read a word of shared memory after a barrier, and a word of global memory after the
//! launch. In global memory they are atomic among all threads of the device. In shared memory they are atomic among the threads of the
//! block.
//!
//! The bits of a sum of floats depend on the order of the threads' additions. In global memory, an addition of floats takes a subnormal
//! operand as zero, and writes zero instead of a subnormal sum.

macro_rules! operations {
    ($($name:ident: $operation:literal on $address:literal in $space:literal;)*) => {$(
        #[doc = concat!("`", $operation, "` of the word at `address` in ", $space, " memory and `bits`.")]
        ///
        /// # Safety
        /// `address` is in the function's memory space, aligned and writable.
        #[inline(always)]
        pub unsafe fn $name(address: *mut u32, bits: u32) {
            // SAFETY: `address` is in this memory space, aligned and writable (condition of this function), so `cvta` is valid.
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
