#!/usr/bin/env python3
"""Runs the tests of other CUDA programs on the virtual GPU, through `libcuda.so.1`.

    python3 virtual-gpu/libcuda/suites            all programs
    python3 virtual-gpu/libcuda/suites cudarc     one program; cudarc takes seconds and needs only NVRTC from PyPI
    … --write                                     updates the rows of these programs in virtual-gpu/README.md

Programs come from crates.io and PyPI, in fixed versions, and are kept in `target/suites`. The exit status is 1 if a test fails
that is not listed with a reason, if a listed reason matches no failed test, or if the README has another result. It is 2 if a
suite cannot be downloaded or compiled.
"""

import argparse
import sys

# Python must not write its bytecode beside the sources.
sys.dont_write_bytecode = True

from common import PLACE, ROOT, Missing, build_library
from python import EXPECTED as NUMBA_EXPECTED
from pycuda_tests import PYCUDA, PYCUDA_EXPECTED, pycuda
from python import HEADERS, NUMBA, headers, numba, symbols
from rust import CUDARC, CUDARC_EXPECTED, CUST, CUST_EXPECTED, cudarc, cudarc_devices, cudarc_long, cust

README = ROOT / "virtual-gpu" / "README.md"
MARKS = ("<!-- the suites' table -->\n", "<!-- its end -->")
HEAD = "| program | tests | run | pass | do not pass | seconds |\n|---|---|---|---|---|---|\n"

# For each suite: the name, the version, the part, the function that runs the suite, and the tests that may fail, with the reasons.
SUITES = [
    ("cudarc", CUDARC, "one device", cudarc, {}),
    ("cudarc", CUDARC, "two devices", cudarc_devices, {}),
    ("cudarc-long", CUDARC, "millions of loop rounds", cudarc_long, CUDARC_EXPECTED),
    ("cust", CUST, "unit tests", lambda: cust("--lib"), CUST_EXPECTED),
    ("cust", CUST, "examples in its documentation", lambda: cust("--doc"), CUST_EXPECTED),
    ("cuda-headers", HEADERS, "CUB, libcu++, intrinsics", headers, {}),
    ("cuda-headers", HEADERS, "symbols of cuda.h, versions of cudaTypedefs.h", symbols, {}),
    ("numba-cuda", NUMBA, "driver", lambda: numba("cudadrv"), NUMBA_EXPECTED),
    ("numba-cuda", NUMBA, "compiler", lambda: numba("cudapy"), NUMBA_EXPECTED),
    ("numba-cuda", NUMBA, "reference counts, examples", lambda: numba("nrt", "doc_examples"), NUMBA_EXPECTED),
    ("pycuda", PYCUDA, "driver", lambda: pycuda("test_driver.py"), PYCUDA_EXPECTED),
    ("pycuda", PYCUDA, "functions of arrays", lambda: pycuda("test_cumath.py"), PYCUDA_EXPECTED),
    ("pycuda", PYCUDA, "arrays", lambda: pycuda("test_gpuarray.py"), PYCUDA_EXPECTED),
]


def row(title, result, expected):
    """A row of the table without its seconds, and the problems with the result."""
    reasons, wrong = {}, []
    for test in sorted(result.failed):
        reason = next((why for part, why in expected.items() if part in test), None)
        if reason is None:
            wrong.append(f"FAILED: {test}")
            reason = "not explained"
        reasons[reason] = reasons.get(reason, 0) + 1
    if not result.passed:
        wrong.append("no test passed")
    said = "; ".join(f"{count}: {why}" for why, count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))
    count = len(result.passed) + len(result.failed)
    return f"| {title} | {count} | {len(result.passed)} | {said or 'none'} |", wrong


def stale(results):
    """Listed reasons that match no failed test of any suite. Meaningful only if all suites were run."""
    failed = [test for result in results for test in result.failed]
    listed = [*CUDARC_EXPECTED, *CUST_EXPECTED, *NUMBA_EXPECTED, *PYCUDA_EXPECTED]
    return [part for part in listed if not any(part in test for test in failed)]


def table():
    """The README in three parts: the text before the table, the table, and the text after it."""
    before, rest = README.read_text().split(MARKS[0])
    return before, *rest.split(MARKS[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="suites to run, such as cudarc; all without it")
    parser.add_argument("--write", action="store_true", help="put the rows into virtual-gpu/README.md")
    options = parser.parse_args()
    build_library()
    rows = {line.split(" | ")[0] + line.split(" | ")[1]: line for line in table()[1].removeprefix(HEAD).splitlines()}
    wrong, missing, results = [], False, []
    chosen = [suite for suite in SUITES if not options.names or suite[0] in options.names]
    for name, version, part, work, expected in chosen:
        title = f"{name.removesuffix('-long')} {version} | {part}"
        try:
            result = work()
        except Missing as reason:
            print(f"SKIPPED: {title}: {reason}", file=sys.stderr)
            missing = True
            continue
        results.append(result)
        (PLACE / f"{title.replace(' | ', '-').replace(' ', '-')}.log").write_text(result.text)
        line, problems = row(title, result, expected)
        print(f"{line} {result.seconds:.0f} |", flush=True)
        wrong += [f"{title}: {problem}" for problem in problems]
        key = "| " + title.replace(" | ", "")
        if options.write:
            rows[key] = f"{line} {result.seconds:.0f} |"
        elif key not in rows:
            print(f"README.md has no row of {title}; --write adds it", file=sys.stderr)
        elif not rows[key].startswith(line):
            wrong.append(f"{title}: README.md has another row: {rows[key]}")
    if len(results) == len(SUITES):
        wrong += [f"listed as failing, and nothing fails: {part}" for part in stale(results)]
    if options.write:
        before, _, after = table()
        keys = [f"| {name.removesuffix('-long')} {version}{part}" for name, version, part, _, _ in SUITES]
        lines = "".join(f"{rows[key]}\n" for key in keys if key in rows)
        README.write_text(before + MARKS[0] + HEAD + lines + MARKS[1] + after)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
