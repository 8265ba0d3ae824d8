//! Groups of GPUs as places where requests run. [`Gpus`] takes slices of the host; a rank of a group takes device memory.

use super::bounds::Forward;
use super::memory::{OnTheDevice, OnTheHost, Replaceable, Returned};
use super::shape::Whole;
use super::{Reduce, Replaced, Runner, Scan, Written};
use crate::arguments::Loans;
use crate::binding::User;
use crate::call::finish_before;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::group::{AtRoot, Gpus, Member};
use crate::kernel::{Item, Kernel, kind};
use crate::staged::Items;

/// Host memory as a slice of its items, which have the type `T`.
fn typed<T: Item>(items: Items<'_>) -> &[T] {
    bytemuck::cast_slice(items.bytes())
}

impl<O: Kernel<kind::reduce, T>, T: Item> Runner<Reduce<'_, O, T, OnTheHost, Whole, Returned>>
    for &Gpus
{
    type Given = O::Output;

    fn run(self, request: Reduce<'_, O, T, OnTheHost, Whole, Returned>) -> Result<O::Output> {
        self.reduce::<O, T>(typed(request.arguments.input.host()))
    }
}

macro_rules! scans {
    ($returned:ident) => {
        impl<O: Kernel<D::Scan, T>, T: Item, D: Forward>
            Runner<Scan<'_, O, T, OnTheHost, Whole, D, $returned>> for &Gpus
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Scan<'_, O, T, OnTheHost, Whole, D, $returned>,
            ) -> Result<Vec<O::Output>> {
                self.scan::<D::Scan, O, T>(typed(request.arguments.input.host()))
            }
        }
    };
}

scans!(Returned);
scans!(Replaceable);

/// Waits for the streams that the memory is ordered with, if there are any. This happens before the ranks exchange anything. So if the wait
/// fails, the other ranks do not learn of the failure, and time out.
fn finish(gpu: &Gpu, loans: &Loans<'_>) -> Result<()> {
    match loans.ordered_with().next() {
        Some(_) => gpu.enter(|_| finish_before(loans)),
        None => Ok(()),
    }
}

impl<O: Kernel<kind::reduce, T>, T: Item> Runner<Reduce<'_, O, T, OnTheDevice, Whole, Returned>>
    for &mut Member<'_>
{
    type Given = O::Output;

    /// Reduces the shares of all ranks. Every rank gets the result: see [`Member`].
    fn run(self, mut request: Reduce<'_, O, T, OnTheDevice, Whole, Returned>) -> Result<O::Output> {
        let mut loans = Loans::default();
        let spans = request.arguments.lend(User::WaitingCall, &mut loans);
        finish(self.gpu(), &loans)?;
        self.reduce::<O, T>(spans.input)
    }
}

impl<O: Kernel<kind::reduce, T>, T: Item> Runner<Reduce<'_, O, T, OnTheDevice, Whole, Returned>>
    for AtRoot<'_, '_>
{
    type Given = Option<O::Output>;

    fn run(
        self,
        mut request: Reduce<'_, O, T, OnTheDevice, Whole, Returned>,
    ) -> Result<Option<O::Output>> {
        let mut loans = Loans::default();
        let spans = request.arguments.lend(User::WaitingCall, &mut loans);
        finish(self.member.gpu(), &loans)?;
        self.member.reduce_to::<O, T>(self.root, spans.input)
    }
}

macro_rules! shares_scanned {
    ($to:ident) => {
        impl<O: Kernel<D::Scan, T>, T: Item, D: Forward>
            Runner<Scan<'_, O, T, OnTheDevice, Whole, D, $to>> for &mut Member<'_>
        {
            type Given = ();

            fn run(self, mut request: Scan<'_, O, T, OnTheDevice, Whole, D, $to>) -> Result<()> {
                let mut loans = Loans::default();
                let spans = request.arguments.lend(User::WaitingCall, &mut loans);
                finish(self.gpu(), &loans)?;
                let output = spans.results.unwrap_or(spans.input);
                self.scan::<D::Scan, O, T>(spans.input, output)
            }
        }
    };
}

shares_scanned!(Written);
shares_scanned!(Replaced);
