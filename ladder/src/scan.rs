//! Scans by a rung of the ladder.

mod sections;
mod whole;

use std::fmt;

use cust::memory::DeviceSlice;
use warpfold::{Argument, Error, Kernel, Op, kind, scan};

use crate::measure::Session;
use crate::scratch::{Address, Scratch, address_of};
use crate::{Item, Kind, Ladder, Measured, Refusal, Result, Rung, kernels};

/// Whether an item's own value is part of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// A result combines all items up to and including its own.
    Inclusive,
    /// A result combines all items before its own. The first result is the identity.
    Exclusive,
}

impl Placement {
    /// Both placements.
    pub const ALL: [Self; 2] = [Self::Inclusive, Self::Exclusive];
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inclusive => "inclusive",
            Self::Exclusive => "exclusive",
        })
    }
}

impl Ladder {
    /// Scans `input` to `output` with the operator `O` by the rung's kernels, and waits for the results.
    ///
    /// `output` may be longer than `input`: the rest of `output` stays unchanged. Input and output must not overlap, unless they begin at
    /// the same address. If an error is found after the first launch, the output is unspecified.
    ///
    /// The rungs of document 4 have kernels for [`Sum`](warpfold::Sum) and [`Max`](warpfold::Max) on items of `u32`, `i32` and `f32`.
    /// [`Rung::OurScan`] has kernels for all of warpfold's scans whose results have the items' type.
    ///
    /// ```
    /// use warpfold::Sum;
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold_ladder::{Ladder, Placement, Rung};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let ladder = Ladder::new()?;
    /// let input = DeviceBuffer::from_slice(&[3u32, 1, 4, 1, 5])?;
    /// let mut output = DeviceBuffer::zeroed(5)?;
    /// ladder.scan::<Sum, _>(Rung::BrentKung, Placement::Exclusive, &input, &mut output, 64)?;
    /// assert_eq!(output.as_host_vec()?, [0, 3, 4, 8, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A [`Refusal`], for example if the rung has no kernel for `O` and `T` or does not support the block size; the errors of
    /// [`warpfold::scan()`] and of `cust`.
    pub fn scan<O, T>(
        &self,
        rung: Rung,
        placement: Placement,
        input: &DeviceSlice<T>,
        output: &mut DeviceSlice<T>,
        block_size: u32,
    ) -> Result<()>
    where
        O: Scans<T>,
        T: Item,
    {
        self.scan_measured::<O, T>(rung, placement, input, output, block_size)?;
        Ok(())
    }

    /// The same as [`Self::scan`], with the launches and the measured times.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::scan`].
    pub fn scan_measured<O, T>(
        &self,
        rung: Rung,
        placement: Placement,
        input: &DeviceSlice<T>,
        output: &mut DeviceSlice<T>,
        block_size: u32,
    ) -> Result<Measured<()>>
    where
        O: Scans<T>,
        T: Item,
    {
        rung.check(Kind::Scan, block_size)?;
        let symbols = match rung {
            Rung::OurScan => None,
            _ => Some(Symbols::of::<O, T>(rung, placement)?),
        };
        if input.is_empty() {
            return Ok(Measured::nothing(()));
        }
        let Some(symbols) = symbols else {
            return self.our_scan::<O, T>(placement, input, output);
        };
        check(input, output)?;
        self.gpu().check_buffer(Argument::Input, input)?;
        self.gpu().check_buffer(Argument::Output, output)?;
        let session = Session::new(self)?;
        // In place, some of document 4's kernels would read items that other threads may have overwritten already.
        let copy = match address_of(input) == address_of(output) {
            true => Some(Scratch::copy_of(input)?),
            false => None,
        };
        let run = Run {
            session,
            symbols,
            input: copy.as_ref().map_or(address_of(input), Scratch::address),
            output: address_of(output),
            item_count: input.len() as u64,
            block_size,
        };
        match rung {
            Rung::SequentialScan => whole::run(run, 1),
            Rung::QuadraticScan => {
                let blocks = blocks(run.item_count, block_size.into());
                whole::run(run, blocks)
            }
            Rung::KoggeStone => sections::run::<T>(run, sections::KOGGE_STONE),
            Rung::DoubleBufferedKoggeStone => sections::run::<T>(run, sections::DOUBLE_BUFFERED),
            Rung::BrentKung => sections::run::<T>(run, sections::BRENT_KUNG),
            _ => unreachable!("has no symbols, or is no scan"),
        }
    }

    fn our_scan<O: Scans<T>, T: Item>(
        &self,
        placement: Placement,
        input: &DeviceSlice<T>,
        output: &mut DeviceSlice<T>,
    ) -> Result<Measured<()>> {
        let mut session = Session::new(self)?;
        session.timed(|session| {
            let (gpu, stream) = (self.gpu(), session.stream());
            match placement {
                Placement::Inclusive => scan::<O, _>(input).to(output).queue(gpu, stream)?,
                Placement::Exclusive => scan::<O, _>(input)
                    .exclusive()
                    .to(output)
                    .queue(gpu, stream)?,
            }
            Ok(())
        })?;
        session.finish(|| Ok(()))
    }
}

/// An operator for which warpfold has an inclusive and an exclusive scan, and whose results have the type of the items.
pub trait Scans<T: Item>:
    Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T> + Op<T, Output = T>
{
}

impl<O, T: Item> Scans<T> for O where
    O: Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T> + Op<T, Output = T>
{
}

/// Checks that the output is long enough, and that input and output do not overlap unless they begin at the same address.
fn check<T: Item>(input: &DeviceSlice<T>, output: &DeviceSlice<T>) -> Result<(), Error> {
    if output.len() < input.len() {
        return Err(Error::OutputTooShort {
            offered_items: output.len(),
            needed_items: input.len(),
        });
    }
    let bytes = (input.len() * size_of::<T>()) as u64;
    let distance = address_of(input).abs_diff(address_of(output));
    match distance != 0 && distance < bytes {
        true => Err(Error::Overlap {
            input: address_of(input),
            input_items: input.len(),
            output: address_of(output),
            output_items: input.len(),
        }),
        false => Ok(()),
    }
}

/// The arguments of a rung of document 4.
struct Run<'ladder> {
    session: Session<'ladder>,
    symbols: Symbols,
    /// The address of the items, which do not overlap the output.
    input: Address,
    output: Address,
    /// The number of items: at least one.
    item_count: u64,
    block_size: u32,
}

/// The kernels of a rung.
struct Symbols {
    /// The kernel that scans the input.
    scan: &'static str,
    /// The kernel that scans the sections' totals, if the rung scans in sections.
    inclusive: &'static str,
    /// The kernel that combines the items of each section after the first with the section's prefix.
    prefixes: &'static str,
}

impl Symbols {
    fn of<O: Op<T>, T: Item>(rung: Rung, placement: Placement) -> Result<Self, Refusal> {
        Ok(Self {
            scan: kernels::scan_symbol::<O, T>(rung, placement)?,
            inclusive: kernels::scan_symbol::<O, T>(rung, Placement::Inclusive)?,
            prefixes: kernels::prefixes_symbol::<O, T>(rung)?,
        })
    }
}

/// The number of blocks for `item_count` items, if each block takes `block_items` items. If the number is too large for `u32`, this is
/// `u32::MAX`, and the driver refuses the grid.
fn blocks(item_count: u64, block_items: u64) -> u32 {
    u32::try_from(item_count.div_ceil(block_items)).unwrap_or(u32::MAX)
}
