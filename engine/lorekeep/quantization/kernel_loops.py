"""LLVM source of the innermost loops: some rows of activations times one row, or one block of rows, of weights of 4, 8 or 16 bits."""

# Columns whose activations share a scale, and whose products are added as integers.
GROUP = 32
# Rows of 4-bit weights that are stored together.
BLOCK = 16
ARGUMENTS = "ptr %q, ptr %s, ptr %m, ptr %w, ptr %sc, ptr %y, i64 %groups, i64 %per, i64 %wide"


def four(rows: int) -> str:
    """`rows` rows of activations times one block of 16 rows of 4-bit weights."""
    starts = [f"%row{t} = mul i64 %groups, {t}" for t in range(rows)]
    body = [
        f"%wa = mul i64 %g, {BLOCK * GROUP // 2}",
        "%pw = getelementptr i8, ptr %w, i64 %wa",
        "%sg = lshr i64 %g, %per",
        f"%sa = mul i64 %sg, {BLOCK}",
        "%psc = getelementptr i16, ptr %sc, i64 %sa",
    ]
    ends = []
    for t in range(rows):
        body += [*_rounded_row(t, 1), f"%pm{t} = getelementptr i32, ptr %m, i64 %gr{t}"]
        body.append(f"%start{t} = load i32, ptr %pm{t}, align 1")
        ends += [f"%yo{t} = mul i64 %wide, {t}", f"%py{t} = getelementptr i16, ptr %y, i64 %yo{t}"]
    for h in range(2):
        body += _half_block(h)
        for t in range(rows):
            body += _products4(h, t)
            ends += [
                f"%half{h}.{t} = call <8 x i16> @half8(<8 x float> %new{h}.{t})",
                f"%pyh{h}.{t} = getelementptr i16, ptr %py{t}, i64 {8 * h}",
                f"store <8 x i16> %half{h}.{t}, ptr %pyh{h}.{t}, align 1",
            ]
    return _loop(f"four{rows}", starts, [f"{h}.{t}" for h in range(2) for t in range(rows)], body, ends)


def _half_block(h: int) -> list[str]:
    """The values and scales of 8 rows of 4-bit weights."""
    made = []
    for j in range(4):
        made += [
            f"%p{h}{j} = getelementptr i8, ptr %pw, i64 {(h * 4 + j) * 32}",
            f"%w{h}{j} = load <32 x i8>, ptr %p{h}{j}, align 1",
            f"%lo{h}{j} = and <32 x i8> %w{h}{j}, splat (i8 15)",
            f"%hi{h}{j} = lshr <32 x i8> %w{h}{j}, splat (i8 4)",
        ]
    return [
        *made,
        f"%psc{h} = getelementptr i16, ptr %psc, i64 {8 * h}",
        f"%sc{h}s = load <8 x i16>, ptr %psc{h}, align 1",
        f"%sc{h}w = zext <8 x i16> %sc{h}s to <8 x i32>",
        f"%sc{h}b = shl <8 x i32> %sc{h}w, splat (i32 16)",
        f"%sc{h} = bitcast <8 x i32> %sc{h}b to <8 x float>",
    ]


def _products4(h: int, t: int) -> list[str]:
    name, made = f"{h}.{t}", []
    for k in range(8):
        weights = f"%lo{h}{k}" if k < 4 else f"%hi{h}{k - 4}"
        made += [
            f"%px{name}.{k} = getelementptr i8, ptr %pq{t}, i64 {4 * k}",
            f"%x{name}.{k} = load i32, ptr %px{name}.{k}, align 1",
            *_splat(f"xv{name}.{k}", "i32", 8, f"%x{name}.{k}"),
            f"%xb{name}.{k} = bitcast <8 x i32> %xv{name}.{k} to <32 x i8>",
            f"%m{name}.{k} = call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8> {weights}, <32 x i8> %xb{name}.{k})",
        ]
        # Twice eight products of 15 and 127 fit into 16 bits.
        if k:
            before = f"%m{name}.0" if k == 1 else f"%s{name}.{k - 1}"
            made.append(f"%s{name}.{k} = add <16 x i16> {before}, %m{name}.{k}")
    return [
        *made,
        f"%d{name} = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %s{name}.7, <16 x i16> splat (i16 1))",
        *_splat(f"st{name}", "i32", 8, f"%start{t}"),
        f"%i{name} = add <8 x i32> %d{name}, %st{name}",
        f"%f{name} = sitofp <8 x i32> %i{name} to <8 x float>",
        *_splat(f"xs{name}", "float", 8, f"%scale{t}"),
        f"%by{name} = fmul <8 x float> %sc{h}, %xs{name}",
        _fma(f"%new{name}", f"%f{name}", f"%by{name}", f"%acc{name}"),
    ]


