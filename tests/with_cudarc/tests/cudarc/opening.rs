//! The library is not linked with the driver here, and opens the driver at run time. If the file `libcuda.so.1` or one of its functions is
//! missing, the error names it.

use std::fs;
use std::path::{Path, PathBuf};

use warpfold::{DriverCode, Error, Gpu};

use super::child::{in_child, is_child};

/// A folder with the file that `make` writes in place of the driver.
fn folder(name: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !is_child() {
        fs::create_dir_all(&folder).unwrap();
        make(&folder.join("libcuda.so.1"));
    }
    folder
}

/// Runs a test in a process that loads the driver from this folder. Asserts that the library finds no device, and that the error has this
/// code and this reason.
#[track_caller]
fn assert_no_device(test: &str, folder: &Path, code: i32, said: &str) {
    let path = folder.to_str().unwrap();
    in_child(test, &[("LD_LIBRARY_PATH", path)], || {
        // The second call looks for the driver again.
        for _ in 0..2 {
            let error = Gpu::new().unwrap_err();
            assert!(
                matches!(error, Error::NoDevice { call: "cuInit", code: DriverCode(found), .. } if found == code),
                "{error:?}"
            );
            assert!(error.to_string().contains(said), "{error}");
        }
    });
}

#[test]
fn a_library_that_cannot_be_opened_is_named() {
    let folder = folder("no-library", |file| fs::write(file, "no library").unwrap());
    let test = "opening::a_library_that_cannot_be_opened_is_named";
    assert_no_device(test, &folder, 303, "libcuda.so.1 cannot be opened: ");
}

/// The file is another library. It stands for a driver that is too old to have a function.
#[test]
fn a_function_that_is_missing_is_named() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut files = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let library = files
        .find(|file| file.contains("libgcc_s.so"))
        .expect("Rust's unwinder");
    let folder = folder("no-function", |file| {
        fs::copy(library, file).unwrap();
    });
    let test = "opening::a_function_that_is_missing_is_named";
    assert_no_device(test, &folder, 302, "libcuda.so.1 has no function cuInit");
}
