"""The tests of PyCUDA: kernels in CUDA C++, compiled by `nvcc`, and PyCUDA itself, compiled from its source."""

import os
import re
import shutil

from common import LIBRARY, PLACE, Missing, Result, environment, get, pip_environment, run

PYCUDA = "2026.1"
TOOLKIT = "13.5.37"
PACKAGES = [
    f"nvidia-cuda-nvcc=={TOOLKIT}",
    f"nvidia-cuda-crt=={TOOLKIT}",
    f"nvidia-nvvm=={TOOLKIT}",
    f"nvidia-cuda-runtime=={TOOLKIT}",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "nvidia-cuda-profiler-api==13.5.25",
    "nvidia-curand==10.4.5.25",
    "numpy==2.4.6",
    "pytest==9.2.0",
    "setuptools==84.2.1",
    "wheel==0.48.0",
    "pytools==2026.1.1",
    "platformdirs==4.14.8",
    "mako==1.4.3",
]

# Tests that may fail: a part of the test's name, and the reason.
PYCUDA_EXPECTED = {
    "test_recursive_launch": "PyCUDA's mistake: a race between a kernel and the grids that it launches",
}

# A script in place of `nvcc`. If machine code is asked for, it returns PTX, because the virtual GPU cannot run machine code.
NVCC = """#!/bin/sh
if [ "$1" = --cubin ]; then
    shift
    set -- --ptx -o kernel.cubin "$@"
fi
exec "{}" "$@"
"""


def toolkit(folder):
    """NVIDIA's part of a Python environment, with the files and links that PyCUDA expects."""
    root = next(folder.glob("lib/python*/site-packages/nvidia/cu13"))
    link = root / "lib" / "libcurand.so"
    if not link.is_symlink():
        link.symlink_to("libcurand.so.10")
    nvcc = folder / "nvcc" / "nvcc"
    nvcc.parent.mkdir(exist_ok=True)
    nvcc.write_text(NVCC.format(root / "bin" / "nvcc"))
    nvcc.chmod(0o755)
    return root, nvcc


def source(python):
    """PyCUDA's source, with its tests."""
    folder = PLACE / f"pycuda-{PYCUDA}"
    if not folder.exists():
        get([python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation", "--no-binary", "pycuda",
            f"pycuda=={PYCUDA}", "--dest", PLACE])
        shutil.unpack_archive(PLACE / f"pycuda-{PYCUDA}.tar.gz", PLACE)
    return folder


class PyCuda:
    """A Python environment with PyCUDA in it."""

    def __init__(self):
        for tool in ("gcc", "g++"):
            if not shutil.which(tool):
                raise Missing(f"PyCUDA is compiled from its source, and there is no {tool}")
        folder = pip_environment("pycuda", PACKAGES)
        self.root, nvcc = toolkit(folder)
        self.python = folder / "bin" / "python"
        self.path = f"{nvcc.parent}:{os.environ['PATH']}"
        self.source = source(self.python)
        self.cache = PLACE / "pycuda-cache"
        self.cache.mkdir(exist_ok=True)
        installed = list(folder.glob(f"lib/python*/site-packages/pycuda-{PYCUDA}.dist-info"))
        if not installed:
            env = {
                **os.environ,
                "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
                "LIBRARY_PATH": str(LIBRARY),
                "CFLAGS": "-O1 -w",
            }
            get([self.python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", self.source], env=env)

    def run(self, result, *arguments):
        env = environment(
            [self.root / "lib"],
            PATH=self.path,
            PYCUDA_CACHE_DIR=str(self.cache),
            CUDA_ROOT=str(self.root),
            # On a device with less than 4.5 GB, PyCUDA skips its tests of arrays of 2^32 items.
            VIRTUAL_GPU_MEMORY="4G",
        )
        command = [self.python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--tb=short", *arguments]
        text, seconds = run(command, 1200, cwd=self.source / "test", env=env)
        verdicts = dict(re.findall(r"^(\S+::.+?) (PASSED|FAILED|ERROR)", text, re.M))
        passed = {test for test, verdict in verdicts.items() if verdict == "PASSED"}
        failed = verdicts.keys() - passed
        if not re.search(r"^=+ .* in [\d.]+s", text, re.M):
            failed |= {f"{arguments[0]}: did not end"}
        result.add(text, passed, failed, seconds)


def pycuda(*arguments):
    result = Result()
    PyCuda().run(result, *arguments)
    return result
