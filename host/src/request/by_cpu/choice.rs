//! Selections and runs on the CPU.

use warpfold_kernels::op::Pair;
use warpfold_kernels::selection::{Equality, Predicate};

use super::{Cpu, typed};
use crate::arguments::{Arguments, Memory};
use crate::error::Result;
use crate::kernel::Item;
use crate::reference;
use crate::request::ends::{take, take_both};
use crate::request::memory::{OnTheHost, PairsIn, Returned};
use crate::request::{
    Flagged, ReturnedIndices, ReturnedLengths, ReturnedParts, Runner, Runs, Select, Uncounted,
    Written,
};
use crate::staged::Items;

/// How items are chosen: by a predicate, or by [`Flagged`].
pub trait Choose<T> {
    /// The type of the kept items.
    type Kept;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn is_chosen(arguments: &Arguments<Memory<'_>>) -> Vec<bool>;
}

/// `C`, which is a predicate or [`Flagged`], wrapped in a type of this module.
#[derive(Debug)]
pub struct By<C>(C);

impl<C: Predicate<T>, T: Item> Choose<T> for (OnTheHost, By<C>) {
    type Kept = T;

    #[allow(private_interfaces)]
    fn is_chosen(arguments: &Arguments<Memory<'_>>) -> Vec<bool> {
        let items = typed::<T>(arguments.input.host());
        items.iter().map(|&item| C::holds(item)).collect()
    }
}

impl<T: Item> Choose<Pair<T, u8>> for (PairsIn<OnTheHost>, By<Flagged>) {
    type Kept = T;

    #[allow(private_interfaces)]
    fn is_chosen(arguments: &Arguments<Memory<'_>>) -> Vec<bool> {
        let flags = arguments.second.as_ref().map_or(Items::NONE, Memory::host);
        typed::<u8>(flags).iter().map(|&flag| flag != 0).collect()
    }
}

/// The chosen items if `wanted`, otherwise the other items.
fn kept<T: Item>(arguments: &Arguments<Memory<'_>>, chosen: &[bool], wanted: bool) -> Vec<T> {
    let items = typed::<T>(arguments.input.host());
    std::iter::zip(items, chosen)
        .filter(|&(_, &is_chosen)| is_chosen == wanted)
        .map(|(&item, _)| item)
        .collect()
}

impl<C, T, P> Runner<Select<'_, C, T, P, Returned, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = Vec<<(P, By<C>) as Choose<T>>::Kept>;

    fn run(self, request: Select<'_, C, T, P, Returned, Uncounted>) -> Result<Self::Given> {
        request.arguments.group_count()?;
        let chosen = <(P, By<C>)>::is_chosen(&request.arguments);
        Ok(kept(&request.arguments, &chosen, true))
    }
}

impl<C, T, P> Runner<Select<'_, C, T, P, ReturnedParts, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = (
        Vec<<(P, By<C>) as Choose<T>>::Kept>,
        Vec<<(P, By<C>) as Choose<T>>::Kept>,
    );

    fn run(self, request: Select<'_, C, T, P, ReturnedParts, Uncounted>) -> Result<Self::Given> {
        request.arguments.group_count()?;
        let chosen = <(P, By<C>)>::is_chosen(&request.arguments);
        let part = |wanted| kept(&request.arguments, &chosen, wanted);
        Ok((part(true), part(false)))
    }
}

impl<C, T, P> Runner<Select<'_, C, T, P, ReturnedIndices, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = Vec<usize>;

    fn run(self, request: Select<'_, C, T, P, ReturnedIndices, Uncounted>) -> Result<Vec<usize>> {
        request.arguments.group_count()?;
        let chosen = <(P, By<C>)>::is_chosen(&request.arguments);
        Ok((0..chosen.len()).filter(|&index| chosen[index]).collect())
    }
}

impl<C, T, P> Runner<Select<'_, C, T, P, Written, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = usize;

    fn run(self, request: Select<'_, C, T, P, Written, Uncounted>) -> Result<usize> {
        let mut arguments = request.arguments;
        arguments.group_count()?;
        let outputs = (arguments.results.take(), arguments.rest.take());
        let chosen = <(P, By<C>)>::is_chosen(&arguments);
        let part = |wanted| kept::<<(P, By<C>) as Choose<T>>::Kept>(&arguments, &chosen, wanted);
        take_both((outputs.0, &part(true)), (outputs.1, &part(false)))?;
        Ok(chosen.iter().filter(|&&is_chosen| is_chosen).count())
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, OnTheHost, Returned, Uncounted>> for Cpu {
    type Given = Vec<T>;

    fn run(self, request: Runs<'_, E, T, OnTheHost, Returned, Uncounted>) -> Result<Vec<T>> {
        Ok(reference::unique::<E, T>(typed(
            request.arguments.input.host(),
        )))
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, OnTheHost, ReturnedLengths, Uncounted>>
    for Cpu
{
    type Given = (Vec<T>, Vec<usize>);

    fn run(
        self,
        request: Runs<'_, E, T, OnTheHost, ReturnedLengths, Uncounted>,
    ) -> Result<Self::Given> {
        let items = typed(request.arguments.input.host());
        Ok(reference::run_length_encode::<E, T>(items))
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, OnTheHost, ReturnedIndices, Uncounted>>
    for Cpu
{
    type Given = Vec<usize>;

    fn run(
        self,
        request: Runs<'_, E, T, OnTheHost, ReturnedIndices, Uncounted>,
    ) -> Result<Vec<usize>> {
        Ok(reference::run_starts::<E, T>(typed(
            request.arguments.input.host(),
        )))
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, OnTheHost, Written, Uncounted>> for Cpu {
    type Given = usize;

    fn run(self, request: Runs<'_, E, T, OnTheHost, Written, Uncounted>) -> Result<usize> {
        let mut arguments = request.arguments;
        let output = arguments.results.take();
        let firsts = reference::unique::<E, T>(typed(arguments.input.host()));
        take(output, &firsts)?;
        Ok(firsts.len())
    }
}
