//! Lets a test ask, at run time, whether the compiler accepts `wait` or `queue` for a request.

use std::marker::PhantomData;

use warpfold::{Queuer, Runner};

pub struct Wait<W, R>(PhantomData<(W, R)>);

/// Asks whether `wait` exists for a request, without calling it.
pub fn wait<W, R>(_: &W, _: &R) -> Wait<W, R> {
    Wait(PhantomData)
}

impl<W: Runner<R>, R> Wait<W, R> {
    pub fn is_possible(&self) -> bool {
        true
    }
}

pub struct Queue<W, R>(PhantomData<(W, R)>);

pub fn queue<W, R>(_: &W, _: &R) -> Queue<W, R> {
    Queue(PhantomData)
}

impl<W: Queuer<R>, R> Queue<W, R> {
    pub fn is_possible(&self) -> bool {
        true
    }
}

/// The compiler selects this trait's `is_possible` if the inherent one does not exist.
pub trait IsNot {
    fn is_possible(&self) -> bool {
        false
    }
}

impl<W, R> IsNot for Wait<W, R> {}
impl<W, R> IsNot for Queue<W, R> {}
