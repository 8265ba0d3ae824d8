"""The tests of `numba-cuda`: kernels in Python, compiled by NVVM and NVRTC, and launched through `cuda.core`."""

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor

from common import PLACE, Result, environment, pip_environment, run

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
    "ml_dtypes==0.5.4",
]

# Tests that need not pass, by a part of their name, and why.
EXPECTED = {
    "TestModuleCallbacks": "links two texts",
}


def numba(*parts):
    """The tests of some parts of the suite, a process for each file."""
    venv = pip_environment("numba", PACKAGES)
    # A race ends a context, and numba's kernel that assigns to an array of no dimensions has one: all threads of its block
    # write the same value.
    env = environment(
        VIRTUAL_GPU_CHECKS="memory,sync",
        NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS="0",
        NUMBA_CUDA_WARN_ON_IMPLICIT_COPY="0",
    )
    tests = next(venv.glob("lib/python*/site-packages/numba_cuda/numba/cuda/tests"))
    names = [f"{part}.{file.stem}" for part in parts for file in sorted(tests.glob(f"{part}/test_*.py"))]
    result, lock = Result(), threading.Lock()

    def one(name):
        command = [venv / "bin" / "python", "-m", "numba.runtests", "-v", f"numba.cuda.tests.{name}"]
        text, seconds = run(command, 300, cwd=PLACE, env=env)
        failed = set(re.findall(r"^(?:ERROR|FAIL): \S+ \((\S+?)\)", text, re.M))
        passed = {test for test in re.findall(r"^\S+ \((numba\.\S+?)\)", text, re.M)} - failed
        skipped = set(re.findall(r"^\S+ \((\S+?)\) \.\.\. skipped", text, re.M))
        if not re.search(r"^Ran \d+ tests? in", text, re.M):
            failed.add(f"{name}: did not end")
        with lock:
            result.add(f"{name}:\n{text}\n", passed - skipped, failed, seconds)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, names))
    return result