def _rounded_row(t: int, size: int) -> list[str]:
    """Loads a group of a row of activations: integers of `size` bytes and their scale."""
    return [
        f"%gr{t} = add i64 %g, %row{t}",
        f"%qa{t} = mul i64 %gr{t}, {GROUP * size}",
        f"%pq{t} = getelementptr i8, ptr %q, i64 %qa{t}",
        f"%ps{t} = getelementptr float, ptr %s, i64 %gr{t}",
        f"%scale{t} = load float, ptr %ps{t}, align 1",
    ]


def eight(rows: int) -> str:
    """`rows` rows of activations times one row of 8-bit weights. Several rows of weights at once are slower: memory is read
    fastest as one stream."""
    starts, loads, body, ends = _scale("%sc"), [], [], []
    for k in range(2):
        loads += [
            f"%pw.{k} = getelementptr i8, ptr %w, i64 %at{k}",
            f"%wb.{k} = load <16 x i8>, ptr %pw.{k}, align 1",
            f"%w.{k} = sext <16 x i8> %wb.{k} to <16 x i16>",
        ]
    for t in range(rows):
        body += [
            *_rounded_row(t, 2),
            *_splat(f"xs{t}", "float", 8, f"%scale{t}"),
        ]
        for k in range(2):
            body += [
                f"%px{t}.{k} = getelementptr i8, ptr %pq{t}, i64 {32 * k}",
                f"%x{t}.{k} = load <16 x i16>, ptr %px{t}.{k}, align 1",
                f"%d{t}.{k} = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %w.{k}, <16 x i16> %x{t}.{k})",
            ]
        body += [
            f"%i{t} = add <8 x i32> %d{t}.0, %d{t}.1",
            f"%f{t} = sitofp <8 x i32> %i{t} to <8 x float>",
            _fma(f"%new{t}", f"%f{t}", f"%xs{t}", f"%acc{t}"),
        ]
        ends += [*_sum_8(f"{t}", f"%new{t}"), f"%out{t} = fmul float %sum{t}, %scale", *_store(t, f"%out{t}")]
    starts += [f"%row{t} = mul i64 %groups, {t}" for t in range(rows)]
    return _loop(f"eight{rows}", starts, [f"{t}" for t in range(rows)], loads + body, ends)


