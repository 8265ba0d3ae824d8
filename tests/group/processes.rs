//! Ranks in processes of their own, over NCCL, each with a device of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use warpfold::group::{Fault, Member, UniqueId};
use warpfold::{Error, Gpu, Sum, reduce, scan};

use crate::ranks::{Held, offers_nccl};

const LIMIT: Duration = Duration::from_secs(10);

/// Two environment variables of a child: its rank, and the path of the file with the group's id.
const RANK: &str = "WARPFOLD_TEST_RANK";
const ID_FILE: &str = "WARPFOLD_TEST_ID_FILE";

/// Starts `test` as rank `rank` in another process.
fn start(test: &str, rank: usize, id_file: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(RANK, rank.to_string())
        .env(ID_FILE, id_file)
        .spawn()
        .unwrap()
}

/// Runs `test` in two processes, which each run `body` as one rank. Returns whether each process succeeded. Returns `None` in these
/// processes, and if the test is skipped because NCCL cannot be used.
fn in_two_processes(test: &str, body: impl FnOnce(Member<'_>)) -> Option<[bool; 2]> {
    if let Some(rank) = env::var_os(RANK) {
        let rank = rank.to_str().unwrap().parse().unwrap();
        let gpu = Gpu::with_device(rank).unwrap();
        gpu.make_current().unwrap();
        let id = shared_id(rank, &PathBuf::from(env::var_os(ID_FILE).unwrap()));
        body(Member::join(&gpu, &id, rank as usize, 2, LIMIT).unwrap());
        return None;
    }
    if !offers_nccl(test) {
        return None;
    }
    let name = format!("warpfold-{}-{}", test.replace(':', "-"), process::id());
    let id_file = env::temp_dir().join(name);
    let mut children = [0, 1].map(|rank| start(test, rank, &id_file));
    let ends = children
        .each_mut()
        .map(|child| child.wait().unwrap().success());
    let _ = fs::remove_file(&id_file);
    Some(ends)
}

/// The id. Rank 0 makes it and writes it to the file, from which the other rank reads it.
fn shared_id(rank: u32, file: &Path) -> UniqueId {
    if rank == 0 {
        let id = UniqueId::new().unwrap();
        let part = file.with_extension("part");
        fs::write(&part, id.to_bytes()).unwrap();
        fs::rename(part, file).unwrap();
        return id;
    }
    let begin = Instant::now();
    loop {
        if let Ok(bytes) = fs::read(file) {
            return UniqueId::from_bytes(bytes.try_into().unwrap());
        }
        assert!(begin.elapsed() < LIMIT, "no id in {}", file.display());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn two_processes_scan_together() {
    let ends = in_two_processes("processes::two_processes_scan_together", |mut member| {
        let items = vec![1u64; 100_000 + member.rank()];
        let share = Held::new(&items, 1);
        let scan = scan::<Sum, _>(&mut share.slice())
            .in_place()
            .wait(&mut member);
        scan.unwrap();
        let first = 1 + 100_000 * member.rank() as u64;
        assert!(share.items().into_iter().eq((first..).take(items.len())));
    });
    if let Some(ends) = ends {
        assert_eq!(ends, [true, true]);
    }
}

#[test]
fn a_killed_process_ends_the_group() {
    let ends = in_two_processes(
        "processes::a_killed_process_ends_the_group",
        |mut member| {
            let share = Held::new(&[1u32], 0);
            assert_eq!(reduce::<Sum, _>(&share.slice()).wait(&mut member), Ok(2));
            if member.rank() == 1 {
                process::abort();
            }
            let begin = Instant::now();
            let end = reduce::<Sum, _>(&share.slice()).wait(&mut member);
            eprintln!("after {:?}: {end:?}", begin.elapsed());
            assert!(matches!(
                end,
                Err(Error::Group(Fault::TimedOut { .. } | Fault::Nccl { .. }))
            ));
            assert!(begin.elapsed() < 2 * LIMIT);
            assert_eq!(
                reduce::<Sum, _>(&share.slice()).wait(&mut member),
                Err(Error::Group(Fault::Dissolved))
            );
        },
    );
    if let Some(ends) = ends {
        assert_eq!(ends, [true, false]);
    }
}

#[test]
fn a_rank_that_nobody_joins_gives_up() {
    const TEST: &str = "processes::a_rank_that_nobody_joins_gives_up";
    if !offers_nccl(TEST) {
        return;
    }
    let gpu = Gpu::new().unwrap();
    let limit = Duration::from_secs(3);
    let joined = Member::join(&gpu, &UniqueId::new().unwrap(), 0, 2, limit);
    assert!(matches!(
        joined.map(drop),
        Err(Error::Group(Fault::TimedOut { .. }))
    ));
}

#[test]
fn a_missing_library_is_named() {
    // This test is for machines without NCCL.
    if let Err(error) = UniqueId::new() {
        assert!(
            matches!(error, Error::Group(Fault::LibraryNotFound { .. })),
            "{error}"
        );
        assert!(error.to_string().contains("libnccl.so.2"));
        let gpu = Gpu::new().unwrap();
        let id = UniqueId::from_bytes([7; UniqueId::BYTES]);
        let joined = Member::join(&gpu, &id, 0, 1, LIMIT).map(drop);
        assert_eq!(joined, Err(error));
    }
}

#[test]
fn a_rank_beyond_the_groups_size_is_refused() {
    let gpu = Gpu::new().unwrap();
    let id = UniqueId::from_bytes([7; UniqueId::BYTES]);
    let joined = Member::join(&gpu, &id, 2, 2, LIMIT).map(drop);
    let fault = Fault::NoSuchRank { rank: 2, size: 2 };
    assert_eq!(joined, Err(Error::Group(fault)));
}
