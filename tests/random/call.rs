//! One random call: the kernel, the items, the offsets of input and output, the form of the call, and the virtual GPU's
//! schedule.

use std::sync::{PoisonError, RwLock};

use cust::stream::{Stream, StreamFlags};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::strategy::{Just, Strategy};
use warpfold::{Result, cust};

use crate::contents::Contents;
use crate::graph::Graph;
use crate::lengths::Lengths;
use crate::rows::{ROWS, Row};
use crate::schedule::Schedule;

/// A call. Offsets are counted in items.
#[derive(Debug, Clone)]
pub struct Call {
    pub row: Row,
    pub item_count: usize,
    pub contents: Contents,
    /// In device memory, the input begins this many items after a multiple of 16 bytes. A slice of the host begins this many items after
    /// the start of a `Vec`.
    pub input_offset: usize,
    pub form: Form,
    pub output: Output,
    pub schedule: Schedule,
}

/// The form of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// It waits.
    Waiting,
    /// It is queued on a new stream.
    Queued,
    /// It is captured in a graph, which is launched this many times.
    Captured(usize),
    /// It takes a slice of the host.
    Slice,
}

/// Where results go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Output {
    /// To another buffer, this many items after a multiple of 16 bytes.
    Elsewhere(usize),
    /// In place, if the call is a scan of device memory. Otherwise the same as `Elsewhere(0)`.
    InPlace,
}

/// A waiting call on device memory begins after the work of the default stream. Such a call is refused while another thread captures a
/// blocking stream.
static CAPTURE: RwLock<()> = RwLock::new(());

/// Does the work. Other threads may work at the same time, but none of them captures.
pub fn beside_others<R>(work: impl FnOnce() -> R) -> R {
    let _guard = CAPTURE.read().unwrap_or_else(PoisonError::into_inner);
    work()
}

impl Call {
    pub fn strategy(lengths: Lengths) -> impl Strategy<Value = Self> {
        let form = match lengths {
            Lengths::Short => prop_oneof![
                Just(Form::Waiting),
                Just(Form::Queued),
                (1..3usize).prop_map(Form::Captured),
                Just(Form::Slice),
            ]
            .boxed(),
            Lengths::Long => prop_oneof![1 => Just(Form::Waiting), 3 => Just(Form::Slice)].boxed(),
        };
        let offset = || prop_oneof![Just(0), 0..17usize];
        let output = prop_oneof![
            2 => offset().prop_map(Output::Elsewhere),
            1 => Just(Output::InPlace),
        ];
        let row = select(ROWS);
        let contents = Contents::strategy();
        (
            row,
            lengths,
            contents,
            offset(),
            form,
            output,
            Schedule::strategy(),
        )
            .prop_map(
                |(row, item_count, contents, input_offset, form, output, schedule)| Self {
                    row,
                    item_count,
                    contents,
                    input_offset,
                    form,
                    output,
                    schedule,
                },
            )
    }

    /// Makes the call, and compares its results with the expected ones.
    pub fn check(&self) {
        let check = || self.schedule.run(|| (self.row.check)(self));
        if let Form::Captured(_) = self.form {
            let _guard = CAPTURE.write().unwrap_or_else(PoisonError::into_inner);
            check();
        } else {
            beside_others(check);
        }
    }

    /// Compares the reference with a plain loop.
    pub fn check_reference(&self) {
        (self.row.check_reference)(self);
    }

    /// Calls `work` in this call's form: with a stream to queue on, or with `None` to wait. For [`Form::Captured`]: calls `work` once
    /// without a capture, to warm up; calls `reset`; then calls `work` in the capture.
    pub fn carry_out(
        &self,
        mut work: impl FnMut(Option<&Stream>) -> Result<()>,
        reset: impl FnOnce(),
    ) {
        let stream = || Stream::new(StreamFlags::DEFAULT, None).unwrap();
        match self.form {
            Form::Waiting | Form::Slice => work(None).unwrap(),
            Form::Queued => {
                let stream = stream();
                work(Some(&stream)).unwrap();
                stream.synchronize().unwrap();
            }
            Form::Captured(launches) => {
                let stream = stream();
                work(Some(&stream)).unwrap();
                stream.synchronize().unwrap();
                reset();
                let mut captured = Ok(());
                let graph = Graph::capture(&stream, || captured = work(Some(&stream)));
                captured.unwrap();
                for _ in 0..launches {
                    // SAFETY: `work` borrows the captured buffers, and outlives the `synchronize` below.
                    unsafe { graph.launch(&stream) };
                }
                stream.synchronize().unwrap();
            }
        }
    }

    /// The output's offset, or 0 for [`Output::InPlace`].
    pub fn output_offset(&self) -> usize {
        match self.output {
            Output::Elsewhere(offset) => offset,
            Output::InPlace => 0,
        }
    }

    /// How many times the call's work is done on the same memory.
    pub fn repeats(&self) -> usize {
        match self.form {
            Form::Captured(launches) => launches,
            _ => 1,
        }
    }
}
