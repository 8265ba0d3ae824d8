//! Turns the output of rust-cuda's compiler into a text for the driver.
//!
//! - **The version.** libNVVM writes the newest PTX version that it supports, which older drivers refuse. The version is replaced by an
//!   older one that has everything that the kernels use.
//! - **Pragmas.** libNVVM marks loads of which not all bytes are used. The older PTX version does not have these pragmas, so the driver would
//!   refuse the text. They change nothing that a kernel does, and are left out.
//! - **Dynamic shared memory.** `cuda_std` declares dynamic shared memory with 16 bytes, which the driver would allocate in addition to the
//!   launch's dynamic shared memory. The declaration is replaced by a declaration without a size, and with the larger alignment that the
//!   kernels need.

use crate::error::Malformed;

/// The declaration of dynamic shared memory, and the declaration that replaces it. Each constant has the text before the array's name and
/// the text after it.
const SHARED: (&str, &str) = (".extern .shared .align 16 .b8 ", "[16];");
const SHARED_AMENDED: (&str, &str) = (".extern .shared .align 128 .b8 ", "[];");

/// The beginning of a pragma that the older PTX version does not have. It says which bytes of a load are used.
const USED_BYTES: &str = ".pragma \"used_bytes_mask ";

/// Changes a text to this PTX version, leaves out the pragmas that this version does not have, and amends the declaration of dynamic shared
/// memory. The text must have one version line and one such declaration; otherwise, the error says how many of each the text has.
pub fn amend(emitted: &str, version: &str) -> Result<String, Malformed> {
    let (mut versions, mut declarations) = (0, 0);
    let mut text = String::with_capacity(emitted.len());
    for line in emitted.lines() {
        let line = line.trim_end();
        if line.trim_start().starts_with(USED_BYTES) {
            continue;
        }
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
        return Err(Malformed::NotOfRustCuda {
            versions,
            declarations,
        });
    }
    Ok(text)
}

/// The name of the array of dynamic shared memory that a line declares.
fn shared_name(line: &str) -> Option<&str> {
    line.strip_prefix(SHARED.0)?.strip_suffix(SHARED.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMITTED: &str = "\
.version 8.8
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 _Zcuda_std_dyn_shared[16];

.visible .entry reduce_sum_f32(
\t.param .u64 reduce_sum_f32_param_0
)
{
\t.pragma \"used_bytes_mask 240\";
\tld.shared.v2.u32 \t{%r1, %r2}, [_Zcuda_std_dyn_shared+24];
\t.pragma \"nounroll\";
\tret;
}
";

    const AMENDED: &str = "\
.version 7.4
.target sm_70
.address_size 64
.extern .shared .align 128 .b8 _Zcuda_std_dyn_shared[];
.visible .entry reduce_sum_f32(
\t.param .u64 reduce_sum_f32_param_0
)
{
\tld.shared.v2.u32 \t{%r1, %r2}, [_Zcuda_std_dyn_shared+24];
\t.pragma \"nounroll\";
\tret;
}
";

    #[test]
    fn the_compilers_text_is_amended() {
        let amended = amend(EMITTED, "7.4").unwrap();
        let code = amended.lines().filter(|line| !line.is_empty());
        assert!(code.eq(AMENDED.lines()), "{amended}");
    }

    #[test]
    fn unexpected_versions_and_declarations_are_refused() {
        for (line, other, versions, declarations) in [
            ("[16]", "[32]", 1, 0),
            (".version 8.8", "", 0, 1),
            (".version", ".version 8.8\n.version", 2, 1),
        ] {
            let error = amend(&EMITTED.replace(line, other), "7.4").unwrap_err();
            let expected = Malformed::NotOfRustCuda {
                versions,
                declarations,
            };
            assert_eq!(error, expected);
        }
    }
}