def sixteen(rows: int) -> str:
    """`rows` rows of activations times one row of 16-bit weights. Even and odd columns are summed
    separately."""
    starts, body, ends = [f"%columns = mul i64 %groups, {GROUP}"], [], []
    for t in range(rows):
        starts += [f"%row{t} = mul i64 %columns, {t}", f"%q{t} = getelementptr i16, ptr %q, i64 %row{t}"]
    for k in range(2):
        for name, start in [("w", "%w"), *((f"x{t}", f"%q{t}") for t in range(rows))]:
            body += [
                f"%p.{name}.{k} = getelementptr i16, ptr {start}, i64 %at{k}",
                f"%b.{name}.{k} = load <8 x i32>, ptr %p.{name}.{k}, align 1",
                f"%e.{name}.{k} = shl <8 x i32> %b.{name}.{k}, splat (i32 16)",
                f"%o.{name}.{k} = and <8 x i32> %b.{name}.{k}, splat (i32 -65536)",
                f"%{name}.{k}.0 = bitcast <8 x i32> %e.{name}.{k} to <8 x float>",
                f"%{name}.{k}.1 = bitcast <8 x i32> %o.{name}.{k} to <8 x float>",
            ]
        for t in range(rows):
            for n in range(2):
                before, now = (
                    (f"%acc{t}.{n}", f"%half{t}.{n}") if k == 0 else (f"%half{t}.{n}", f"%new{t}.{n}")
                )
                body.append(_fma(now, f"%w.{k}.{n}", f"%x{t}.{k}.{n}", before))
    for t in range(rows):
        ends += [f"%both{t} = fadd <8 x float> %new{t}.0, %new{t}.1", *_sum_8(f"{t}", f"%both{t}")]
        ends += _store(t, f"%sum{t}")
    return _loop(f"sixteen{rows}", starts, [f"{t}.{n}" for t in range(rows) for n in range(2)], body, ends)


def _loop(name: str, starts: list[str], sums: list[str], body: list[str], ends: list[str]) -> str:
    """A loop over the groups of one row of weights; `sums` are carried from one to the next."""
    phis = [f"%acc{one} = phi <8 x float> [zeroinitializer, %entry], [%new{one}, %loop]" for one in sums]
    return f"""
define internal void @{name}({ARGUMENTS}) {{
entry:
  {joined(starts)}
  br label %loop
loop:
  %g = phi i64 [0, %entry], [%next, %loop]
  {joined(phis)}
  %at0 = mul i64 %g, {GROUP}
  %at1 = add i64 %at0, 16
  {joined(body)}
  %next = add i64 %g, 1
  %more = icmp ult i64 %next, %groups
  br i1 %more, label %loop, label %end
end:
  {joined(ends)}
  ret void
}}"""


def _fma(made: str, one: str, other: str, added: str) -> str:
    given = ", ".join(f"<8 x float> {value}" for value in (one, other, added))
    return f"{made} = call <8 x float> @llvm.fma.v8f32({given})"


def _scale(at: str) -> list[str]:
    return [
        f"%sc16 = load i16, ptr {at}, align 1",
        "%sc32 = zext i16 %sc16 to i32",
        "%scbits = shl i32 %sc32, 16",
        "%scale = bitcast i32 %scbits to float",
    ]


def _store(t: int, value: str) -> list[str]:
    """Writes one number of the result."""
    return [
        f"%yo{t} = mul i64 %wide, {t}",
        f"%py{t} = getelementptr i16, ptr %y, i64 %yo{t}",
        f"%one{t} = insertelement <1 x float> poison, float {value}, i32 0",
        f"%short{t} = call <1 x i16> @half1(<1 x float> %one{t})",
        f"store <1 x i16> %short{t}, ptr %py{t}, align 1",
    ]


def _sum_8(name: str, kept: str) -> list[str]:
    """Sums eight numbers by halving."""
    made = []
    for n in (4, 2, 1):
        for part, first in (("a", 0), ("b", n)):
            which = ", ".join(f"i32 {first + at}" for at in range(n))
            made.append(
                f"%{part}{n}.{name} = shufflevector <{2 * n} x float> {kept}, <{2 * n} x float> poison, <{n} x i32> <{which}>"
            )
        made.append(f"%s{n}.{name} = fadd <{n} x float> %a{n}.{name}, %b{n}.{name}")
        kept = f"%s{n}.{name}"
    return [*made, f"%sum{name} = extractelement <1 x float> {kept}, i32 0"]


def joined(lines: list[str]) -> str:
    return "\n  ".join(lines)


def _splat(name: str, kind: str, n: int, value: str) -> list[str]:
    return [
        f"%{name}.1 = insertelement <{n} x {kind}> poison, {kind} {value}, i32 0",
        f"%{name} = shufflevector <{n} x {kind}> %{name}.1, <{n} x {kind}> poison, <{n} x i32> zeroinitializer",
    ]
