//! Compiles operators with rust-cuda's compiler.
//!
//! `CudaBuilder` compiles a crate of the type `cdylib` that contains the user's file. Each architecture has its own profile in that crate,
//! and so a folder that cargo locks separately. So the architectures are compiled in parallel. Only the kernels' names, parameters and
//! bodies are used. The rest of the compiler's text declares a PTX version that older drivers refuse, and 16 bytes of shared memory in
//! addition to those that the launch asks for.

use std::fs;
use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, thread};

use cuda_builder::{CudaBuilder, NvvmArch};
use warpfold_ptx::inspect::Operands;
use warpfold_ptx::text::Text;

use crate::build::Build;
use crate::compiled::{Compiled, Kernel};
use crate::device::{at, kernels_crate};
use crate::error::{Error, Problem};
use crate::kernels::{Judged, Origin, finished, reduction_of, refusal_of_kernel};
use crate::ptx::refuse;
use crate::ptx::space::SHARED_ARRAY;
use crate::variant::{MADE_OF_RUST_CUDAS, VARIANTS, Variant};

/// The name of the block's shared memory in `cuda_std`.
const CUDA_STD_SHARED_ARRAY: &str = "_Zcuda_std_dyn_shared";

/// The variable with the names of the architectures to compile for, separated by commas. If it is not set, the operators are compiled for
/// `sm_90` and `sm_70`.
pub const ARCHITECTURES: &str = "WARPFOLD_ARCHITECTURES";

/// The operators, compiled for each requested compute capability. The highest comes first.
pub fn compile(build: &Build) -> Result<Vec<Compiled>, Error> {
    let variants = variants(env::var(ARCHITECTURES).ok().as_deref())?;
    let device = write_crate(build)?;
    thread::scope(|scope| {
        let (device, output) = (&device, &build.output);
        let compile = |variant| scope.spawn(move || compile_for(variant, device, output));
        let threads: Vec<_> = variants.into_iter().map(compile).collect();
        let compiled = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| panic::resume_unwind(panic))
        });
        compiled.collect()
    })
}

/// The variants to compile: those that `named` lists, or else all that rust-cuda's compiler makes.
fn variants(named: Option<&str>) -> Result<Vec<&'static Variant>, Error> {
    let variants = VARIANTS.iter();
    let mut variants: Vec<_> = variants
        .filter(|variant| !MADE_OF_RUST_CUDAS.contains(&variant.capability))
        .collect();
    let Some(named) = named else {
        return Ok(variants);
    };
    let names: Vec<&str> = named.split(',').collect();
    let is_known = |name: &&&str| variants.iter().any(|variant| variant.target_cpu == **name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(Error::UnknownArchitecture((*name).to_owned()));
    }
    variants.retain(|variant| names.contains(&variant.target_cpu));
    Ok(variants)
}

/// Compiles for one compute capability.
fn compile_for(variant: &Variant, device: &Path, output: &Path) -> Result<Compiled, Error> {
    let emitted = output.join(variant.target_cpu).with_extension("ptx");
    CudaBuilder::new(device)
        .arch(arch(variant))
        // `release(true)` would turn on libNVVM's optimisations, but also add a second profile, and cargo accepts only one. So `nvvm_opts`
        // turns the optimisations on.
        .release(false)
        .nvvm_opts(true)
        .build_args(&[format!("--profile={}", variant.target_cpu)])
        // The bits of floats are part of the contract: nothing may be fused, flushed or replaced.
        .fma_contraction(false)
        .ftz(false)
        .override_libm(false)
        .copy_to(&emitted)
        .build()
        .map_err(|error| Error::Compiler {
            target: variant.target_cpu,
            messages: error.to_string(),
        })?;
    let emitted = fs::read_to_string(&emitted).map_err(at(&emitted))?;
    Ok(Compiled {
        capability: variant.capability,
        kernels: kernels(&emitted, variant)?,
    })
}

fn arch(variant: &Variant) -> NvvmArch {
    match variant.capability.0 {
        9.. => NvvmArch::Compute90,
        _ => NvvmArch::Compute70,
    }
}

/// The kernels in the compiler's text, in the order of their symbols.
fn kernels(emitted: &str, variant: &Variant) -> Result<Vec<Kernel>, Error> {
    let emitted = emitted.replace(CUDA_STD_SHARED_ARRAY, SHARED_ARRAY);
    let (mut kernels, mut refusals) = (Vec::<Kernel>::new(), Vec::new());
    for function in Text::parse(&emitted).map_err(Problem::from)?.functions {
        let Some((origin, operator)) = Origin::of(function.name) else {
            continue;
        };
        match refuse::reason_of_whole_kernel(&function.body) {
            Some(reason) => refusals.push(refusal_of_kernel(function.name, operator, reason)),
            None => kernels.push(finished(function, origin, Operands::InRegisters, variant)?),
        }
    }
    for refusal in &mut refusals {
        let reduction = reduction_of(&refusal.operator);
        refusal.may_reduce_only = kernels.iter().any(|kernel| kernel.symbol == reduction);
    }
    Judged { kernels, refusals }.all()
}

