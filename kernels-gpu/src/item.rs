//! [`item!`](crate::item!): structs as items.

/// Defines structs for items, results and accumulators: `repr(C)`, plain data without padding.
///
/// ```
/// warpfold_kernels::item! {
///     /// A complex number.
///     pub struct Complex {
///         /// The real part.
///         pub re: f32,
///         /// The imaginary part.
///         pub im: f32,
///     }
/// }
/// assert_eq!(size_of::<Complex>(), 8);
/// ```
///
/// Each struct is `Clone`, `Copy`, `Debug`, `Default`, `PartialEq` and [`Pod`](bytemuck::Pod). A struct with padding between or after its
/// fields does not compile, since padding bytes are uninitialised:
///
/// ```compile_fail
/// warpfold_kernels::item! {
///     pub struct Gap {
///         pub a: u8,
///         pub b: u32,
///     }
/// }
/// ```
///
/// A struct with a field that is not plain data does not compile either:
///
/// ```compile_fail
/// warpfold_kernels::item! {
///     pub struct Flag {
///         pub is_set: bool,
///     }
/// }
/// ```
#[macro_export]
macro_rules! item {
    ($($(#[$attribute:meta])* $visibility:vis struct $name:ident {
        $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $type:ty),+ $(,)?
    })+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        $visibility struct $name {
            $($(#[$field_attribute])* $field_visibility $field: $type,)+
        }

        const _: () = {
            const fn is_plain<T: $crate::bytemuck::Pod>() {}
            $(is_plain::<$type>();)+
            assert!(
                size_of::<$name>() == 0 $(+ size_of::<$type>())+,
                concat!("`", stringify!($name), "` has padding: order its fields by size, or fill the gaps with fields"),
            );
        };

        // SAFETY: all fields are plain, and there is no padding: both are checked above. So any bytes are a value, and every
        // byte of a value belongs to a field.
        unsafe impl $crate::bytemuck::Zeroable for $name {}
        // SAFETY: see above.
        unsafe impl $crate::bytemuck::Pod for $name {}

        /// All bytes zero.
        impl Default for $name {
            #[inline(always)]
            fn default() -> Self {
                $crate::bytemuck::Zeroable::zeroed()
            }
        }
    )+};
}
