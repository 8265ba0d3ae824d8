//! Skeletons: the kernels with holes in place of the operator, and the operators' bodies that fill them.
//!
//! What differs between two kernels is nearly nothing. So the library ships few texts, one for each kind of kernel and
//! width of items, accumulators and results, in which an operator's functions are holes (see [`crate::simt::holes`]); and,
//! for each row of the table, the bodies that fill them. A filled skeleton is the kernel of that row.
//!
//! Holes are as large as they can be: a vector's total, and what a scan puts at a vector's places. So what an operator does
//! with narrow items lies within a body, and inclusive and exclusive scans differ in a body only.

use core::marker::PhantomData;

use half::{bf16, f16};

use crate::block::{Exclusive, Inclusive, Placement};
use crate::element::{Accumulator, Bits, Element, Words};
use crate::grid;
use crate::op::{Commutative, Max, Min, Op, Product, Sum, WideSum};
use crate::simt::holes::{Hole, HoleAccumulator, HoleItem, Register};
use crate::workspace::Control;

/// An operator made of holes, with accumulators `A` and results `R`.
struct Holes<A, R, const EXACT: bool>(PhantomData<(A, R)>);

impl<A, R, const EXACT: bool> Clone for Holes<A, R, EXACT> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R, const EXACT: bool> Copy for Holes<A, R, EXACT> {}

impl<A, R, const EXACT: bool> Commutative for Holes<A, R, EXACT> {}

impl<T, A, R, const EXACT: bool> Op<T> for Holes<A, R, EXACT>
where
    T: HoleItem + Hole<A>,
    A: Accumulator<Bits = A> + HoleAccumulator + Hole<R> + Send + Sync,
    R: Element,
{
    type Accumulator = A;
    type Output = R;
    const NAME: &'static str = "Holes";
    const EXACT: bool = EXACT;

    #[inline(always)]
    fn identity_item() -> T {
        T::identity_item()
    }

    #[inline(always)]
    fn identity() -> A {
        A::identity()
    }

    #[inline(always)]
    fn lift(item: T) -> A {
        item.lift()
    }

    #[inline(always)]
    fn combine(left: A, right: A) -> A {
        A::combine(left, right)
    }

    #[inline(always)]
    fn total(words: Words) -> A {
        A::total(words)
    }

    #[inline(always)]
    fn lower(value: A) -> R {
        value.lower()
    }
}

/// A hole for what a scan puts at each place.
struct Places;

impl Placement for Places {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(
        before: &mut O::Accumulator,
        words: Words,
    ) -> T::Vector {
        let bits = before.to_bits();
        let (low, high) = (bits.half(0), bits.half(1));
        let (results, after) = if <O::Accumulator as Accumulator>::Bits::HALVES == 1 {
            let (results, after) = u32::place(low, words);
            (results, Bits::from_halves(after, 0))
        } else {
            let (results, after) = u64::place(Bits::from_halves(low, high), words);
            (results, Bits::from_halves(after.half(0), after.half(1)))
        };
        *before = O::Accumulator::from_bits(after);
        T::unpack(results)
    }
}

/// The skeletons: the kind; whether any order gives the same bits; the widths of an item, an accumulator and a result.
macro_rules! for_each_skeleton {
    ($callback:ident) => {
        $callback! {
            reduce true u8 u32 u8 => reduce_exact_8_32_8;
            reduce true u16 u32 u16 => reduce_exact_16_32_16;
            reduce true u32 u32 u32 => reduce_exact_32_32_32;
            reduce true u64 u64 u64 => reduce_exact_64_64_64;
            reduce true u8 u64 u64 => reduce_exact_8_64_64;
            reduce true u16 u64 u64 => reduce_exact_16_64_64;
            reduce true u32 u64 u64 => reduce_exact_32_64_64;
            reduce false u16 u32 u16 => reduce_rounding_16_32_16;
            reduce false u16 u32 u32 => reduce_rounding_16_32_32;
            reduce false u32 u32 u32 => reduce_rounding_32_32_32;
            reduce false u32 u64 u64 => reduce_rounding_32_64_64;
            reduce false u64 u64 u64 => reduce_rounding_64_64_64;
            scan true u8 u32 u8 => scan_8_32_8;
            scan true u16 u32 u16 => scan_16_32_16;
            scan true u32 u32 u32 => scan_32_32_32;
            scan true u64 u64 u64 => scan_exact_64_64_64;
            scan false u64 u64 u64 => scan_rounding_64_64_64;
        }
    };
}

macro_rules! reduce {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        entry!($symbol(
            input: *const $t,
            item_count: u64,
            first_chunk: u64,
            control: *mut Control,
            states: *mut u64,
            state_words: u64,
            output: *mut $r,
        ) {
            // SAFETY: the launch keeps the contract of `grid::reduce::reduce`.
            unsafe {
                grid::reduce::reduce::<Holes<$a, $r, $exact>, $t>(
                    input, item_count, first_chunk, control, states, state_words, output,
                )
            }
        });
    };
}

macro_rules! scan {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        entry!($symbol(
            input: *const $t,
            output: *mut $r,
            item_count: u64,
            first_tile: u64,
            end_tile: u64,
            control: *mut Control,
            states: *mut u64,
            state_words: u64,
        ) {
            // SAFETY: the launch keeps the contract of `grid::scan::scan`.
            unsafe {
                grid::scan::scan::<Places, Holes<$a, $r, $exact>, $t>(
                    input, output, item_count, first_tile, end_tile, control, states, state_words,
                )
            }
        });
    };
}

