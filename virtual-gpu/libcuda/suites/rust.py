"""The tests of `cudarc` and `cust`."""

import os

from common import LIBRARY, PLACE, Result, cargo_results, crate_source, environment, get, pip_environment, run

CUDARC = "0.19.10"
NVRTC = ["nvidia-cuda-nvrtc-cu12==12.8.93", "nvidia-cuda-runtime-cu12==12.8.90"]
CUST = "0.3.2"

# Tests that compare times.
TIMED = ("is_faster", "are_faster", "test_par_launch")
# Kernels with millions of loop rounds. All their threads write the same value to one address: a race.
LONG = ("test_multi_stream_",)
ALONE = ("test_post_alloc_memory", "test_device_side_assert")
PEERS = ("peer_transfer_contexts", "re_associate_context_for_memory_op")
LONG_PEERS = ("test_peer_memcpy_waits_for_src_stream",)

CUDARC_EXPECTED = {"test_multi_stream_concurrent_reads": "expects two kernels to run at the same time"}
CUST_EXPECTED = {
    "memory::array": "arrays are not supported",
    "Module::from_cubin": "compiled device code is not supported",
    "Module::from_fatbin": "compiled device code is not supported",
    "DeviceBox<T>::from_raw": "the example does not compile",
    "DeviceSlice<T>::as_device_ptr": "the example does not compile",
    "DevicePointer<T>::is_null": "the example does not compile",
    "Module::from_ptx": "the example does not compile",
    "DevicePointer<T>::sub": "arithmetic overflow in cust",
    "DevicePointer<T>::wrapping_sub": "arithmetic overflow in cust",
}


def cargo_target():
    return {"CARGO_TARGET_DIR": str(PLACE / "cargo-target")}


class Cudarc:
    """The compiled tests of `cudarc`, with NVRTC and the CUDA headers."""

    def __init__(self):
        packages = next(pip_environment("nvrtc", NVRTC).glob("lib/python*/site-packages"))
        libraries = packages / "nvidia" / "cuda_nvrtc" / "lib"
        link = libraries / "libnvrtc.so"
        if not link.exists():
            link.symlink_to("libnvrtc.so.12")
        headers = packages / "nvidia" / "cuda_runtime" / "include"
        changes = [("src/driver/safe/launch.rs", '"/usr/include"', f'"{headers}"')]
        self.source = crate_source("cudarc", CUDARC, changes)
        self.libraries = [libraries]
        features = "std,driver,nvrtc,f16,cuda-12080,dynamic-loading"
        self.command = ["cargo", "test", "--locked", "--lib", "--no-default-features", "--features", features]
        get([*self.command, "--no-run"], cwd=self.source, env={**os.environ, **cargo_target()})

    def run(self, result, arguments, **settings):
        env = environment(self.libraries, **settings, **cargo_target())
        text, seconds = run([*self.command, "--", *arguments], 300, cwd=self.source, env=env)
        result.add(text, *cargo_results(text), seconds)


def cudarc():
    tests, result = Cudarc(), Result()
    tests.run(result, [word for part in TIMED + LONG for word in ("--skip", part)])
    for test in ALONE:
        tests.run(result, ["--ignored", test])
    return result


def cudarc_devices():
    tests, result = Cudarc(), Result()
    tests.run(result, ["--ignored", *PEERS], VIRTUAL_GPU_DEVICES="2")
    return result


def cudarc_long():
    tests, result = Cudarc(), Result()
    tests.run(result, LONG, VIRTUAL_GPU_CHECKS="memory,sync")
    tests.run(result, ["--ignored", *LONG_PEERS], VIRTUAL_GPU_CHECKS="memory,sync", VIRTUAL_GPU_DEVICES="2")
    return result


def cust(*arguments):
    # Only examples that are not in the package need `image`.
    changes = [("Cargo.toml", '[dev-dependencies.image]\nversion = "0.23.14"\n', "")]
    source = crate_source("cust", CUST, changes)
    env = environment(CUDA_LIBRARY_PATH=str(LIBRARY.parent), **cargo_target())
    if "--lib" in arguments:
        get(["cargo", "test", "--lib", "--no-run"], cwd=source, env=env)
    text, seconds = run(["cargo", "test", *arguments, "--no-fail-fast"], 400, cwd=source, env=env)
    result = Result()
    result.add(text, *cargo_results(text), seconds)
    return result
