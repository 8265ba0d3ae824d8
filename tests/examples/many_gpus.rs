//! Tests of `many_gpus`, which must agree with the CPU, and must not panic for any number in its arguments. Tests of the file by which the
//! processes of `many_gpus` find each other.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::id_file::{self, Fault};
use crate::programs::*;

#[test]
fn many_gpus_agree_with_the_cpu() {
    let folder = folder("many-gpus");
    let file = folder.join("numbers");
    let numbers: Vec<u8> = (0..5000u64).flat_map(u64::to_le_bytes).collect();
    fs::write(&file, &numbers).unwrap();
    let of_file = ["--gpus", "2", "--file", file.to_str().unwrap()];
    let made_up = ["--numbers", "5000,0"];
    for (arguments, ranks, sum) in [
        (&of_file[..], 2, "sum 12497500 "),
        (&made_up[..], 6, "sum 0 "),
    ] {
        let mut command = command("many_gpus");
        command.args(arguments).env("VIRTUAL_GPU_DEVICES", "3");
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let printed = printed(&output);
        let lines = || printed.lines().filter(|line| line.starts_with("rank "));
        if virtual_gpu::mode() == Ok(virtual_gpu::Mode::Virtual) {
            assert_eq!(lines().count(), ranks, "{printed}");
        }
        assert!(lines().all(|line| line.ends_with("the CPU agrees")));
        assert!(lines().any(|line| line.contains(sum)), "{printed}");
    }
    fs::write(&file, &numbers[1..]).unwrap();
    let output = run("many_gpus", &of_file[2..]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn numbers_that_are_too_large_are_refused() {
    let file = folder("many-gpus-large").join("id");
    let id = file.to_str().unwrap();
    let most = u64::MAX.to_string();
    for (arguments, code, why) in [
        (
            &["--gpus", "2", "--numbers", &most][..],
            2,
            "too many to count",
        ),
        (&["--gpus", "1", "--numbers", &most], 1, "GPUs of"),
        (
            &["--gpus", "2", "--numbers", "1000000000000000"],
            1,
            "GPUs of",
        ),
        (&["--slice", &most], 1, "no memory for"),
        (&["--slice", "1152921504606846976"], 1, "no memory for"),
        (
            &["--rank", "4294967296", "--of", "2", "--id", id],
            2,
            "4294967296",
        ),
        (
            &["--rank", "2", "--of", "2", "--id", id],
            2,
            "no rank 2 of 2",
        ),
        (
            &["--rank", "0", "--of", &most, "--id", id],
            2,
            "too many to count",
        ),
    ] {
        let mut command = command("many_gpus");
        // A machine may have a single GPU, so the test uses virtual GPUs.
        command.args(arguments);
        command.envs([("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_DEVICES", "2")]);
        let output = command.output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {output:?}"
        );
        let complaint = complaint(&output);
        assert!(complaint.contains(why), "{arguments:?}: {complaint}");
        assert_one_page(&complaint);
    }
    assert!(!file.exists());
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
}

#[test]
fn ranks_may_wait_for_ever() {
    let most = u64::MAX.to_string();
    let output = run("many_gpus", &["--numbers", "9", "--limit", &most]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

const ID: [u8; 128] = [7; 128];

const SOON: Duration = Duration::from_millis(50);

/// A folder for a test of the id file.
fn id_folder(test: &str) -> PathBuf {
    folder(&format!("id-file-{test}"))
}

fn read(path: &Path) -> Result<[u8; 128], Fault> {
    id_file::read(path, SOON)
}

#[test]
fn the_id_file_is_private_and_removed_after_the_run() {
    let folder = id_folder("private");
    let path = folder.join("id");
    let written = id_file::write(&path, &ID).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(read(&path).unwrap(), ID);
    drop(written);
    assert!(!path.exists());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let folder = id_folder("there");
    let [path, link, dangling] = ["id", "link", "dangling"].map(|name| folder.join(name));
    let nowhere = folder.join("nowhere");
    fs::write(&path, "mine").unwrap();
    symlink(&path, &link).unwrap();
    symlink(&nowhere, &dangling).unwrap();
    for path in [&path, &link, &dangling] {
        let fault = id_file::write(path, &ID).unwrap_err();
        assert!(matches!(fault, Fault::IsThere), "{fault:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    assert!(!nowhere.exists());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_id_is_read_only_from_a_private_plain_file() {
    let folder = id_folder("any");
    let path = folder.join("id");
    let _written = id_file::write(&path, &ID).unwrap();
    let link = folder.join("link");
    symlink(&path, &link).unwrap();
    for path in [&link, &folder, Path::new("/dev/zero")] {
        let fault = read(path).unwrap_err();
        assert!(matches!(fault, Fault::NotAFile), "{fault:?}");
    }
    for mode in [0o640, 0o604, 0o620, 0o602] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let fault = read(&path).unwrap_err();
        assert!(matches!(fault, Fault::NotPrivate), "{mode:o}: {fault:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_id_of_an_earlier_run_is_refused() {
    let folder = id_folder("stale");
    let path = folder.join("id");
    let _written = id_file::write(&path, &ID).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    let minute = Duration::from_secs(60);
    file.set_modified(SystemTime::now() - minute).unwrap();
    let fault = read(&path).unwrap_err();
    assert!(matches!(fault, Fault::Stale), "{fault:?}");
    assert_eq!(id_file::read(&path, 2 * minute).unwrap(), ID);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_id_of_a_wrong_length_is_refused() {
    let folder = id_folder("length");
    let path = folder.join("id");
    let fault = read(&path).unwrap_err();
    assert!(matches!(fault, Fault::Missing(_)), "{fault:?}");

    let part = id_file::write(&path, &ID[..100]).unwrap();
    let fault = read(&path).unwrap_err();
    assert!(matches!(fault, Fault::Missing(_)), "{fault:?}");
    drop(part);

    // The file would not fit in memory. The reader reads at most one byte more than an id has.
    let _endless = id_file::write(&path, &ID).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let fault = read(&path).unwrap_err();
    assert!(matches!(fault, Fault::TooLong(128)), "{fault:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_rank_waits_for_the_rest_of_the_id() {
    let folder = id_folder("rest");
    let path = folder.join("id");
    let minute = Duration::from_secs(60);
    thread::scope(|scope| {
        let reader = scope.spawn(|| id_file::read::<128>(&path, minute));
        let written = id_file::write(&path, &ID[..100]).unwrap();
        thread::sleep(SOON);
        fs::write(&path, ID).unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), ID);
        drop(written);
    });
    fs::remove_dir_all(folder).unwrap();
}
