//! Do hardware and the virtual GPU give the same bits?
//!
//! `cargo run --release -p virtual-gpu --example conformance -- [options]` makes random kernels, or
//! with `--table` one kernel for each form of an instruction, and runs each of them on the virtual
//! GPU and on the device that the driver has. Where the outputs differ it says where first, and
//! prints the kernel with everything taken out that the difference does not need. On a machine
//! without a GPU, the second device is a virtual one with another schedule and all checks on.

mod compare;
mod device;
mod options;
mod random_run;
mod reduce;
mod suite;
mod table_run;

use compare::Tally;
use options::{Driver, Mode, Options};
use std::process::ExitCode;
use suite::case::Machine;
use suite::catalogue::{self, Row};
use suite::virtual_machine::VirtualMachine;
use suite::{generate, table};
use virtual_gpu::{Policy, RunOptions, Switch};

fn main() -> ExitCode {
    let options = match options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(tally) if tally.disagree == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<Tally, String> {
    let mut here = VirtualMachine::new(RunOptions::default());
    let mut there = other_machine(options.driver)?;
    let rows = known_to("the virtual GPU", &mut here, catalogue::rows());
    let tally = match &options.mode {
        Mode::Show { seed } => {
            let statements = generate::statements(*seed, &rows, options.nans);
            println!("{}", generate::case(*seed, &statements).text);
            return Ok(Tally::default());
        }
        Mode::Random { seed, count } => {
            let rows = known_to("the other device", &mut *there, rows);
            let seeds = *seed..seed.saturating_add(*count);
            random_run::run(&mut here, &mut *there, &rows, seeds, options)
        }
        Mode::Table { filter } => {
            let cases = table::cases(&rows, filter);
            table_run::run(&mut here, &mut *there, &cases, options.limit)
        }
    };
    println!("{} kernels, {} disagree", tally.kernels, tally.disagree);
    if let Some(path) = &options.record {
        std::fs::write(path, &tally.lines).map_err(|error| error.to_string())?;
    }
    Ok(tally)
}

/// The rows that a machine loads; the others are named, with the last line of the reason.
fn known_to(name: &str, machine: &mut dyn Machine, rows: Vec<Row>) -> Vec<Row> {
    let cases = rows.iter().enumerate();
    let cases: Vec<_> = cases.map(|(i, row)| table::row_case(i, row)).collect();
    let refused = machine.refused(&cases);
    for (number, reason) in &refused {
        let reason = reason.lines().last().unwrap_or_default();
        println!(
            "{} is left out, for {name} refuses it: {reason}",
            rows[*number].name()
        );
    }
    let is_known = |number| refused.iter().all(|(other, _)| *other != number);
    let numbered = rows.into_iter().enumerate();
    numbered
        .filter(|(number, _)| is_known(*number))
        .map(|(_, row)| row)
        .collect()
}

fn other_machine(driver: Driver) -> Result<Box<dyn Machine>, String> {
    let mode = virtual_gpu::mode().map_err(|error| error.to_string())?;
    if mode == virtual_gpu::Mode::Real || driver == Driver::Always {
        println!("compared with the driver's device");
        return Ok(Box::new(device::Device::start()?));
    }
    println!("there is no real driver: compared with another schedule and all checks on");
    let mut options = RunOptions {
        seed: 99,
        policy: Policy::ReversedBlocks,
        ..RunOptions::default()
    };
    options.checks.race = Switch::On;
    Ok(Box::new(VirtualMachine::new(options)))
}
