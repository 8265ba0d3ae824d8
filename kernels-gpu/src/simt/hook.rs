//! `ptx!` for stable rustc, which has no `asm!` for NVPTX. rustc emits the PTX as data, and `warpfold-build` later puts it into the code.
//!
//! `ptx!(load_word: "ld.global.b64 {word}, [{address}];", address = in(reg64) address, word = out(reg64) word, …)` becomes
//!
//! - a call of the function `warpfold_hook_load_word`, which has no definition, so the emitted PTX keeps the call;
//! - the hook's description, a static array of bytes: its name, its inputs, its outputs and its PTX.
//!
//! `warpfold-build` reads the descriptions and replaces each call by its PTX, with the operands filled in.
//!
//! A value of a 16-bit register is passed in 32 bits, as the calling convention demands.
//!
//! Operands that are both read and written are not supported, and options are ignored. To rustc, each hook is a call that may read and
//! write any memory. The driver's compiler sees the PTX itself, and so recognises instructions without side effects.

/// The first bytes of a description.
macro_rules! mark {
    () => {
        "warpfold hook "
    };
}

/// The description of a hook.
macro_rules! describe {
    ($name:ident [$($in:ident $in_class:ident)*] [$($out:ident $out_class:ident)*] [$($text:expr)*]) => {
        const _: () = {
            const DESCRIPTION: &str = concat!(
                mark!(), stringify!($name), "\n",
                $("in ", stringify!($in_class), " ", stringify!($in), "\n",)*
                $("out ", stringify!($out_class), " ", stringify!($out), "\n",)*
                $($text, "\n",)*
            );
            #[used]
            static BYTES: [u8; DESCRIPTION.len()] = $crate::simt::hook::bytes(DESCRIPTION);
        };
    };
}

macro_rules! ptx {
    ($name:ident: $($assembly:tt)*) => { ptx!(@texts $name [] $($assembly)*) };

    (@texts $name:ident [$($texts:tt)*] $text:literal, $($rest:tt)*) => {
        ptx!(@texts $name [$($texts)* ($text)] $($rest)*)
    };
    (@texts $name:ident [$($texts:tt)*] concat!($($parts:tt)*), $($rest:tt)*) => {
        ptx!(@texts $name [$($texts)* (concat!($($parts)*))] $($rest)*)
    };
    (@texts $name:ident [$($texts:tt)*] $($operands:tt)*) => {
        ptx!(@operands $name [$($texts)*] [] [] $($operands)*)
    };

    (@operands $name:ident $texts:tt [$($in:tt)*] $out:tt $operand:ident = in($class:ident) $value:expr, $($rest:tt)*) => {
        ptx!(@operands $name $texts [$($in)* ($operand $class $value)] $out $($rest)*)
    };
    (@operands $name:ident $texts:tt [$($in:tt)*] $out:tt $operand:ident = const $value:expr, $($rest:tt)*) => {
        ptx!(@operands $name $texts [$($in)* ($operand constant $value as u64)] $out $($rest)*)
    };
    (@operands $name:ident $texts:tt $in:tt [$($out:tt)*] $operand:ident = out($class:ident) $place:ident, $($rest:tt)*) => {
        ptx!(@operands $name $texts $in [$($out)* ($operand $class $place)] $($rest)*)
    };
    (@operands $name:ident $texts:tt $in:tt $out:tt options($($option:ident),*) $(,)?) => {
        ptx!(@hook $name $texts $in $out)
    };

    (@hook $name:ident [$(($text:expr))*]
        [$(($in:ident $in_class:ident $value:expr))*]
        [$(($out:ident $out_class:ident $place:ident))*]
    ) => {{
        describe!($name [$($in $in_class)*] [$($out $out_class)*] [$($text)*]);

        #[repr(C)]
        struct Results {
            $($out: $crate::simt::hook::$out_class,)*
        }
        #[allow(improper_ctypes)]
        extern "C" {
            #[link_name = concat!("warpfold_hook_", stringify!($name))]
            fn hook($($in: $crate::simt::hook::$in_class),*) -> Results;
        }
        #[allow(unused_variables)]
        let results = hook($($crate::simt::hook::Operand::to_register($value)),*);
        $($place = $crate::simt::hook::Operand::from_register(results.$out);)*
    }};
}

/// The type in which a 16-bit register is passed to a hook.
#[allow(non_camel_case_types)]
pub type reg16 = u32;
/// The type in which a 32-bit register is passed to a hook.
#[allow(non_camel_case_types)]
pub type reg32 = u32;
/// The type in which a 64-bit register is passed to a hook.
#[allow(non_camel_case_types)]
pub type reg64 = u64;

/// The type in which a number is passed to a hook. If the compiler knows the number, the PTX has the number itself. Otherwise it has a
/// 32-bit register.
#[allow(non_camel_case_types)]
pub type number = u32;
/// The type in which a constant is passed to a hook. The compiler has to know the constant.
#[allow(non_camel_case_types)]
pub type constant = u64;

/// The bytes of a description.
pub const fn bytes<const LENGTH: usize>(description: &str) -> [u8; LENGTH] {
    let description = description.as_bytes();
    let mut bytes = [0; LENGTH];
    let mut i = 0;
    while i < LENGTH {
        bytes[i] = description[i];
        i += 1;
    }
    bytes
}

/// A type that an operand of a hook can have. Its bits are passed as an `R`.
pub trait Operand<R> {
    /// The value's bits.
    fn to_register(self) -> R;
    /// The value with these bits.
    fn from_register(bits: R) -> Self;
}

macro_rules! operands {
    ($($t:ty as $register:ty: $to:expr, $from:expr;)*) => {$(
        impl Operand<$register> for $t {
            #[inline(always)]
            fn to_register(self) -> $register { $to(self) }
            #[inline(always)]
            fn from_register(bits: $register) -> Self { $from(bits) }
        }
    )*};
}

operands! {
    u16 as u32: |value| value as u32, |bits| bits as u16;
    u32 as u32: |value| value, |bits| bits;
    i32 as u32: |value| value as u32, |bits| bits as i32;
    f32 as u32: f32::to_bits, f32::from_bits;
    f64 as u64: f64::to_bits, f64::from_bits;
    u64 as u64: |value| value, |bits| bits;
}

impl<T> Operand<u64> for *const T {
    #[inline(always)]
    fn to_register(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn from_register(bits: u64) -> Self {
        bits as Self
    }
}

impl<T> Operand<u64> for *mut T {
    #[inline(always)]
    fn to_register(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn from_register(bits: u64) -> Self {
        bits as Self
    }
}
