//! Finds the entries of a lock file for the packages that device code is compiled from.

/// The direct and indirect dependencies of `warpfold-kernels` that are compiled for the device or are procedural macros. Only `half` 2.7 and
/// later depend on `zerocopy`. The workspace has locked an earlier `half`, since `zerocopy` takes long to compile.
const PACKAGES: [&str; 8] = [
    "bytemuck",
    "bytemuck_derive",
    "cfg-if",
    "half",
    "num-traits",
    "pastey",
    "zerocopy",
    "zerocopy-derive",
];

/// The entries of [`PACKAGES`] in the text of a lock file. Each has a version and a checksum.
pub fn packages(lock: &str) -> String {
    let entries = lock.split("[[package]]").filter(|entry| {
        let name = entry.trim_start().lines().next().unwrap_or_default();
        PACKAGES
            .iter()
            .any(|package| name == format!("name = \"{package}\""))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"half\"\nversion = \"2.7.1\"\n\n[[package]]\nname = \"halfway\"\nversion = \"1.0.0\"\n";

    #[test]
    fn only_packages_of_device_code_count() {
        let found = packages(LOCK);
        assert!(found.contains("2.7.1"));
        assert!(!found.contains("halfway"));
        assert_eq!(found, packages(&LOCK.replace("1.0.0", "1.0.1")));
        assert_ne!(found, packages(&LOCK.replace("2.7.1", "2.7.2")));
    }

    #[test]
    fn the_workspace_has_locked_every_package_that_its_half_needs() {
        let lock = include_str!("../../Cargo.lock");
        for package in PACKAGES {
            assert_eq!(
                lock.contains(&format!("name = \"{package}\"\n")),
                !package.starts_with("zerocopy"),
                "{package}"
            );
        }
    }
}
