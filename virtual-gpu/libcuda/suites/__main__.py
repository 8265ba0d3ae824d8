#!/usr/bin/env python3
"""Runs the tests of other CUDA programs on the virtual GPU, through `libcuda.so.1`.

    suites.py            cudarc, and numba-cuda's tests of its driver
    suites.py --all      with numba-cuda's tests of its compiler, a process for each file
    suites.py --write    puts the table into ../README.md

Programs come from crates.io and PyPI, in the versions below; nothing of theirs is kept outside `target/`. It fails where a
test fails that is not listed here with a reason, and ends with status 2 where a suite cannot be had.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PLACE = TARGET / "suites"
LIBRARY = PLACE / "libcuda"
README = ROOT / "virtual-gpu" / "README.md"
MARKS = ("<!-- suites.py writes from here -->", "<!-- to here -->")

CUDARC = "0.19.10"
NVRTC = "nvidia-cuda-nvrtc-cu12==12.8.93"
NUMBA = "0.30.4"
PACKAGES = [
    f"numba-cuda=={NUMBA}",
    "numba==0.68.1",
    "numpy==2.4.6",
    "cuda-core==1.2.2",
    "cuda-bindings==13.5.0",
    "nvidia-cuda-nvrtc==13.5.37",
    "nvidia-nvvm==13.5.37",
    "nvidia-cuda-runtime==13.5.37",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "pytest==9.2.0",
    "cffi==2.1.1",
    "psutil==7.2.2",
    "filecheck==1.0.6",
    "cloudpickle==3.1.2",
]

# Tests that need not pass, by a part of their name, and why.
CUDARC_EXPECTED = {
    "test_launch_with_half": "includes cuda_fp16.h from /usr/include",
}
# Tests that are not run.
CUDARC_LEFT_OUT = {
    "is_faster": "compares times",
    "are_faster": "compares times",
    "test_par_launch": "kernels of 32 million loop rounds, which race",
    "test_multi_stream_": "kernels of 32 million loop rounds, which race",
}
NUMBA_EXPECTED = {
    "TestLinker": "device code from CUDA C++, and registers counted",
    "TestModuleCallbacks": "links two texts",
    "TestMultithreadedCallbacks": "links two texts",
    "TestAcceleratedArchitecture": "asks for sm_90a",
    "graph_builder": "edges of a capture",
    "TestCoreContiguous": "memory pools",
    "test_recarray": "memory pools",
    "TestHostAlloc": "page-locked memory of the program's own, reached by kernels",
    "mapped": "page-locked memory of the program's own, reached by kernels",
    "TestPinned": "page-locked memory of the program's own, reached by kernels",
    "pinned": "page-locked memory of the program's own, reached by kernels",
    "TestManagedAlloc": "memory beyond the device's",
    "test_select_device": "what a thread's context is after a reset",
    "test_profiling": "the profiler's calls",
}


class Missing(Exception):
    """A suite cannot be had here."""


def get(command, **options):
    """Runs a command that fetches or builds something of others."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command))}: {done.stderr.strip()[-400:]}")
    return done.stdout


def build_library():
    subprocess.run(["cargo", "build", "--locked", "-p", "virtual-libcuda"], cwd=ROOT, check=True)
    LIBRARY.mkdir(parents=True, exist_ok=True)
    shutil.copy(TARGET / "debug" / "libvirtual_libcuda.so", LIBRARY / "libcuda.so.1.new")
    (LIBRARY / "libcuda.so.1.new").replace(LIBRARY / "libcuda.so.1")


def environment(libraries=(), **settings):
    paths = ":".join(map(str, [LIBRARY, *libraries]))
    return {**os.environ, "LD_LIBRARY_PATH": paths, "VIRTUAL_GPU": "on", **settings}


def pip_environment(name, packages):
    """A Python environment with these packages, made anew when they change."""
    folder, stamp = PLACE / name, PLACE / name / "packages.txt"
    wanted = "\n".join(packages)
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        get([sys.executable, "-m", "venv", folder])
        get([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages])
        stamp.write_text(wanted)
    return folder


def crate_source(name, version):
    """The source of a crate, where it can be built by itself."""
    folder = PLACE / f"{name}-{version}"
    if not folder.exists():
        fetch = PLACE / "fetch"
        shutil.rmtree(fetch, ignore_errors=True)
        (fetch / "src").mkdir(parents=True)
        (fetch / "src" / "lib.rs").write_text("")
        manifest = f'[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n{name} = "={version}"\n[workspace]\n'
        (fetch / "Cargo.toml").write_text(manifest)
        get(["cargo", "vendor", "--versioned-dirs", "--quiet"], cwd=fetch)
        with open(fetch / "vendor" / f"{name}-{version}" / "Cargo.toml", "a") as manifest:
            manifest.write("\n[workspace]\n")
        shutil.move(fetch / "vendor" / f"{name}-{version}", folder)
    return folder


