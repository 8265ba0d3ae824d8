//! Finds the exported symbol that a call has in a version of CUDA.
//!
//! `calls.txt` lists the calls of two headers: `cuda.h` of CUDA 13.5, and `cudaProfiler.h`. Each line has the plain name of a call, and the
//! versions of CUDA that gave it a new signature. The symbol of the first signature is the plain name. The symbols of later signatures end
//! with `_v2`, `_v3` and so on. If a version on the line ends with `_ptds` or `_ptsz`, there is a second symbol with this ending. Its
//! default stream is the calling thread's own.

use crate::driver::seam::{exports, unsupported};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

const CALLS: &str = include_str!("calls.txt");

/// The newest version of CUDA whose calls are listed.
pub(crate) const NEWEST_VERSION: i32 = 13_050;

/// The result of `cuGetProcAddress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Symbol(*mut c_void),
    /// The call exists, but only in newer versions of CUDA.
    Newer,
    Nothing,
}

/// Which symbol to find, if a call has two symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    Legacy,
    OfThread,
}

/// The symbol that the call with this plain name has in a version of CUDA.
pub(crate) fn find(name: &str, version: i32, default_stream: DefaultStream) -> Found {
    let Some(versions) = versions_of(name) else {
        return Found::Nothing;
    };
    let known = versions
        .enumerate()
        .filter(|(_, (since, _))| *since <= version);
    let Some((index, (_, ending))) = known.last() else {
        return Found::Newer;
    };
    let ending = match default_stream {
        DefaultStream::Legacy => "",
        DefaultStream::OfThread => ending,
    };
    let number = match index {
        0 => String::new(),
        _ => format!("_v{}", index + 1),
    };
    match address_of(&format!("{name}{number}{ending}")) {
        Some(address) => Found::Symbol(address),
        None => Found::Nothing,
    }
}

/// The versions of CUDA that gave a call a new signature. Each version is paired with the ending of the call's second symbol, or with an
/// empty ending if there is no second symbol.
fn versions_of(name: &str) -> Option<impl Iterator<Item = (i32, &'static str)>> {
    let mut rows = CALLS.lines().map(|line| line.split(' '));
    let row = rows.find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
    Some(row.map(|word| {
        let (digits, ending) = word.split_at(word.find('_').unwrap_or(word.len()));
        (digits.parse().unwrap_or(i32::MAX), ending)
    }))
}

/// The address of an exported symbol.
fn address_of(symbol: &str) -> Option<*mut c_void> {
    static ADDRESSES: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let addresses = ADDRESSES.get_or_init(|| {
        let all = exports::supported()
            .into_iter()
            .chain(unsupported::refused());
        all.map(|(name, address)| (name, address.expose_provenance()))
            .collect()
    });
    addresses
        .get(symbol)
        .map(|address| std::ptr::with_exposed_provenance_mut(*address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_call_is_exported_in_every_version() {
        let mut count = 0;
        for line in CALLS.lines() {
            let name = line.split(' ').next().unwrap();
            for (version, ending) in versions_of(name).unwrap() {
                let plain = find(name, version, DefaultStream::Legacy);
                let second = find(name, version, DefaultStream::OfThread);
                assert!(
                    matches!(plain, Found::Symbol(_)),
                    "{name} of {version}: {plain:?}"
                );
                assert!(
                    matches!(second, Found::Symbol(_)),
                    "{name} of {version}: {second:?}"
                );
                assert_eq!(plain == second, ending.is_empty(), "{name} of {version}");
                assert_ne!(
                    find(name, version - 1, DefaultStream::Legacy),
                    plain,
                    "{name} of {version}"
                );
                count += 1;
            }
        }
        assert!(count > 550, "{count} versions of calls");
    }
}
