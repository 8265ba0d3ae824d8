//! Forms that PTX does not have, or that are not supported. Each must be refused, not read as another form.

use super::support::Device;

const REFUSED: [&str; 72] = [
    // Wrong or missing orders and scopes, and wrong operations of `red`.
    "ld.release.gpu.global.u32 %r1, [%d1];",
    "ld.acq_rel.gpu.global.u32 %r1, [%d1];",
    "ld.relaxed.global.u32 %r1, [%d1];",
    "ld.acquire.global.u32 %r1, [%d1];",
    "ld.gpu.global.u32 %r1, [%d1];",
    "ld.volatile.gpu.global.u32 %r1, [%d1];",
    "ld.relaxed.gl.global.u32 %r1, [%d1];",
    "st.acquire.gpu.global.u32 [%d1], %r1;",
    "st.release.global.u32 [%d1], %r1;",
    "st.weak.sys.global.u32 [%d1], %r1;",
    "atom.volatile.global.add.u32 %r1, [%d1], 1;",
    "atom.weak.global.add.u32 %r1, [%d1], 1;",
    "red.acquire.gpu.global.add.u32 [%d1], 1;",
    "red.acq_rel.gpu.global.add.u32 [%d1], 1;",
    "red.global.exch.b32 [%d1], 1;",
    "red.global.cas.b32 [%d1], 1, 2;",
    "ldu.relaxed.gpu.global.u32 %r1, [%d1];",
    "membar;",
    "membar.gpu;",
    "membar.sc.gl;",
    "fence.acq_rel;",
    "fence.gl;",
    "fence.sc.acq_rel.gpu;",
    // Spaces.
    "ld.shared.nc.u32 %r1, [%r2];",
    "ld.nc.u32 %r1, [%d1];",
    "ld.relaxed.gpu.global.nc.u32 %r1, [%d1];",
    "st.global.nc.u32 [%d1], %r1;",
    "st.const.u32 [%d1], %r1;",
    "atom.const.add.u32 %r1, [%d1], 1;",
    "isspacep.const %p1, %d1;",
    "ld.shared::cluster.u32 %r1, [%r2];",
    // Barriers, warp instructions, `brx` and `griddepcontrol`.
    "bar.arrive 1;",
    "barrier.cta.arrive %r1;",
    "barrier.cluster.arrive.aligned;",
    "barrier.cluster.wait;",
    "bar.red.xor.pred %p1, 0, %p2;",
    "vote.sync.none.pred %p1, %p2, -1;",
    "vote.all.pred %p1, %p2;",
    "shfl.idx.b32 %r1, %r2, 0, 31;",
    "shfl.sync.xor.b32 %r1, %r2, 0, 31, -1;",
    "match.some.sync.b32 %r1, %r2, -1;",
    "match.any.sync.b32 %r1|%p1, %r2, -1;",
    "redux.sync.and.s32 %r1, %r2, -1;",
    "redux.sync.add.u64 %d1, %d2, -1;",
    "brx %r1, %r2;",
    "griddepcontrol;",
    "griddepcontrol.launch;",
    "griddepcontrol.wait.launch_dependents;",
    "griddepcontrol.wait %r1;",
    // Arithmetic.
    "add.NaN.f32 %f1, %f2, %f3;",
    "mul.xorsign.abs.f32 %f1, %f2, %f3;",
    "min.rn.f32 %f1, %f2, %f3;",
    "max.sat.f32 %f1, %f2, %f3;",
    "min.xorsign.f32 %f1, %f2, %f3;",
    "min.rz.f64 %e1, %e2, %e3;",
    "add.sat.f64 %e1, %e2, %e3;",
    "abs.sat.f32 %f1, %f2;",
    "copysign.ftz.f32 %f1, %f2, %f3;",
    "prmt.b64 %d1, %d2, %d3, %d4;",
    "lop3.b64 %d1, %d2, %d3, %d4, 0x96;",
    "bmsk.wrap.b64 %d1, %d2, %d3;",
    "shf.l.wrap.b64 %d1, %d2, %d3, %r1;",
    "shf.l.b32 %r1, %r2, %r3, %r4;",
    "dp2a.u32.u32 %r1, %r2, %r3, %r4;",
    "mul.u32 %r1, %r2, %r3;",
    // Conversions with missing or wrong rounding.
    "cvt.s32.f32 %r1, %f1;",
    "cvt.rn.s32.f32 %r1, %f1;",
    "cvt.f32.s32 %f1, %r1;",
    "cvt.rni.f32.s32 %f1, %r1;",
    "cvt.rn.s64.s32 %d1, %r1;",
    "cvt.rn.f64.f32 %e1, %f1;",
    "cvt.rn.sat.f16.f16 %h1, %h2;",
];

#[test]
fn unknown_forms_are_refused_with_their_lines() {
    let device = Device::new();
    let lines = REFUSED.join("\n");
    let text = format!(
        ".version 8.6 .target sm_90 .address_size 64 .entry k() {{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; \
         .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .f64 %e<9>;\n{lines}\nret; }}"
    );
    let found: Vec<u32> = device.problems(&text).iter().map(|p| p.line).collect();
    for (line, form) in (2..).zip(REFUSED) {
        assert!(found.contains(&line), "{form}");
    }
    assert_eq!(found.len(), REFUSED.len());
}
