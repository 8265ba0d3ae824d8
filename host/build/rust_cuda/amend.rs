//! From what rust-cuda's compiler emits to what the driver is given.
//!
//! - **The version.** libNVVM writes the newest PTX version that it knows, which drivers older than itself refuse. The
//!   kernels use nothing that came after the one in its place.
//! - **Dynamic shared memory.** `cuda_std` declares 16 bytes of it, which the driver sets aside beside what the launch asks
//!   for; and the kernels want it aligned to more.

/// How the declaration of dynamic shared memory begins and ends, and what stands there in its place.
const SHARED: (&str, &str) = (".extern .shared .align 16 .b8 ", "[16];");
const SHARED_AMENDED: (&str, &str) = (".extern .shared .align 128 .b8 ", "[];");

/// The text of this PTX version. An error says what it lacks.
pub fn amend(emitted: &str, version: &str) -> Result<String, String> {
    let (mut versions, mut declarations) = (0, 0);
    let mut text = String::with_capacity(emitted.len());
    for line in emitted.lines() {
        let line = line.trim_end();
        if line.starts_with(".version ") {
            versions += 1;
            text += &format!(".version {version}");
        } else if let Some(name) = shared_name(line) {
            declarations += 1;
            text += &[SHARED_AMENDED.0, name, SHARED_AMENDED.1].concat();
        } else {
            text += line;
        }
        text.push('\n');
    }
    if (versions, declarations) != (1, 1) {
        return Err(format!(
            "rust-cuda's PTX has {versions} lines `.version …` and {declarations} lines `{}…{}`, not one of each",
            SHARED.0, SHARED.1
        ));
    }
    Ok(text)
}

/// What a line declares to be dynamic shared memory.
fn shared_name(line: &str) -> Option<&str> {
    line.strip_prefix(SHARED.0)?.strip_suffix(SHARED.1)
}