/// Writes the crate around the operators, and returns its folder.
fn write_crate(build: &Build) -> Result<PathBuf, Error> {
    let device = build.output.join("warpfold-rust-cuda");
    let source = device.join("src");
    fs::create_dir_all(&source).map_err(at(&source))?;
    let operators = build.source.canonicalize();
    let operators = operators.map_err(at(&build.source))?;
    write(&device.join("Cargo.toml"), &manifest(&build.edition()))?;
    write(&source.join("lib.rs"), &library(&operators))?;
    // The `cuda_std` in rust-cuda's repository accepts any `glam` from 0.22 on, but does not compile with versions after 0.30. The
    // `cuda_std` on crates.io does not use `glam`: with it, this command fails, without harm.
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["update", "--package=glam", "--precise=0.30.5"])
        .current_dir(&device)
        .status()
        .map_err(at(&device))?;
    Ok(device)
}

/// Writes a file only if its contents change: a newer file would make cargo recompile the crate.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        match fs::read_to_string(path).is_ok_and(|written| written == text) {
            true => Ok(()),
            false => fs::write(path, text),
        }
    };
    write().map_err(at(path))
}

/// The crate's manifest.
///
/// rustc's pass `JumpThreading` may copy a barrier into both arms of a branch, and `CudaBuilder` takes no flags for rustc. So the profile
/// turns the pass off, for the kernels and the operators.
fn manifest(edition: &str) -> String {
    let profiles = VARIANTS.map(|variant| {
        let name = variant.target_cpu;
        format!("[profile.{name}]\ninherits = \"release\"\n")
    });
    format!(
        "# Made by warpfold-build.\n\
         cargo-features = [\"profile-rustflags\"]\n\
         \n\
         [package]\n\
         name = \"warpfold-device\"\n\
         version = \"0.0.0\"\n\
         edition = \"{edition}\"\n\
         publish = false\n\
         \n\
         [lib]\n\
         crate-type = [\"cdylib\"]\n\
         \n\
         [dependencies]\n\
         warpfold = {}\n\
         \n\
         [features]\n\
         default = [\"warpfold/cuda_std_operators\"]\n\
         \n\
         [profile.release.package.warpfold-kernels]\n\
         rustflags = [\"-Zmir-enable-passes=-JumpThreading\"]\n\
         \n\
         [profile.release.package.warpfold-device]\n\
         rustflags = [\"-Zmir-enable-passes=-JumpThreading\"]\n\
         \n\
         {}\n\
         [workspace]\n",
        kernels_crate(),
        profiles.concat(),
    )
}

fn library(operators: &Path) -> String {
    format!(
        "// Made by warpfold-build.\n\
         #![no_std]\n\
         #![allow(warnings)]\n\
         \n\
         #[path = {:?}]\n\
         mod operators;\n",
        operators.display().to_string()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const REDUCE: &str = "\
.version 8.8
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 _Zcuda_std_dyn_shared[16];

.visible .entry reduce_gcd(
\t.param .u64 reduce_gcd_param_0
)
{
\t.reg .b32 %r<2>;
\tbar.sync \t0;
\tld.shared.u32 \t%r1, [_Zcuda_std_dyn_shared+4];
\tbar.sync \t0;
\tbar.sync \t0;
\tret;
}
";

    fn kernels(emitted: &str) -> Result<Vec<Kernel>, Error> {
        super::kernels(emitted, &VARIANTS[2])
    }

    #[test]
    fn architectures_are_chosen_by_name() {
        assert_eq!(variants(None).unwrap(), [&VARIANTS[0], &VARIANTS[2]]);
        let names: Vec<_> = variants(Some("sm_70,sm_90")).unwrap();
        assert_eq!(names, [&VARIANTS[0], &VARIANTS[2]]);
        let error = variants(Some("sm_90,sm_60")).unwrap_err();
        assert!(error.to_string().contains("`sm_60`"), "{error}");
    }

    #[test]
    fn a_kernel_gets_a_text_of_its_own() {
        let kernels = kernels(REDUCE).unwrap();
        assert_eq!(kernels[0].symbol, "reduce_gcd");
        let text = &kernels[0].text;
        assert!(text.starts_with(".version 7.4\n.target sm_70\n"), "{text}");
        assert!(
            text.contains(".shared .align 128 .b8 warpfold_shared[];"),
            "{text}"
        );
        assert!(text.contains("[warpfold_shared+4]"), "{text}");
        assert!(text.contains(".maxntid 256, 1, 1\n"), "{text}");
    }

    #[test]
    fn an_operator_that_may_panic_is_refused() {
        let error = kernels(&REDUCE.replace("\tret;", "\ttrap;\n\tret;")).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("`reduce` of `gcd`: it panics"),
            "{message}"
        );
    }

    #[test]
    fn a_copied_barrier_is_an_error() {
        let error =
            kernels(&REDUCE.replacen("\tbar.sync \t0;", "\tbar.sync \t0;\n\tbar.sync \t0;", 1));
        assert!(matches!(error, Err(Error::Unexpected(_))));
    }
}
