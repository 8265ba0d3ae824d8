"""Times CuPy and PyTorch for the shapes that they share with `warpfold-bench shapes`: 2^28 f32 on one GPU.

usage: shapes.py [EXPONENT]     prints a line for each shape and library: library,shape,items,median time of a call in microseconds

A time is the median of 5 batches of 10 calls, measured with CUDA events. Results go to new arrays, which both libraries take from pools.
"""

import statistics
import sys

import cupy
import torch

ITEMS = 1 << int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 28
ROWS = [1024, 65536]


def torch_time(call):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    return measured(call, begin.record, end.record, end.synchronize, lambda: begin.elapsed_time(end))


def cupy_time(call):
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    return measured(call, begin.record, end.record, end.synchronize, lambda: cupy.cuda.get_elapsed_time(begin, end))


def measured(call, begin, end, wait, milliseconds, batches=5, calls=10):
    call(), call()
    times = []
    for _ in range(batches):
        begin()
        for _ in range(calls):
            call()
        end()
        wait()
        times.append(milliseconds() * 1000 / calls)
    return statistics.median(times)


def report(library, shape, time):
    try:
        print(f"{library},{shape},{ITEMS},{time():.1f}", flush=True)
    except Exception as error:
        print(f"{library},{shape},{ITEMS},failed: {type(error).__name__}", flush=True)


def main():
    print("library,shape,items,us_median")
    print(f"# {torch.cuda.get_device_name()}; PyTorch {torch.__version__}, CuPy {cupy.__version__}")
    of_torch = torch.rand(ITEMS, device="cuda") - 0.5
    of_cupy = cupy.asarray(of_torch)
    for row in ROWS:
        t, c = of_torch.view(-1, row), of_cupy.reshape(-1, row)
        for shape, torch_call, cupy_call in [
            ("sums", lambda: t.sum(1), lambda: c.sum(1)),
            ("arg max", lambda: t.argmax(1), lambda: c.argmax(1)),
            ("count mean and variance", lambda: torch.var_mean(t, 1), lambda: (c.mean(1), c.var(1))),
            ("log sum exp", lambda: torch.logsumexp(t, 1), None),
        ]:
            report("PyTorch", f"{shape}; rows of {row}", lambda: torch_time(torch_call))
            if cupy_call:
                report("CuPy", f"{shape}; rows of {row}", lambda: cupy_time(cupy_call))
    t, c = of_torch.view(-1, 1024, 1024), of_cupy.reshape(-1, 1024, 1024)
    report("PyTorch", "sums; middle axis", lambda: torch_time(lambda: t.sum(1)))
    report("CuPy", "sums; middle axis", lambda: cupy_time(lambda: c.sum(1)))
    report("PyTorch", "inclusive scans; middle axis", lambda: torch_time(lambda: t.cumsum(1)))
    report("CuPy", "inclusive scans; middle axis", lambda: cupy_time(lambda: c.cumsum(1)))
    one_torch, one_cupy = of_torch[:202048], of_cupy[:202048]
    report("PyTorch", "arg max; one row of 202048", lambda: torch_time(lambda: one_torch.argmax()))
    report("CuPy", "arg max; one row of 202048", lambda: cupy_time(lambda: one_cupy.argmax()))


main()
