//! The cache of compiled device code. All builds of a user share it: debug and release builds, tests, all crates and workspaces.
//!
//! ```text
//! FOLDER/rows/KEY           a row's kernels for all architectures, as `pack` writes them
//! FOLDER/libraries/KEY/     where cargo compiles `warpfold-kernels`, against which the rows are compiled
//! ```
//!
//! A key is a hash of everything that an entry depends on. A file of kernels counts as one row. A row depends on its tokens, the parts of
//! the user's file that it needs, the edition, the compiler, warpfold's sources, and the locked packages that device code is compiled from
//! (see `locked`). The folder `rows` also keeps the kernels of files of committed device code (see `pack::committed`). Their key is a hash
//! of the committed file, of the source's tokens and of the library's version. So no entry is ever out of date. A row's file is written
//! under another name and then renamed, so concurrent builds see the whole file or none. If the cache is too large, the least recently used
//! entries are removed. If the cache cannot be read or written, the build works without it.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use crate::pack::Pack;
use crate::source::Hash;
use crate::variables::CACHE;

/// The most bytes of all rows together.
const MOST_ROW_BYTES: u64 = 256 << 20;

/// The most libraries that are kept. Each takes about 60 MB. Each combination of compiler, edition, lock file and warpfold's sources has a
/// separate library.
const MOST_LIBRARIES: usize = 4;

/// A cache, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
    most_row_bytes: u64,
}

impl Cache {
    /// The cache that the environment sets: in the folder that [`CACHE`] names, or else in the user's cache folder. [`Self::none`] if
    /// `CACHE` is `off` or `0`, or if neither folder is known.
    pub fn of_environment() -> Self {
        Self::of(|variable| env::var_os(variable))
    }

    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        match variable(CACHE) {
            Some(value) if value == "off" || value == "0" => Self::none(),
            Some(folder) if !folder.is_empty() => Self::at(PathBuf::from(folder)),
            _ => match user_folder(variable) {
                Some(folder) => Self::at(folder.join("warpfold")),
                None => Self::none(),
            },
        }
    }

    /// A cache in a folder.
    pub fn at(folder: PathBuf) -> Self {
        Self {
            folder: Some(folder),
            most_row_bytes: MOST_ROW_BYTES,
        }
    }

    /// No cache: no row is kept or found.
    pub fn none() -> Self {
        Self {
            folder: None,
            most_row_bytes: 0,
        }
    }

    /// A row's kernels, if they are in the cache.
    pub fn row(&self, key: Hash) -> Option<Pack> {
        let path = self.rows()?.join(key.to_string());
        let pack = Pack::from_file(&fs::read(&path).ok()?)?;
        touch(&path);
        Some(pack)
    }

    /// Keeps a row's kernels.
    pub fn keep_row(&self, key: Hash, pack: &Pack) {
        let Some(folder) = self.rows() else {
            return;
        };
        let path = folder.join(key.to_string());
        if fs::create_dir_all(&folder).is_ok() && replace(&path, &pack.to_file()).is_some() {
            self.make_room(&folder);
        }
    }

    /// The folder in which cargo compiles the library that has this key. `None` if there is no cache, or if it cannot be written.
    pub fn library(&self, key: Hash) -> Option<PathBuf> {
        let all = self.folder.as_ref()?.join("libraries");
        let folder = all.join(key.to_string());
        fs::create_dir_all(&folder).ok()?;
        // The modification time of the file `used` says when the library was last used.
        replace(&folder.join("used"), b"")?;
        let mut others = by_use(&all, |folder| folder.join("used"));
        others.retain(|other| other.path != folder);
        let too_many = (others.len() + 1).saturating_sub(MOST_LIBRARIES);
        for other in &others[..too_many.min(others.len())] {
            let _ = fs::remove_dir_all(&other.path);
        }
        Some(folder)
    }

    fn rows(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("rows"))
    }

    /// If the rows take too much room, removes the least recently used rows until a quarter of the room is free.
    fn make_room(&self, folder: &Path) {
        let files = by_use(folder, Path::to_owned);
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        if bytes <= self.most_row_bytes {
            return;
        }
        for file in files {
            if bytes <= self.most_row_bytes / 4 * 3 {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                bytes -= file.bytes;
            }
        }
    }
}

/// The user's cache folder.
fn user_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return Some(folder("HOME")?.join("Library/Caches"));
    }
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))
}

/// A file or a folder in the cache.
struct Kept {
    path: PathBuf,
    used: SystemTime,
    bytes: u64,
}

/// The entries of a folder, the least recently used first. `sign` names the file whose modification time is the entry's time of use.
fn by_use(folder: &Path, sign: impl Fn(&Path) -> PathBuf) -> Vec<Kept> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let kept = entries.filter_map(|entry| {
        let path = entry.path();
        let about = fs::metadata(sign(&path)).ok()?;
        Some(Kept {
            used: about.modified().ok()?,
            bytes: about.len(),
            path,
        })
    });
    let mut kept: Vec<Kept> = kept.collect();
    kept.sort_by_key(|kept| kept.used);
    kept
}

