//! The device's half of [`kernels!`](crate::kernels!): an entry for each kernel.

use crate::simt;

/// A kernel's parameter: a number of 4 or 8 bytes, or a pointer to global memory.
pub trait Parameter: Copy {
    /// The parameter, unchanged, for the kernel's body. For a pointer, the function also tells the compiler that the pointer is to global
    /// memory.
    fn received(self) -> Self;
}

impl<T> Parameter for *mut T {
    #[inline(always)]
    fn received(self) -> Self {
        simt::in_global_memory(self)
    }
}

impl<T> Parameter for *const T {
    #[inline(always)]
    fn received(self) -> Self {
        simt::in_global_memory(self.cast_mut())
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        impl Parameter for $t {
            #[inline(always)]
            fn received(self) -> Self {
                self
            }
        }
    )*};
}

numbers!(u32 i32 f32 u64 i64 f64 usize isize);

/// Emits an entry for each kernel that the call of this macro declares.
#[macro_export]
macro_rules! kernels {
    ($($(#[$attribute:meta])* $visibility:vis fn $name:ident(
        $($parameter:ident: $type:ty),* $(,)?
    ) $body:block)*) => {$(
        const _: () = {
            #[export_name = concat!("kernel_", stringify!($name))]
            unsafe extern "C" fn kernel($($parameter: $type),*) {
                $(let $parameter = $crate::device::Parameter::received($parameter);)*
                $body
            }
        };
    )*};
}
