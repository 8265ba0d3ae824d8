//! PTX that launches grids, for tests.

pub const NULL_STREAM: u64 = 0;
pub const TAIL_LAUNCH: u64 = 3;
pub const FIRE_AND_FORGET: u64 = 4;

/// The start of every text: the two functions that launch grids, and three kernels. The kernel `set` writes `p1` to the 8 bytes at `p0`.
/// The kernel `raise` adds `p1` to the number at `p0`. The kernel `look` copies the number at `p0` to the next 8 bytes.
const START: &str = "
.version 8.0 .target sm_80 .address_size 64
.extern .func (.param .b64 func_retval0) cudaGetParameterBufferV2 (.param .b64 a,
    .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 func_retval0) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);
.visible .entry set(.param .u64 p0, .param .u64 p1) { .reg .b64 %d<9>;
    ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1]; st.global.u64 [%d1], %d2; ret; }
.visible .entry raise(.param .u64 p0, .param .u64 p1) { .reg .b64 %d<9>;
    ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1]; ld.global.u64 %d3, [%d1];
    add.u64 %d3, %d3, %d2; st.global.u64 [%d1], %d3; ret; }
.visible .entry look(.param .u64 p0, .param .u64 p1) { .reg .b64 %d<9>;
    ld.param.u64 %d1, [p0]; ld.global.u64 %d3, [%d1]; st.global.u64 [%d1+8], %d3; ret; }
";

/// A text with a kernel `k` of the parameters `p0` (in `%d1`) and `p1` (in `%d2`).
pub fn text(body: &str) -> String {
    format!(
        "{START} .visible .entry k(.param .u64 p0, .param .u64 p1) {{ .reg .pred %p<9>; \
         .reg .b32 %r<40>; .reg .b64 %d<40>; ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1];\n\
         {body}\n ret; }}"
    )
}

/// Makes a parameter buffer for a grid of `grid` blocks of `block` threads. The buffer's address is in `%d31`. `%p8` is true if there is a
/// buffer.
pub fn buffer(kernel: &str, grid: u32, block: u32) -> String {
    format!(
        "{{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; \
         .param .b64 r; mov.u64 %d30, {kernel}; st.param.b64 [f], %d30; \
         st.param.b32 [g], {grid}; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; \
         st.param.b32 [b], {block}; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; \
         st.param.b32 [s], 0; call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); \
         ld.param.b64 %d31, [r]; }} setp.ne.u64 %p8, %d31, 0;\n"
    )
}

/// Launches the grid whose parameters are in the buffer at `%d31`. The error code is in `%r30`.
pub fn start(stream: u64) -> String {
    format!(
        "{{ .param .b64 q; .param .b64 t; .param .b32 e; st.param.b64 [q], %d31; \
         st.param.b64 [t], {stream}; call.uni (e), cudaLaunchDeviceV2, (q, t); \
         ld.param.b32 %r30, [e]; }}\n"
    )
}

/// Launches one block of one thread with the parameters `%d1` and a number.
pub fn launch(kernel: &str, number: &str, stream: u64) -> String {
    let store =
        format!("@%p8 st.u64 [%d31], %d1; mov.u64 %d32, {number}; @%p8 st.u64 [%d31+8], %d32;\n");
    buffer(kernel, 1, 1) + &store + &start(stream)
}

/// The kernel counts its runs. If its parameter `%d2` is not zero, the kernel launches itself, with a parameter that is smaller by one.
pub fn again(stream: u64) -> String {
    let count = "red.relaxed.gpu.global.add.u64 [%d1], 1; setp.eq.u64 %p1, %d2, 0; @%p1 ret; \
                 sub.u64 %d3, %d2, 1;";
    let refused = "setp.eq.u32 %p2, %r30, 0; @%p2 ret; cvt.u64.u32 %d4, %r30; \
                   st.global.u64 [%d1+8], %d4;";
    count.to_owned() + &launch("k", "%d3", stream) + refused
}
