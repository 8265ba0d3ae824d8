//! The list of environment variables that configure the driver.

/// An environment variable that the driver reads.
///
/// ```
/// for variable in virtual_gpu::VARIABLES {
///     println!("{}: {}, {}; without it {}", variable.name, variable.sets, variable.values, variable.default);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvVariable {
    /// The variable's name.
    pub name: &'static str,
    /// The setting.
    pub sets: &'static str,
    /// The values that the variable may have.
    pub values: &'static str,
    /// The default value.
    pub default: &'static str,
}

/// Makes the list and its documentation.
macro_rules! variables {
    ($($name:literal, $sets:literal, $values:literal, $default:literal;)*) => {
        /// The environment variables that the driver reads once: at its first call, or when a function such as [`mode`](crate::mode())
        /// needs them earlier.
        ///
        /// | variable | sets | value | without it |
        /// |---|---|---|---|
        $(#[doc = concat!("| `", $name, "` | ", $sets, " | ", $values, " | `", $default, "` |")])*
        ///
        /// Any other value, and an unlisted variable whose name begins with `VIRTUAL_GPU_`, are errors. After such an error `cuInit` fails,
        /// and [`mode`](crate::mode()) says why. A program can make the same settings with [`start`](crate::start()). In this case the
        /// environment is not read.
        pub const VARIABLES: [EnvVariable; [$($name),*].len()] = [
            $(EnvVariable { name: $name, sets: $sets, values: $values, default: $default },)*
        ];
    };
}

variables! {
    "VIRTUAL_GPU", "who answers: `off` the real driver, `on` the virtual device, `auto` the real driver if it has a device",
        "on, off or auto", "auto";
    "VIRTUAL_GPU_ARCH", "architecture, with its limits",
        "one of sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90 (or sm_90a), and sm_100, sm_101, \
         sm_103, sm_107, sm_110, sm_120, sm_121 (each also with an a or an f at its end)", "sm_90";
    "VIRTUAL_GPU_CHECKS", "the checks that watch a run, beside those of memory accesses",
        "all, none, default, or some of memory, sync, race, init, copies, leaks with commas between", "default";
    "VIRTUAL_GPU_DEVICES", "devices", "a number of devices from 1 to 16", "1";
    "VIRTUAL_GPU_MEMORY", "global memory of each device",
        "a number of bytes, such as 1073741824, 1024M or 1G", "16G";
    "VIRTUAL_GPU_POLICY", "the order of blocks and warps",
        "one of seeded, reversed, one-block, starved, stale", "seeded";
    "VIRTUAL_GPU_SEED", "seed of that order", "a number", "0";
    "VIRTUAL_GPU_SMS", "multiprocessors of each device",
        "a number of multiprocessors from 1 to 1024", "4";
    "VIRTUAL_GPU_STEPS", "warp instructions after which a launch counts as hung",
        "a number of warp instructions from 1 on", "2000000000";
}
