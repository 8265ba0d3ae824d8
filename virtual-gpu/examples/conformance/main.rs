//! Do hardware and the virtual GPU give the same bits?
//!
//! `cargo run --release -p virtual-gpu --example conformance -- [options]` makes random kernels. With `--table` it makes one kernel for
//! each form of an instruction instead. It runs each kernel on the virtual GPU and on the driver's device. If the outputs differ, it shows
//! a difference. The first random kernels on which the devices disagree are also shortened and printed. The devices still disagree on a
//! shortened kernel. On a machine without a GPU, the second device is also a virtual GPU, with another schedule and with all checks on.
//! With `--through-driver`, the second device is always the driver's device, even if that is the virtual GPU.

mod compare;
mod device;
mod keep;
mod options;
mod random_run;
mod reduce;
mod replay;
mod suite;
mod table_run;

use compare::Tally;
use options::{Driver, Mode, Options};
use std::process::ExitCode;
use suite::case::Machine;
use suite::catalogue::Catalogue;
use suite::virtual_machine::VirtualMachine;
use suite::{generate, table};
use virtual_gpu::{Checks, Policy, RunOptions};

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
    let mut here = VirtualMachine::new(RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    });
    let tally = match &options.mode {
        Mode::Against { file, filter } => replay::run(&mut here, file, filter)?,
        Mode::Show { seed } => {
            let catalogue = known_to("the virtual GPU", &mut here, Catalogue::whole());
            let statements = generate::statements(*seed, &catalogue, options.nans);
            println!("{}", generate::case(*seed, &statements).text);
            return Ok(Tally::default());
        }
        Mode::Random { seed, count } => {
            let mut there = other_machine(options)?;
            let catalogue = known_to("the virtual GPU", &mut here, Catalogue::whole());
            let catalogue = known_to("the other device", &mut *there, catalogue);
            let seeds = *seed..seed.saturating_add(*count);
            random_run::run(&mut here, &mut *there, &catalogue, seeds, options)
        }
        Mode::Table { filter } => {
            let mut there = other_machine(options)?;
            let catalogue = known_to("the virtual GPU", &mut here, Catalogue::whole());
            let cases = table::cases(&catalogue, filter);
            table_run::run(&mut here, &mut *there, &cases, options.limit)
        }
    };
    println!("{} kernels, {} disagree", tally.kernels, tally.disagree);
    if let Some(path) = &options.keep {
        keep::write(path, &tally.answers).map_err(|error| error.to_string())?;
    }
    if let Some(path) = &options.record {
        std::fs::write(path, &tally.lines).map_err(|error| error.to_string())?;
    }
    Ok(tally)
}

/// The forms that a machine loads. Prints the name of each form that the machine refuses, and the last line of the reason.
fn known_to(name: &str, machine: &mut dyn Machine, catalogue: Catalogue) -> Catalogue {
    catalogue.known_to(machine, |form, reason| {
        let reason = reason.trim_end().lines().last().unwrap_or_default();
        println!("{form} is left out, for {name} refuses it: {reason}");
    })
}

fn other_machine(options: &Options) -> Result<Box<dyn Machine>, String> {
    let mode = virtual_gpu::mode().map_err(|error| error.to_string())?;
    if mode == virtual_gpu::Mode::Real || options.driver == Driver::Always {
        println!("compared with the driver's device");
        return Ok(Box::new(device::Device::start(options.optimise)?));
    }
    println!("there is no real driver: compared with another schedule and all checks on");
    let options = RunOptions {
        seed: 99,
        policy: Policy::ReversedBlocks,
        checks: Checks::all(),
        ..RunOptions::default()
    };
    Ok(Box::new(VirtualMachine::new(options)))
}
