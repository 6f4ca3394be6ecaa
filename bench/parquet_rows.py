# Writes a Parquet file of distinct rows: python parquet_rows.py PATH MEGABYTES groups|one-group (pyarrow's own row groups, or a single one).
import sys

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema([("input", pa.string()), ("output", pa.string())])
ROWS_OF_A_MEGABYTE = 6_100
ROWS_AT_ONCE = 100_000


def rows(start: int, count: int) -> pa.RecordBatch:
    """The rows of upload.ts."""
    numbers = range(start, start + count)
    return pa.record_batch(
        [
            [
                f"What is the service interval of part {n}, series {n * 2654435761 % 2**32:08x}?"
                for n in numbers
            ],
            [answer(n) for n in numbers],
        ],
        schema=SCHEMA,
    )


def answer(n: int) -> str:
    return f"Part {n} is due every {n % 977 + 23} hours; its torque is {n * 48271 % 991} Nm, as sheet {n * 40503 % 2**16:04x} states."


def main() -> None:
    path, megabytes, groups = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    total = megabytes * ROWS_OF_A_MEGABYTE
    with pq.ParquetWriter(path, SCHEMA) as writer:
        if groups == "one-group":
            batches = [rows(at, min(ROWS_AT_ONCE, total - at)) for at in range(0, total, ROWS_AT_ONCE)]
            writer.write_table(pa.Table.from_batches(batches), row_group_size=total)
        else:
            for at in range(0, total, ROWS_AT_ONCE):
                writer.write_batch(rows(at, min(ROWS_AT_ONCE, total - at)), row_group_size=1 << 20)


if __name__ == "__main__":
    main()