def verdicts(passed, failed, expected):
    """A suite's numbers, and the failures that nothing explains."""
    reasons = {}
    unexplained = []
    for test in failed:
        reason = next((why for part, why in expected.items() if part in test), None)
        if reason is None:
            unexplained.append(test)
        reason = reason or "not explained"
        reasons[reason] = reasons.get(reason, 0) + 1
    return len(passed), reasons, unexplained


def cudarc(devices):
    nvrtc = pip_environment("nvrtc", [NVRTC])
    libraries = list(nvrtc.glob("lib/python*/site-packages/nvidia/cuda_nvrtc/lib"))
    if not libraries:
        raise Missing(f"{NVRTC} has no libraries")
    link = libraries[0] / "libnvrtc.so"
    if not link.exists():
        link.symlink_to("libnvrtc.so.12")
    source = crate_source("cudarc", CUDARC)
    features = "std,driver,nvrtc,f16,cuda-12080,dynamic-loading"
    command = ["cargo", "test", "--locked", "--lib", "--no-default-features", "--features", features]
    at = {"cwd": source, "env": {**os.environ, "CARGO_TARGET_DIR": str(PLACE / "cargo-target")}}
    get([*command, "--no-run"], **at)
    skipped = [word for part in CUDARC_LEFT_OUT for word in ("--skip", part)]
    if devices > 1:
        skipped = ["--ignored", "peer_transfer_contexts", "re_associate_context_for_memory_op"]
    at["env"] = environment(libraries, VIRTUAL_GPU_DEVICES=str(devices), CARGO_TARGET_DIR=str(PLACE / "cargo-target"))
    text = run([*command, "--", *skipped], 300, **at)
    results = re.findall(r"^test (\S+) \.\.\. (ok|FAILED)", text, re.M)
    passed = [test for test, verdict in results if verdict == "ok"]
    failed = [test for test, verdict in results if verdict != "ok"]
    return text, verdicts(passed, failed, CUDARC_EXPECTED)


def numba(modules):
    venv = pip_environment("numba", PACKAGES)
    # One race ends a context, and numba's own kernel that assigns to an array of no dimensions has one: all threads of its
    # block write the same value.
    env = environment(
        VIRTUAL_GPU_CHECKS="memory,sync",
        NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS="0",
        NUMBA_CUDA_WARN_ON_IMPLICIT_COPY="0",
    )
    passed, failed = [], []
    tests = next(venv.glob("lib/python*/site-packages/numba_cuda/numba/cuda/tests"))
    names = ["cudadrv"] if modules == "driver" else [f"cudapy.{file.stem}" for file in sorted(tests.glob("cudapy/test_*.py"))]
    def one(name):
        command = [venv / "bin" / "python", "-m", "numba.runtests", "-v", f"numba.cuda.tests.{name}"]
        return f"{name}:\n" + run(command, 300, cwd=PLACE, env=env)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(one, names))
    for name, text in zip(names, texts):
        bad = re.findall(r"^(?:ERROR|FAIL): \S+ \((\S+)\)", text, re.M)
        failed += dict.fromkeys(bad)
        passed += re.findall(r"\.\.\. ok$", text, re.M)
        if not re.search(r"^Ran \d+ tests? in", text, re.M):
            failed.append(f"{name}: it did not end")
    return "\n".join(texts), verdicts(passed, failed, NUMBA_EXPECTED)


def run(command, seconds, **options):
    """What a command prints; if it does not end in time, what it has printed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, **options)
        return done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the slow suites too")
    parser.add_argument("--write", action="store_true", help="put the table into virtual-gpu/README.md")
    options = parser.parse_args()
    suites = [
        ("cudarc", CUDARC, "one device", lambda: cudarc(1)),
        ("cudarc", CUDARC, "two devices", lambda: cudarc(2)),
        ("numba-cuda", NUMBA, "driver", lambda: numba("driver")),
    ]
    if options.all:
        suites.append(("numba-cuda", NUMBA, "compiler", lambda: numba("compiler")))
    build_library()
    rows, bad, missing = [], False, False
    for name, version, part, work in suites:
        start = time.monotonic()
        try:
            text, (passed, reasons, unexplained) = work()
        except Missing as reason:
            print(f"SKIPPED: {name} {version}, {part}: {reason}", file=sys.stderr)
            missing = True
            continue
        seconds = round(time.monotonic() - start)
        (PLACE / f"{name}-{part.replace(' ', '-')}.log").write_text(text)
        count = sum(reasons.values())
        said = "; ".join(f"{number}: {reason}" for reason, number in sorted(reasons.items(), key=lambda row: -row[1]))
        rows.append(f"| {name} {version} | {part} | {passed + count} | {passed} | {said or 'none'} | {seconds} |")
        print(rows[-1], flush=True)
        for test in unexplained:
            print(f"FAILED: {name}: {test}", file=sys.stderr)
        bad = bad or bool(unexplained) or passed == 0
    if options.write:
        table = ["| program | tests | run | pass | do not pass | seconds |", "|---|---|---|---|---|---|", *rows]
        text = README.read_text()
        before, rest = text.split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        README.write_text(before + MARKS[0] + "\n" + "\n".join(table) + "\n" + MARKS[1] + after)
    return 1 if bad else 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
