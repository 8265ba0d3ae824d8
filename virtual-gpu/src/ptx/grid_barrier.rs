//! The barrier of a whole grid, for cooperative launches: two functions of the device runtime, in PTX. They are linked with a text that
//! calls them.
//!
//! The first thread of each block raises a count. The thread that completes the count resets it and advances the generation. The first
//! threads of the other blocks wait for the new generation. The count and the generation are the two words of the grid's workspace. The
//! parameter `handle` is the address of the workspace.

use super::link::link;
use std::borrow::Cow;

const CALLS: [&str; 2] = ["cudaCGSynchronize", "cudaCGGetIntrinsicHandle"];

const TEXT: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .b32 %r<3>;
    .reg .b64 %d;
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    mov.b64 %d, {%r2, %r1};
    st.param.b64 [handle], %d;
    ret;
}
.visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p<3>;
    .reg .b32 %r<10>;
    .reg .b64 %d;
    ld.param.b64 %d, [handle];
    bar.sync 0;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra PASSED;
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %nctaid.y;
    mov.u32 %r3, %nctaid.z;
    mul.lo.u32 %r1, %r1, %r2;
    mul.lo.u32 %r1, %r1, %r3;
    ld.relaxed.gpu.global.u32 %r4, [%d+4];
    atom.acq_rel.gpu.global.add.u32 %r5, [%d], 1;
    add.u32 %r5, %r5, 1;
    setp.ne.u32 %p1, %r5, %r1;
    @%p1 bra WAIT;
    st.relaxed.gpu.global.u32 [%d], 0;
    red.release.gpu.global.add.u32 [%d+4], 1;
    bra PASSED;
WAIT:
    ld.acquire.gpu.global.u32 %r6, [%d+4];
    setp.eq.u32 %p2, %r6, %r4;
    @%p2 bra WAIT;
PASSED:
    bar.sync 0;
    mov.u32 %r7, 0;
    st.param.b32 [result], %r7;
    ret;
}
";

/// The text, linked with the two functions if it names one of them. The lines of the text keep their numbers.
pub(crate) fn with_grid_barrier(text: &str) -> Cow<'_, str> {
    let is_called = CALLS.iter().any(|call| text.contains(call));
    match is_called.then(|| link(&[text, TEXT])) {
        // Linking fails if the text itself has a visible definition of one of the two functions. Then the text stays as it is.
        None | Some(Err(_)) => Cow::Borrowed(text),
        Some(Ok(linked)) => Cow::Owned(linked),
    }
}
