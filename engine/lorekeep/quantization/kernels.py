"""LLVM source of the kernels in native.py: rounding of activations, and the loops over all weights."""

from lorekeep.quantization.kernel_loops import BLOCK, GROUP, eight, four, joined, sixteen

# Functions of the OpenMP library.
THREADS = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
# Rows of activations that are computed with one read of the weights.
_ROW_BATCHES = (4, 1)
# Smallest width of a group that is not rounded to zero: below, the inverse of its scale is infinite.
_MIN_WIDTH = "0x3A80000000000000"  # 2 ** -87

_HEAD = """
declare i16 @llvm.vector.reduce.umax.v32i16(<32 x i16>)
declare i32 @llvm.vector.reduce.add.v32i32(<32 x i32>)
declare <32 x float> @llvm.roundeven.v32f32(<32 x float>)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8>, <32 x i8>)
declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)
declare void @GOMP_parallel(ptr, ptr, i32, i32)
declare i32 @omp_get_thread_num()
declare i32 @omp_get_num_threads()
%given = type { ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64 }
"""


def source(with_threads: bool) -> str:
    parts = [_HEAD, _rounding("8", "i8", 127), _rounding("16", "i16", 32767), _round()]
    parts += [made(rows) for made in (four, eight, sixteen) for rows in _ROW_BATCHES]
    for bits in (4, 8, 16):
        parts += [_blocks(bits), _entry(bits, with_threads)]
    return "\n".join(parts)


def _rounding(bits: str, kind: str, most: int) -> str:
    """Rounds `groups` groups of activations to integers of this many bits. The scale of a group that is not finite is NaN."""
    total = "store i32 %start, ptr %pm" if bits == "8" else ""
    return f"""
define internal void @round{bits}(ptr %x, ptr %q, ptr %s, ptr %m, i64 %groups) {{
entry: br label %loop
loop:
  %g = phi i64 [0, %entry], [%next, %loop]
  %at = mul i64 %g, {GROUP}
  %px = getelementptr i16, ptr %x, i64 %at
  %v = load <32 x i16>, ptr %px, align 2
  %abs = and <32 x i16> %v, splat (i16 32767)
  %widest = call i16 @llvm.vector.reduce.umax.v32i16(<32 x i16> %abs)
  %bad = icmp uge i16 %widest, 32640
  %w32 = zext i16 %widest to i32
  %wbits = shl i32 %w32, 16
  %w = bitcast i32 %wbits to float
  %tiny = fcmp olt float %w, {_MIN_WIDTH}
  %none = or i1 %bad, %tiny
  %inverse = fdiv float {most}.0, %w
  %by = select i1 %none, float 0.0, float %inverse
  %step = fdiv float %w, {most}.0
  %scale = select i1 %bad, float 0x7FF8000000000000, float %step
  %usable = select i1 %bad, <32 x i16> zeroinitializer, <32 x i16> %v
  %wide = zext <32 x i16> %usable to <32 x i32>
  %fbits = shl <32 x i32> %wide, splat (i32 16)
  %f = bitcast <32 x i32> %fbits to <32 x float>
  %by1 = insertelement <32 x float> poison, float %by, i32 0
  %by32 = shufflevector <32 x float> %by1, <32 x float> poison, <32 x i32> zeroinitializer
  %scaled = fmul <32 x float> %f, %by32
  %whole = call <32 x float> @llvm.roundeven.v32f32(<32 x float> %scaled)
  %i = fptosi <32 x float> %whole to <32 x i32>
  %n = trunc <32 x i32> %i to <32 x {kind}>
  %pq = getelementptr {kind}, ptr %q, i64 %at
  store <32 x {kind}> %n, ptr %pq, align 1
  %ps = getelementptr float, ptr %s, i64 %g
  store float %scale, ptr %ps, align 1
  %sum = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %i)
  %start = mul i32 %sum, -8
  %pm = getelementptr i32, ptr %m, i64 %g
  {total}
  %next = add i64 %g, 1
  %more = icmp ult i64 %next, %groups
  br i1 %more, label %loop, label %end
end: ret void
}}"""


def _round() -> str:
    """Rounds numbers of 32 bits to 16; NaN stays NaN."""
    made = []
    for n in (8, 1):
        kind = {"f": f"<{n} x float>", "i": f"<{n} x i32>", "s": f"<{n} x i16>", "b": f"<{n} x i1>"}
        made.append(f"""
define internal {kind["s"]} @half{n}({kind["f"]} %y) alwaysinline {{
  %bits = bitcast {kind["f"]} %y to {kind["i"]}
  %up = lshr {kind["i"]} %bits, splat (i32 16)
  %odd = and {kind["i"]} %up, splat (i32 1)
  %half = add {kind["i"]} %odd, splat (i32 32767)
  %sum = add {kind["i"]} %bits, %half
  %high = lshr {kind["i"]} %sum, splat (i32 16)
  %nan = fcmp uno {kind["f"]} %y, zeroinitializer
  %kept = select {kind["b"]} %nan, {kind["i"]} splat (i32 32704), {kind["i"]} %high
  %short = trunc {kind["i"]} %kept to {kind["s"]}
  ret {kind["s"]} %short
}}""")
    return "\n".join(made)


_FIELDS = ("q", "s", "m", "w", "sc", "y", "rows", "groups", "wide", "per")


def _unpacked() -> str:
    lines = []
    for number, name in enumerate(_FIELDS):
        kind = "ptr" if number < 6 else "i64"
        lines += [
            f"%f.{name} = getelementptr %given, ptr %given, i32 0, i32 {number}",
            f"%{name} = load {kind}, ptr %f.{name}",
        ]
    return joined(lines)


