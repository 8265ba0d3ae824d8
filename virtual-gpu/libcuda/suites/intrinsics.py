"""Kernels with one intrinsic each: the input, the expected output, and the PTX instruction that the compiled text must contain."""

import ml_dtypes
import numpy as np

RANDOM = np.random.default_rng(7)
WORDS = RANDOM.integers(0, 1 << 32, 512, np.uint32)
FLOATS = RANDOM.normal(0, 100, 512).astype(np.float32)

EACH = "for (int i = threadIdx.x; i < 512; i += 128) out[i] = {};"
# The previous item; for the first item, the last one.
LAST = "in[(i + 511) % 512]"
LAST_WORDS = np.roll(WORDS, 1)


def parts(words, kind):
    """The parts of each word, wide enough for any arithmetic."""
    return words.view(kind).reshape(len(words), -1).astype(np.int64)


def joined(values, kind):
    return values.astype(kind).reshape(-1).view(np.uint32)


def distances(kind):
    return abs(parts(WORDS, kind) - parts(LAST_WORDS, kind))


def sums(kind):
    return distances(kind).sum(1).astype(np.uint32)


def four_products():
    return ((parts(WORDS, np.uint8) * parts(LAST_WORDS, np.uint8)).sum(1) + 5).astype(np.uint32)


def two_products(first):
    """The 16-bit parts of a word times two of the four bytes of the previous word; the products are added."""
    chosen = parts(LAST_WORDS, np.uint8)[:, first:first + 2]
    return ((parts(WORDS, np.uint16) * chosen).sum(1) + 5).astype(np.uint32)


