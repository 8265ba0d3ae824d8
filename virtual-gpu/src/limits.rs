//! The list of PTX that is not supported.

/// PTX that is not supported.
///
/// ```
/// assert!(virtual_gpu::LIMITS.iter().any(|limit| limit.what.contains("texture")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The unsupported feature.
    pub what: &'static str,
    /// PTX that uses the feature and is refused: a statement of a kernel, or declarations of a module.
    pub example: &'static str,
}

/// Makes the list and its documentation.
macro_rules! limits {
    ($($what:literal, $example:literal;)*) => {
        /// The PTX that is not supported. [`Module::load`](crate::Module::load) refuses it. The only exception is a function that no kernel
        /// calls: unsupported PTX in such a function may be accepted. The error names the lines of the unsupported PTX. Nothing is refused
        /// later, while a kernel runs.
        ///
        /// | not supported | for example |
        /// |---|---|
        $(#[doc = concat!("| ", $what, " | `", $example, "` |")])*
        ///
        /// Forms of instructions that are not in this list may be unsupported as well. The error names the form.
        ///
        /// ```
        /// for limit in virtual_gpu::LIMITS {
        ///     println!("{}, such as {}", limit.what, limit.example);
        /// }
        /// ```
        pub const LIMITS: [Limit; [$($what),*].len()] = [
            $(Limit { what: $what, example: $example },)*
        ];
    };
}

limits! {
    "recursion", ".func f() { call f; ret; } .entry e() { call f; ret; }";
    "calls through pointers", "call %d1, prototype;";
    "variables and functions of other modules", ".extern .global .u32 elsewhere;";
    "addresses of 32 bits", ".address_size 32";
    "textures and surfaces", "suld.b.1d.b32.trap %r1, [surface, {%r2}];";
    "matrix instructions", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];";
    "clusters of more than one block", "barrier.cluster.wait;";
    "asynchronous copies of tensors",
        "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d1, {%r1}];";
    "asynchronous copies that reduce",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], 16;";
    "warp instructions without `.sync`", "vote.all.pred %p1, %p2;";
    "video instructions of one value", "vadd.u32.u32.u32 %r1, %r2, %r3;";
    "video instructions of several values, but `vabsdiff2` and `vabsdiff4` of unsigned ones",
        "vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;";
    "the constant space among generic addresses", "isspacep.const %p1, %d1;";
}