def _rows_loop(label: str, call: str, rows: int, next_label: str, first: str) -> str:
    """Calls for `rows` rows at a time while at least that many remain."""
    return f"""
{label}:
  %t.{label} = phi i64 {first}, [%n.{label}, %do.{label}]
  %n.{label} = add i64 %t.{label}, {rows}
  %is.{label} = icmp ule i64 %n.{label}, %rows
  br i1 %is.{label}, label %do.{label}, label %{next_label}
do.{label}:
  %gr.{label} = mul i64 %t.{label}, %groups
  %qo.{label} = mul i64 %gr.{label}, %unit
  %q.{label} = getelementptr i8, ptr %q, i64 %qo.{label}
  %s.{label} = getelementptr float, ptr %s, i64 %gr.{label}
  %m.{label} = getelementptr i32, ptr %m, i64 %gr.{label}
  %yr.{label} = mul i64 %t.{label}, %wide
  %ya.{label} = add i64 %yr.{label}, %out
  %y.{label} = getelementptr i16, ptr %y, i64 %ya.{label}
  call void @{call}(ptr %q.{label}, ptr %s.{label}, ptr %m.{label}, ptr %wb, ptr %scb, ptr %y.{label}, i64 %groups, i64 %per, i64 %wide)
  br label %{label}"""


def _blocks(bits: int) -> str:
    """The blocks [begin, end) of the weights, for all rows of activations. A block is read once for all rows."""
    name = {4: "four", 8: "eight", 16: "sixteen"}[bits]
    high = _height(bits)
    return f"""
define internal void @blocks{bits}(ptr %given, i64 %begin, i64 %end) {{
entry:
  {_unpacked()}
  %unit = add i64 0, {GROUP if bits == 4 else 2 * GROUP}
  %bytes = mul i64 %groups, {high * GROUP * bits // 8}
  %scales0 = {"lshr i64 %groups, %per" if bits == 4 else "add i64 0, 1"}
  %scales = mul i64 %scales0, {high}
  %any = icmp ult i64 %begin, %end
  br i1 %any, label %block, label %done
block:
  %b = phi i64 [%begin, %entry], [%bn, %last]
  %wo = mul i64 %b, %bytes
  %wb = getelementptr i8, ptr %w, i64 %wo
  %so = mul i64 %b, %scales
  %scb = getelementptr i16, ptr %sc, i64 %so
  %out = mul i64 %b, {high}
  br label %many
{_rows_loop("many", f"{name}4", 4, "ones", "[0, %block]")}
{_rows_loop("ones", f"{name}1", 1, "last", "[%t.many, %many]")}
last:
  %bn = add i64 %b, 1
  %more = icmp ult i64 %bn, %end
  br i1 %more, label %block, label %done
done: ret void
}}"""


def _height(bits: int) -> int:
    """Rows of weights in a block."""
    return BLOCK if bits == 4 else 1


def _entry(bits: int, with_threads: bool) -> str:
    """`product4`, `product8` and `product16`: activations, weights, scales, result, scratch; rows, columns, rows of the weights, groups of
    activations per scale, threads."""
    unit = 1 if bits == 4 else 2  # bytes of an activation
    rounding = f"call void @round{8 * unit}(ptr %x, ptr %q, ptr %s, ptr %m, i64 %total)"
    team = f"""
  %several = icmp ugt i64 %threads, 1
  br i1 %several, label %team, label %alone
team:
  %n = trunc i64 %threads to i32
  call void @GOMP_parallel(ptr @part{bits}, ptr %given, i32 %n, i32 0)
  ret void
alone:"""
    return f"""
define internal void @part{bits}(ptr %given) {{
  %f = getelementptr %given, ptr %given, i32 0, i32 8
  %wide = load i64, ptr %f
  %blocks = udiv i64 %wide, {_height(bits)}
  %one = call i32 @omp_get_thread_num()
  %all = call i32 @omp_get_num_threads()
  %one64 = zext i32 %one to i64
  %all64 = zext i32 %all to i64
  %two64 = add i64 %one64, 1
  %b0 = mul i64 %blocks, %one64
  %begin = udiv i64 %b0, %all64
  %e0 = mul i64 %blocks, %two64
  %end = udiv i64 %e0, %all64
  call void @blocks{bits}(ptr %given, i64 %begin, i64 %end)
  ret void
}}
define void @product{bits}(ptr %x, ptr %w, ptr %sc, ptr %y, ptr {"%unused" if bits == 16 else "%q"}, i64 %rows, i64 %columns, i64 %wide, i64 %per, i64 %threads) {{
  {"%q = getelementptr i8, ptr %x, i64 0" if bits == 16 else ""}
  %given = alloca %given
  %groups = udiv i64 %columns, {GROUP}
  %total = mul i64 %groups, %rows
  %qs = mul i64 %total, {GROUP * unit}
  %s = getelementptr i8, ptr %q, i64 %qs
  %m = getelementptr float, ptr %s, i64 %total
  {joined([line for number, name in enumerate(_FIELDS) for line in _stored(number, name)])}
  {"" if bits == 16 else rounding}
  %blocks = udiv i64 %wide, {_height(bits)}
  {team if with_threads else ""}
  call void @blocks{bits}(ptr %given, i64 0, i64 %blocks)
  ret void
}}"""


def _stored(number: int, name: str) -> list[str]:
    return [
        f"%f.{name} = getelementptr %given, ptr %given, i32 0, i32 {number}",
        f"store {'ptr' if number < 6 else 'i64'} %{name}, ptr %f.{name}",
    ]
