//! How an example begins and ends: its arguments, the one writer that it prints to, and its exit code.
//!
//! An example returns every error of the writer, so it stops when its output cannot be written. If the reader of the output is gone, as in
//! `sum | head -1`, the example stops without a message and with exit code 0. Any other error of the writer, such as a full disk, ends the
//! example with a message and exit code 1. No error of the writer causes a panic. A failure to write to stderr is ignored: there is no
//! other place to report it.

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use super::quoted::Printable;

/// Of each line of a message about a wrong argument, at most this many characters are printed. That is enough for clap's own words and a
/// long argument.
const LINE_CHARACTERS: usize = 200;

/// An error of an example. It decides the exit code.
pub trait Failure: Display + From<io::Error> {
    /// The writer's error, if the writer failed.
    fn output_error(&self) -> Option<&io::Error>;

    /// Whether the input is wrong: an argument, or a file that an argument names.
    fn is_of_input(&self) -> bool {
        false
    }
}

/// For an example that only distinguishes the writer's errors from all other errors.
impl Failure for Box<dyn Error> {
    fn output_error(&self) -> Option<&io::Error> {
        self.downcast_ref()
    }
}

/// Runs `example` with its arguments and the writer that it prints to. Returns the exit code: 0 if all went well or the reader of the
/// output is gone, 2 if the input is wrong, 1 otherwise.
pub fn run<A: Parser, F: Failure>(
    example: impl FnOnce(A, &mut dyn Write) -> Result<(), F>,
) -> ExitCode {
    let mut out = io::stdout().lock();
    let arguments = match A::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return answer_with::<A>(&answer, &mut out),
    };
    let done = example(arguments, &mut out).and_then(|()| Ok(out.flush()?));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => match failure.output_error() {
            Some(error) => unwritten::<A>(error),
            None => {
                complain::<A>(&failure);
                ExitCode::from(if failure.is_of_input() { 2 } else { 1 })
            }
        },
    }
}

/// Prints the help that was asked for, or the error in the arguments.
fn answer_with<A: Parser>(answer: &clap::Error, out: &mut impl Write) -> ExitCode {
    let text = answer.render().to_string();
    if !answer.use_stderr() {
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        return written.map_or_else(|error| unwritten::<A>(&error), |()| ExitCode::SUCCESS);
    }
    // The text quotes the arguments, so it is printed like any foreign text.
    let text = text.trim_end();
    let lines = text.strip_prefix("error: ").unwrap_or(text).split('\n');
    let lines: Vec<String> = lines
        .map(|line| Printable::new(line.as_bytes(), LINE_CHARACTERS).to_string())
        .collect();
    complain::<A>(&lines.join("\n"));
    ExitCode::from(2)
}

/// The exit code of a program whose output was not written. Prints why, unless the reader is gone.
fn unwritten<A: Parser>(error: &io::Error) -> ExitCode {
    if error.kind() == ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    complain::<A>(&format_args!("cannot write the output: {error}"));
    ExitCode::FAILURE
}

/// Prints to stderr what went wrong.
fn complain<A: Parser>(what: &dyn fmt::Display) {
    let command = A::command();
    // If this write to stderr fails, nothing is left to do.
    let _ = writeln!(io::stderr(), "{}: {what}", command.get_name());
}