def nth_set(word, base, offset):
    """`__fns`: the position of the `offset`-th set bit, counted from `base` on, upwards or downwards."""
    places = range(base, 32) if offset >= 0 else range(base, -1, -1)
    if offset == 0:
        places, offset = [base], 1
    found = [place for place in places if word >> place & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF


def set_bits():
    return np.array([nth_set(int(word), i % 32, i % 9 - 4) for i, word in enumerate(WORDS)], np.uint32)


def unsigned_24_bits(shift):
    """Products of the lower 24 bits, without the bits below `shift`."""
    first, second = (words.astype(np.uint64) & 0xFFFFFF for words in (WORDS, LAST_WORDS))
    return (first * second >> shift).astype(np.uint32)


def signed_24_bits():
    first, second = ((words << 8).view(np.int32).astype(np.int64) >> 8 for words in (WORDS, LAST_WORDS))
    return (first * second).astype(np.uint32)


def extended():
    """The lower `i % 32` bits of a word, extended with their sign. No bits give 0."""
    bits = np.arange(512) % 32
    low = WORDS.astype(np.int64) & (1 << bits) - 1
    sign = np.where(bits > 0, 1 << np.maximum(bits, 1) - 1, 0)
    return ((low ^ sign) - sign).astype(np.uint32)


def tensor_floats():
    """Floats rounded to ten fraction bits, ties away from zero."""
    return ((FLOATS.view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32)


def fused(narrow):
    """`a * b + 0.5`, rounded once: `f64` holds the product and the sum exactly."""
    wide = FLOATS.astype(narrow).astype(np.float64)
    with np.errstate(over="ignore"):
        return (wide * np.roll(wide, 1) + 0.5).astype(narrow).astype(np.float32)


def largest_sums(narrow):
    """The larger of two values: the sum of an item and the previous one, and the item itself."""
    row = FLOATS.astype(narrow)
    return np.maximum(row + np.roll(row, 1), row).astype(np.float32)


def eighths(narrow):
    """Floats rounded to eight bits. Too large values become the largest number."""
    largest = float(ml_dtypes.finfo(narrow).max)
    return np.clip(FLOATS, -largest, largest).astype(narrow).astype(np.float32)


def assembly(instruction, *operands):
    """The body of a kernel with one instruction that the compiler does not generate by itself."""
    places = ", ".join(f"%{place}" for place in range(len(operands) + 1))
    values = ", ".join(f'"r"({operand})' for operand in operands)
    statement = f'asm("{instruction} {places};" : "=r"(result) : {values});'
    return f"for (int i = threadIdx.x; i < 512; i += 128) {{ unsigned result; {statement} out[i] = result; }}"


HALF, BRAIN, EIGHTH = ("#include <cuda_fp16.h>\n", "#include <cuda_bf16.h>\n", "#include <cuda_fp8.h>\n")


def halves(conversion, back, call):
    return EACH.format(f"{back}({call})".replace("A", f"{conversion}(in[i])").replace("B", f"{conversion}({LAST})"))


# For each kernel: the headers, the body (it reads `in` and writes `out`, each of 512 items), the input, the expected output, and the PTX
# instruction that the compiled text must contain.
KERNELS = {
    "vabsdiffu4": ("", EACH.format(f"__vabsdiffu4(in[i], {LAST})"), WORDS, lambda: joined(distances(np.uint8), np.uint8), "vabsdiff4.u32"),
    "vsadu4": ("", EACH.format(f"__vsadu4(in[i], {LAST})"), WORDS, lambda: sums(np.uint8), "vabsdiff4.u32.u32.u32.add"),
    "vsadu2": ("", EACH.format(f"__vsadu2(in[i], {LAST})"), WORDS, lambda: sums(np.uint16), "vabsdiff2.u32.u32.u32.add"),
    "vabsdiff2": ("", assembly("vabsdiff2.u32.u32.u32", "in[i]", LAST, 0), WORDS,
        lambda: joined(distances(np.uint16), np.uint16), "vabsdiff2.u32.u32.u32"),
    "dp4a": ("", EACH.format(f"__dp4a(in[i], {LAST}, 5u)"), WORDS, four_products, "dp4a.u32.u32"),
    "dp2a_lo": ("", EACH.format(f"__dp2a_lo(in[i], {LAST}, 5u)"), WORDS, lambda: two_products(0), "dp2a.lo.u32.u32"),
    "dp2a_hi": ("", EACH.format(f"__dp2a_hi(in[i], {LAST}, 5u)"), WORDS, lambda: two_products(2), "dp2a.hi.u32.u32"),
    "fns": ("", EACH.format("__fns(in[i], i % 32, i % 9 - 4)"), WORDS, set_bits, "fns.b32"),
    "mul24": ("", assembly("mul24.lo.s32", "in[i]", LAST), WORDS, signed_24_bits, "mul24.lo.s32"),
    "mad24": ("", assembly("mad24.hi.u32", "in[i]", LAST, 7), WORDS, lambda: unsigned_24_bits(16) + np.uint32(7), "mad24.hi.u32"),
    "slct": ("", assembly("slct.u32.s32", "in[i]", LAST, "in[i]"), WORDS,
        lambda: np.where(WORDS.view(np.int32) >= 0, WORDS, LAST_WORDS), "slct.u32.s32"),
    "szext": ("", assembly("szext.wrap.s32", "in[i]", "i % 32"), WORDS, extended, "szext.wrap.s32"),
    "tensor_floats": ("#include <mma.h>\n", EACH.format("nvcuda::wmma::__float_to_tf32(in[i])"), FLOATS, tensor_floats, "cvt.rna.tf32.f32"),
    "half_fma": (HALF, halves("__float2half", "__half2float", "__hfma(A, B, __float2half(0.5f))"), FLOATS,
        lambda: fused(np.float16), "fma.rn.f16"),
    "half2": (HALF, halves("__float2half2_rn", "__high2float", "__hmax2(__hadd2(A, B), A)"), FLOATS,
        lambda: largest_sums(np.float16), "add.f16x2"),
    "bfloat16_fma": (BRAIN, halves("__float2bfloat16", "__bfloat162float", "__hfma(A, B, __float2bfloat16(0.5f))"), FLOATS,
        lambda: fused(ml_dtypes.bfloat16), "fma.rn.bf16"),
    "bfloat16_2": (BRAIN, halves("__float2bfloat162_rn", "__high2float", "__hmax2(__hadd2(A, B), A)"), FLOATS,
        lambda: largest_sums(ml_dtypes.bfloat16), "max.bf16x2"),
    "float8_e4m3": (EIGHTH, EACH.format("float(__nv_fp8_e4m3(in[i]))"), FLOATS,
        lambda: eighths(ml_dtypes.float8_e4m3fn), "cvt.rn.satfinite.e4m3x2.f32"),
    "float8_e5m2": (EIGHTH, EACH.format("float(__nv_fp8_e5m2(in[i]))"), FLOATS,
        lambda: eighths(ml_dtypes.float8_e5m2), "cvt.rn.satfinite.e5m2x2.f32"),
}
