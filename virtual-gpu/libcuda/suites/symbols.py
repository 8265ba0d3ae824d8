"""The calls of NVIDIA's `cuda.h` and `cudaTypedefs.h`: each is a symbol of the library, and `cuGetProcAddress` agrees.

Runs in the Python environment of `numba-cuda`'s tests, which has these headers. Prints a line for each call, as `cargo test` does.
"""

import ctypes
import re
import sys
from importlib.metadata import files

LEGACY_STREAM, STREAM_OF_THREAD = 1, 2
ENDINGS = {"PTDS": "_ptds", "PTSZ": "_ptsz"}


def header(name):
    path = next(file for file in files("nvidia-cuda-runtime") if file.name == name)
    text = path.locate().read_text()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def symbols():
    """The symbols of all functions that `cuda.h` declares: the declared names, and the names that macros replace them with."""
    text = header("cuda.h")
    inline = set(re.findall(r"static inline CUresult (?:CUDAAPI )?(cu\w+)\(", text))
    names = set(re.findall(r"CUresult\s+CUDAAPI\s+(cu\w+)\s*\(", text))
    for call, wrapper, symbol in re.findall(r"^\s*#define (cu\w+)\s+(?:__CUDA_API_(\w+)\()?(cu\w+)\)?\s*$", text, re.M):
        if call in names:
            names |= {symbol, symbol + ENDINGS.get(wrapper, "")}
    return sorted(names - inline)


def versions():
    """Every function type: the plain name of a call, the version of CUDA that gave it this signature, and its ending."""
    types = re.findall(r"\(CUDAAPI \*PFN_(cu\w+?)_v(\d+)(_ptds|_ptsz)?\)", header("cudaTypedefs.h"))
    return sorted({(name, int(version), ending) for name, version, ending in types})


def main():
    library = ctypes.CDLL("libcuda.so.1")
    exported = {}
    for name in symbols():
        try:
            exported[ctypes.cast(getattr(library, name), ctypes.c_void_p).value] = name
            print(f"test cuda.h::{name} ... ok")
        except AttributeError:
            print(f"test cuda.h::{name} ... FAILED")
    found = {}
    for name, version, ending in versions():
        address, status = ctypes.c_void_p(), ctypes.c_int(-1)
        flags = STREAM_OF_THREAD if ending else LEGACY_STREAM
        code = library.cuGetProcAddress_v2(
            name.encode(), ctypes.byref(address), version, ctypes.c_uint64(flags), ctypes.byref(status)
        )
        symbol = exported.get(address.value, "")
        # `cuGetProcAddress` must return a different function for each function type. The symbol of the function must be the name of the
        # call, with or without a version, and with the ending of the function type (`_ptds`, `_ptsz` or none).
        is_new = found.setdefault(symbol, (name, version, ending)) == (name, version, ending)
        is_named = re.fullmatch(rf"{name}(_v\d+)?{ending}", symbol)
        passed = code == 0 and status.value == 0 and is_new and is_named
        print(f"test cudaTypedefs.h::{name}_v{version}{ending} ... {'ok' if passed else 'FAILED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
