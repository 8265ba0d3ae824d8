use std::env;
use std::process;

use super::*;
use crate::compiled::Kernel;

const OPERATORS: &str = "warpfold::operators! { twice: Twice, u32; }\n";
const KERNELS: &str =
    "warpfold::kernels! {\n    pub fn twice(items: *mut u32) { fn inner() {} }\n}\n";

/// A build that uses only committed device code, since [`Build::locked`] is set. Its committed file has one kernel with this symbol.
fn with_committed(contents: Contents, source: &str, symbol: &str) -> Build {
    let name = format!("warpfold-build-{contents:?}-{symbol}-{}", process::id());
    let folder = env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    let build = Build {
        contents,
        source: folder.join("source.rs"),
        crate_folder: folder.clone(),
        output: folder,
        target: PathBuf::new(),
        cache: Cache::none(),
        updates: false,
        compares: false,
        locked: true,
    };
    let kernel = |target: &str| Kernel {
        symbol: symbol.to_owned(),
        text: format!(".target {target}\n.visible .entry {symbol}(\n)\n{{\n\tret;\n}}\n"),
    };
    let compiled: Vec<Compiled> = build
        .variants()
        .map(|variant| Compiled {
            capability: variant.capability,
            kernels: vec![kernel(variant.target_cpu)],
        })
        .collect();
    let stamp = stamp(&Source::parse(source.to_owned()).unwrap());
    fs::write(&build.source, source).unwrap();
    fs::write(
        build.committed(),
        committed::to_file(&stamp, &compiled).unwrap(),
    )
    .unwrap();
    build
}

/// Whether the committed texts are used.
fn is_used(contents: Contents, source: &str, symbol: &str) -> bool {
    let build = with_committed(contents, source, symbol);
    let ran = build.run();
    fs::remove_dir_all(&build.output).unwrap();
    match ran {
        Ok(unfit) => unfit.is_none(),
        Err(Error::Unfit { unfit, .. }) => {
            assert_eq!(unfit, Unfit::Damaged);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn only_committed_texts_of_the_source_are_used() {
    assert!(is_used(Contents::Operators, OPERATORS, "reduce_twice"));
    assert!(!is_used(Contents::Operators, OPERATORS, "reduce_thrice"));
    assert!(!is_used(Contents::Operators, OPERATORS, "kernel_twice"));
    assert!(is_used(Contents::Kernels, KERNELS, "kernel_twice"));
    assert!(!is_used(Contents::Kernels, KERNELS, "kernel_thrice"));
    assert!(!is_used(Contents::Kernels, KERNELS, "kernel_inner"));
    assert!(!is_used(Contents::Kernels, KERNELS, "reduce_twice"));
}
