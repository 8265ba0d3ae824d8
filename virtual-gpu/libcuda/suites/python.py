"""The tests of `numba-cuda`: kernels in Python, compiled by NVVM and NVRTC, and launched through `cuda.core`.

Also the tests of NVIDIA's headers: kernels that use them (`headers.py`), and the calls that they declare (`symbols.py`).
"""

import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import PLACE, Result, cargo_results, environment, pip_environment, run

NUMBA = "0.30.4"
HEADERS = "13.5"
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
    "nvidia-cuda-crt==13.5.37",
    "pytest==9.2.0",
    "cffi==2.1.1",
    "psutil==7.2.2",
    "filecheck==1.0.6",
    "cloudpickle==3.1.2",
    "ml_dtypes==0.5.4",
]

# Tests that may fail: a part of the test's name, and the reason.
EXPECTED = {
    "test_dispatcher_cpointer_arguments": "numba's mistake: a kernel accesses 16 items of arrays with 10",
    "test_struct_model_type_arr": "numba's mistake: a write past an array of one item",
    "test_ex_laplace": "numba's mistake: threads leave out a barrier of the grid",
    "test_ex_sessionize": "numba's mistake: threads leave out a barrier of the grid",
    "TestNrt": "calls through pointers and memory allocation in kernels are not supported",
    "TestArrayReductions": "calls through pointers and memory allocation in kernels are not supported",
    "TestCudaArrayMethods": "calls through pointers and memory allocation in kernels are not supported",
    "CUDAAndCPUCachingTest": "counts the cache files of the CPU's compiler",
    "test_fork": "uses the device after a fork",
    "TestIpc": "sharing memory with other processes is not supported",
    "test_ipc": "sharing memory with other processes is not supported",
    "test_set_registers": "limits on registers have no effect",
    "test_get_const_mem_size": "constant memory has no size",
    "test_get_const_mem": "constant memory has no size",
    "TestSelfRecursion": "recursion is not supported",
    "test_declare_device_cabi": "declares a result that the called function does not have",
    "test_efficient_launch_configuration": "an unexpected warning that nvJitLink is missing",
    "test_dump_assembly": "an unexpected warning that nvJitLink is missing",
    "graph_builder": "graphs that are not captured are not supported",
    "TestAcceleratedArchitecture": "tensor maps are not supported",
    "TestHostAlloc": "kernels cannot access registered host memory",
    "mapped": "kernels cannot access registered host memory",
    "pinned": "kernels cannot access registered host memory",
    "cupy": "needs CuPy",
    "test_matmul": "needs CuPy",
    "TestCoreContiguous": "needs CuPy",
    "test_fortran_contiguous": "needs CuPy",
}

# Each of these tests runs in a separate process: its fault ends the context, so no other test could run after it.
APART = {
    "cudapy.test_dispatcher": "TestDispatcher.test_dispatcher_cpointer_arguments",
    "cudapy.test_localmem": "TestCudaLocalMem.test_struct_model_type_arr",
}


def numba(*parts):
    """The tests of some parts of the suite, with a process for each file."""
    venv = pip_environment("numba", PACKAGES)
    # The race check is off, because a race ends the context, and one kernel of numba's tests has a race: it assigns to an array of no
    # dimensions, so all threads of a block write the same value to one address.
    env = environment(
        VIRTUAL_GPU_CHECKS="memory,sync",
        NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS="0",
        NUMBA_CUDA_WARN_ON_IMPLICIT_COPY="0",
    )
    tests = next(venv.glob("lib/python*/site-packages/numba_cuda/numba/cuda/tests"))
    names = [f"{part}.{file.stem}" for part in parts for file in sorted(tests.glob(f"{part}/test_*.py"))]
    result, lock = Result(), threading.Lock()

    def process(name, *tests):
        command = [venv / "bin" / "python", "-m", "numba.runtests", *tests]
        text, _ = run(command, 600, cwd=PLACE, env=env)
        failed = set(re.findall(r"^(?:ERROR|FAIL): \S+ \((\S+?)\)", text, re.M))
        passed = {test for test in re.findall(r"^\S+ \((numba\.\S+?)\)", text, re.M)} - failed
        skipped = set(re.findall(r"^\S+ \((\S+?)\) \.\.\. skipped", text, re.M))
        if "-v" in tests and not re.search(r"^Ran \d+ tests? in", text, re.M):
            failed.add(f"{name}: did not end")
        with lock:
            result.add(f"{name}:\n{text}\n", passed - skipped, failed)
        return text

    def one(name):
        module = f"numba.cuda.tests.{name}"
        if name not in APART:
            process(name, "-v", module)
            return
        apart = f"{module}.{APART[name]}"
        process(name, "-v", apart)
        listed = re.findall(r"^numba\.\S+$", process(name, "-l", module), re.M)
        process(name, "-v", *(test for test in listed if test != apart))

    start = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, names))
    result.seconds = time.monotonic() - start
    return result


def program(name):
    """Runs a program of this folder in the environment of `numba-cuda`'s tests."""
    python = pip_environment("numba", PACKAGES) / "bin" / "python"
    text, seconds = run([python, "-B", Path(__file__).with_name(name)], 600, cwd=PLACE, env=environment())
    result = Result()
    result.add(text, *cargo_results(text), seconds)
    return result


def headers():
    return program("headers.py")


def symbols():
    return program("symbols.py")