/// Sets a file's modification time to now, which records that the file was just used.
fn touch(path: &Path) {
    if let Ok(file) = File::options().append(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Replaces a file atomically: concurrent readers see the whole old file (if there was one) or the whole new file.
fn replace(path: &Path, bytes: &[u8]) -> Option<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let own = path.with_extension(format!("{}-{count}", process::id()));
    let written = fs::write(&own, bytes).and_then(|()| fs::rename(&own, path));
    if written.is_err() {
        let _ = fs::remove_file(&own);
    }
    written.ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::compiled::{Compiled, Kernel};

    fn pack(name: &str) -> Pack {
        Pack::of(&[Compiled {
            capability: (9, 0),
            kernels: vec![Kernel {
                symbol: name.to_owned(),
                text: name.repeat(1000),
            }],
        }])
    }

    /// A folder for a test.
    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("warpfold-cache-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn kept_rows_are_found_and_damaged_rows_are_not() {
        let folder = folder("rows");
        let cache = Cache::at(folder.clone());
        let key = Hash::of(b"a");
        assert_eq!(cache.row(key), None);
        cache.keep_row(key, &pack("a"));
        assert_eq!(cache.row(key), Some(pack("a")));
        assert_eq!(cache.row(Hash::of(b"b")), None);
        let path = folder.join("rows").join(key.to_string());
        let mut bytes = fs::read(&path).unwrap();
        bytes[40] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(cache.row(key), None);
        assert_eq!(folder.join("rows").read_dir().unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_absent_or_broken_cache_keeps_nothing() {
        let key = Hash::of(b"a");
        let folder = folder("broken");
        fs::write(&folder, "a file").unwrap();
        for cache in [Cache::none(), Cache::at(folder.join("cache"))] {
            cache.keep_row(key, &pack("a"));
            assert_eq!(cache.row(key), None);
            assert_eq!(cache.library(key), None);
        }
        fs::remove_file(folder).unwrap();
    }

    #[test]
    fn the_least_recently_used_row_is_removed_first() {
        let folder = folder("room");
        let bytes = pack("a").to_file().len() as u64;
        let cache = Cache {
            most_row_bytes: 4 * bytes,
            ..Cache::at(folder.clone())
        };
        let keys = ["a", "b", "c", "d", "e"].map(|name| Hash::of(name.as_bytes()));
        for (age, key) in keys[..4].iter().enumerate() {
            cache.keep_row(*key, &pack("a"));
            let file = File::options()
                .append(true)
                .open(folder.join("rows").join(key.to_string()));
            let time = SystemTime::now() - Duration::from_secs(100 - age as u64);
            file.unwrap().set_modified(time).unwrap();
        }
        assert!(cache.row(keys[0]).is_some());
        cache.keep_row(keys[4], &pack("a"));
        let left = keys.map(|key| cache.row(key).is_some());
        assert_eq!(left, [true, false, false, true, true]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_a_few_libraries_are_kept() {
        let folder = folder("libraries");
        let cache = Cache::at(folder.clone());
        let keys: Vec<Hash> = (0..2 * MOST_LIBRARIES as u8)
            .map(|key| Hash::of(&[key]))
            .collect();
        for key in &keys {
            let own = cache.library(*key).unwrap();
            fs::write(own.join("compiled"), "much").unwrap();
        }
        let left = folder.join("libraries").read_dir().unwrap().count();
        assert_eq!(left, MOST_LIBRARIES);
        let last = folder
            .join("libraries")
            .join(keys[keys.len() - 1].to_string());
        assert!(last.join("compiled").exists());
        fs::remove_dir_all(folder).unwrap();
    }

    /// Four threads write and read one row: each read returns the whole row.
    #[test]
    fn concurrent_builds_see_whole_rows() {
        let folder = folder("side-by-side");
        let (key, row) = (Hash::of(b"a"), pack("a"));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = Cache::at(folder.clone());
                    for _ in 0..50 {
                        cache.keep_row(key, &row);
                        assert_eq!(cache.row(key).as_ref(), Some(&row));
                    }
                });
            }
        });
        assert_eq!(folder.join("rows").read_dir().unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_environment_sets_the_cache() {
        let of = |value: &'static str| {
            Cache::of(|name| match name {
                CACHE => Some(value.into()),
                _ => Some("/home/me".into()),
            })
        };
        assert_eq!(of("off"), Cache::none());
        assert_eq!(of("0"), Cache::none());
        assert_eq!(of("/elsewhere"), Cache::at("/elsewhere".into()));
        assert_ne!(of(""), Cache::none());
        assert_eq!(Cache::of(|_| None), Cache::none());
    }

    #[test]
    fn the_folder_comes_from_the_users_environment() {
        let of = |variables: &[(&str, &str)]| {
            let find = |name: &str| variables.iter().find(|(other, _)| *other == name);
            user_folder(|name| find(name).map(|(_, value)| value.into()))
        };
        if cfg!(target_os = "linux") {
            assert_eq!(of(&[("HOME", "/home/me")]), Some("/home/me/.cache".into()));
            assert_eq!(
                of(&[("HOME", "/home/me"), ("XDG_CACHE_HOME", "/c")]),
                Some("/c".into())
            );
            assert_eq!(
                of(&[("HOME", "/home/me"), ("XDG_CACHE_HOME", "here")]),
                Some("/home/me/.cache".into())
            );
        }
        assert_eq!(of(&[]), None);
    }
}