macro_rules! skeletons {
    ($($kind:ident $exact:literal $t:ident $a:ident $r:ident => $symbol:ident;)*) => {
        $($kind!($exact $t $a $r $symbol);)*
    };
}

for_each_skeleton!(skeletons);

/// An element type whose items a body takes and gives as their bits.
trait Raw: Element {
    /// An item's bits.
    type Bits: Register;

    /// The item with these bits.
    fn from_raw(bits: Self::Bits) -> Self;

    /// The item's bits.
    fn raw(self) -> Self::Bits;
}

macro_rules! raws {
    ($($t:ident as $bits:ident: $from:expr, $to:expr;)*) => {$(
        impl Raw for $t {
            type Bits = $bits;
            #[inline(always)]
            fn from_raw(bits: $bits) -> Self { $from(bits) }
            #[inline(always)]
            fn raw(self) -> $bits { $to(self) }
        }
    )*};
}

raws! {
    i8 as u8: |bits| bits as i8, |value| value as u8;
    u8 as u8: |bits| bits, |value| value;
    i16 as u16: |bits| bits as i16, |value| value as u16;
    u16 as u16: |bits| bits, |value| value;
    i32 as u32: |bits| bits as i32, |value| value as u32;
    u32 as u32: |bits| bits, |value| value;
    i64 as u64: |bits| bits as i64, |value| value as u64;
    u64 as u64: |bits| bits, |value| value;
    f16 as u16: f16::from_bits, f16::to_bits;
    bf16 as u16: bf16::from_bits, bf16::to_bits;
    f32 as u32: f32::from_bits, f32::to_bits;
    f64 as u64: f64::from_bits, f64::to_bits;
}

/// The bodies of an operator's functions: inputs and outputs are numbered as in [`crate::simt::holes`].
trait Bodies<T: Raw>: Op<T, Accumulator: Accumulator<Bits: Register>, Output: Raw> {
    #[inline(always)]
    fn take_accumulator<const INDEX: usize>() -> Self::Accumulator {
        Self::Accumulator::from_bits(Register::take::<INDEX>())
    }

    #[inline(always)]
    fn identity_item_body() {
        Self::identity_item().raw().give::<0>();
    }

    #[inline(always)]
    fn identity_body() {
        Self::identity().to_bits().give::<0>();
    }

    #[inline(always)]
    fn lift_body() {
        let item = T::from_raw(Register::take::<0>());
        Self::lift(item).to_bits().give::<0>();
    }

    #[inline(always)]
    fn combine_body() {
        let left = Self::take_accumulator::<0>();
        let right = Self::take_accumulator::<1>();
        Self::combine(left, right).to_bits().give::<0>();
    }

    #[inline(always)]
    fn total_body() {
        let words = [u32::take::<0>(), u32::take::<1>(), u32::take::<2>(), u32::take::<3>()];
        Self::total(words).to_bits().give::<0>();
    }

    #[inline(always)]
    fn lower_body() {
        let value = Self::take_accumulator::<0>();
        Self::lower(value).raw().give::<0>();
    }
}

impl<T: Raw, O: Op<T, Accumulator: Accumulator<Bits: Register>, Output: Raw>> Bodies<T> for O {}

/// The body of what a scan puts at the places of a vector.
#[inline(always)]
fn place_body<P: Placement, O: Bodies<T> + Op<T, Output = T>, T: Raw>() {
    let mut before = O::take_accumulator::<0>();
    let words = [u32::take::<1>(), u32::take::<2>(), u32::take::<3>(), u32::take::<4>()];
    let [w, x, y, z] = T::pack(P::place::<O, T>(&mut before, words));
    w.give::<0>();
    x.give::<1>();
    y.give::<2>();
    z.give::<3>();
    before.to_bits().give::<4>();
}

/// Emits a body, named after the kernel and the hole.
macro_rules! body {
    ($symbol:ident $hole:ident $body:expr) => {
        const _: () = {
            #[export_name = concat!(stringify!($symbol), "$", stringify!($hole))]
            extern "C" fn body() {
                $body
            }
        };
    };
}

macro_rules! operator_bodies {
    ($op:ident $t:ident $symbol:ident) => {
        body!($symbol identity_item <$op as Bodies<$t>>::identity_item_body());
        body!($symbol identity <$op as Bodies<$t>>::identity_body());
        body!($symbol lift <$op as Bodies<$t>>::lift_body());
        body!($symbol combine <$op as Bodies<$t>>::combine_body());
        body!($symbol total <$op as Bodies<$t>>::total_body());
        body!($symbol lower <$op as Bodies<$t>>::lower_body());
    };
}

/// The bodies of each row of the table.
macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(rows!($kind $op $t $symbol);)* };
    (reduce $op:ident $t:ident $symbol:ident) => { operator_bodies!($op $t $symbol); };
    (inclusive_scan $op:ident $t:ident $symbol:ident) => {
        operator_bodies!($op $t $symbol);
        body!($symbol place place_body::<Inclusive, $op, $t>());
    };
    (exclusive_scan $op:ident $t:ident $symbol:ident) => {
        operator_bodies!($op $t $symbol);
        body!($symbol place place_body::<Exclusive, $op, $t>());
    };
}

crate::for_each_kernel!(rows);
