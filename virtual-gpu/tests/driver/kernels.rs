//! Kernels for tests of the driver, in PTX.

use std::ffi::CStr;

/// `increment(p)`: p[0] += 1 by every thread, atomically.
/// `write(p, value)`: p[0] = value.
/// `trap()`: fails.
/// `with_shared()`: uses 16 KiB of static shared memory. Its blocks have at most 512 threads.
pub const PTX: &CStr = cr#"
.version 7.0
.target sm_80
.address_size 64

.global .align 4 .u32 variable = 7;
.shared .align 16 .b8 own[16384];

.visible .entry increment(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    atom.global.add.u32 %r1, [%rd1], 1;
    ret;
}

.visible .entry write(.param .u64 p, .param .u64 value)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [value];
    cvt.u32.u64 %r1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}

.visible .entry trap()
{
    trap;
}

.visible .entry with_shared() .maxntid 512, 1, 1
{
    .reg .b32 %r<2>;
    mov.u32 %r1, own;
    st.shared.u32 [own], %r1;
    ret;
}
"#;

/// `set(p)`: p[i] = i. `get(p, to)`: to[i] = p[i]. In both, i is the index of the thread in the grid. `set_bytes(p)`: p[i] = i, where the
/// elements of p are bytes, and i is the index of the thread in its block.
pub const ROWS: &CStr = cr#"
.version 7.8
.target sm_90
.address_size 64

.visible .entry set(.param .u64 p)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r4;
    ret;
}

.visible .entry get(.param .u64 p, .param .u64 to)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.u32 %r5, [%rd1];
    st.global.u32 [%rd2], %r5;
    ret;
}

.visible .entry set_bytes(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd2, %r1;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u8 [%rd1], %r1;
    ret;
}
"#;

/// `await_and_increment(p)`: p[0] += 1 by every thread, atomically, after the preceding launches.
/// `wait_for_nothing(p)`: p[0] += 1 by every thread, atomically, without a wait.
pub const DEPENDENT: &CStr = cr#"
.version 7.8
.target sm_90
.address_size 64

.visible .entry await_and_increment(.param .u64 p)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    griddepcontrol.wait;
    red.global.add.u32 [%rd1], 1;
    griddepcontrol.launch_dependents;
    ret;
}

.visible .entry wait_for_nothing(.param .u64 p)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    red.global.add.u32 [%rd1], 1;
    ret;
}
"#;
