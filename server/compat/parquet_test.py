# Parquet files as pyarrow and pandas write them, whole, damaged and made to deceive.
import datetime
import decimal
import io
import os
import random
from collections.abc import Iterator

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Product, running

ROWS = [{"input": f"Question {n % 7} of {n}?", "output": f"Zoë 🙂 answers {n}."} for n in range(2500)]
ROUNDS = 60 if os.environ.get("LOREKEEP_TEST_LONG") == "1" else 20


@pytest.fixture(scope="module")
def product(tmp_path_factory) -> Iterator[Product]:
    """One of its own: how much a reader takes is measured beside nothing else that the collector has to see to."""
    with running(str(tmp_path_factory.mktemp("parquet"))) as started:
        yield started


def parquet(rows: list[dict] | pa.Table, **options) -> bytes:
    file = io.BytesIO()
    pq.write_table(rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows), file, **options)
    return file.getvalue()


def stored(product, content: bytes, **fields: str) -> list[dict]:
    answer = product.upload(content, "rows.parquet", **fields)
    assert answer.status_code == 200, answer.text
    return product.rows(answer.json()["dataset_id"])


def refused(product, content: bytes) -> str:
    answer = product.upload(content, "rows.parquet")
    assert 400 <= answer.status_code < 500, answer.text
    return answer.text


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_every_codec_page_version_and_encoding_gives_the_same_rows(product, codec, version, dictionary):
    content = parquet(
        ROWS,
        compression=codec,
        data_page_version=version,
        use_dictionary=dictionary,
        row_group_size=1000,
        data_page_size=4096,
    )
    assert stored(product, content) == ROWS


@pytest.mark.parametrize("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_newer_encodings_are_read(product, encoding):
    content = parquet(ROWS, use_dictionary=False, column_encoding={"input": encoding, "output": encoding})
    assert stored(product, content) == ROWS


def test_a_file_of_pandas_is_read(product):
    file = io.BytesIO()
    pd.DataFrame(ROWS).to_parquet(file)
    assert stored(product, file.getvalue()) == ROWS


def test_one_long_row_group_of_few_values_is_read(product):
    rows = [{"input": f"{n}", "output": "yes" if n % 2 else "no"} for n in range(200_000)]
    assert stored(product, parquet(rows, row_group_size=1 << 20)) == rows


def test_nulls_are_named_by_their_row(product):
    rows = [dict(row) for row in ROWS]
    rows[1233]["output"] = None
    rows[2499]["input"] = None
    told = refused(product, parquet(rows, row_group_size=700))
    assert "row 1234: output is null" in told
    assert "row 2500: input is null" in told


def test_a_nul_is_refused_by_its_row(product):
    rows = [dict(row) for row in ROWS]
    rows[1]["output"] = "a\0b"
    assert "row 2: output holds a NUL character" in refused(product, parquet(rows))


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        ([1, -7, 2**31 - 1], pa.int32(), ["1", "-7", "2147483647"]),
        ([2**63 - 1, -(2**63), 5], pa.int64(), ["9223372036854775807", "-9223372036854775808", "5"]),
        ([0.1, -2.5, 1e300], pa.float64(), ["0.1", "-2.5", "1e+300"]),
        ([0.1, 16777216.0, 3.14159], pa.float32(), ["0.1", "16777216", "3.14159"]),
        ([True, False, True], pa.bool_(), ["true", "false", "true"]),
        ([b"text", "Zoë".encode(), b"x"], pa.string(), ["text", "Zoë", "x"]),
        (["\ufeffmark", "a\u0001b", "x\u2028"], pa.large_string(), ["\ufeffmark", "a\u0001b", "x\u2028"]),
        (["yes", "no", "yes"], pa.dictionary(pa.int8(), pa.string()), ["yes", "no", "yes"]),
        (
            [decimal.Decimal(text) for text in ("1.10", "-0.05", "12345678.90")],
            pa.decimal128(12, 2),
            ["1.10", "-0.05", "12345678.90"],
        ),
        (
            [decimal.Decimal("1e28"), decimal.Decimal(0), decimal.Decimal(-1)],
            pa.decimal128(38, 0),
            ["1" + "0" * 28, "0", "-1"],
        ),
        (
            [datetime.date(2026, 11, 21), datetime.date(1894, 1, 2), datetime.date(1970, 1, 1)],
            pa.date32(),
            ["2026-11-21", "1894-01-02", "1970-01-01"],
        ),
        (
            [
                datetime.datetime(2026, 11, 21, 9, 30),
                datetime.datetime(1970, 1, 1),
                datetime.datetime(1969, 12, 31, 23),
            ],
            pa.timestamp("us", tz="UTC"),
            ["2026-11-21T09:30:00.000Z", "1970-01-01T00:00:00.000Z", "1969-12-31T23:00:00.000Z"],
        ),
    ],
)
@pytest.mark.parametrize("dictionary", [True, False])
def test_answers_of_every_type_are_taken_as_their_text(product, values, kind, texts, dictionary):
    table = pa.table({"input": ["a", "b", "c"], "output": pa.array(values, kind)})
    assert [row["output"] for row in stored(product, parquet(table, use_dictionary=dictionary))] == texts


def test_not_a_number_is_no_answer(product):
    table = pa.table({"input": ["a", "b"], "output": [1.5, float("nan")]})
    assert "row 2: output is null" in refused(product, parquet(table))


def test_other_columns_are_kept_and_nested_ones_passed_over(product):
    table = pa.table(
        {
            "page": [1, 2],
            "input": ["a", "b"],
            "tags": [["x"], []],
            "at": [{"x": 1}, {"x": 2}],
            "output": ["c", "d"],
        }
    )
    assert stored(product, parquet(table)) == [
        {"input": "a", "output": "c", "page": 1},
        {"input": "b", "output": "d", "page": 2},
    ]


def test_columns_are_chosen_by_name(product):
    table = pa.table({"q": ["a"], "input": ["not this"], "a": ["b"]})
    assert stored(product, parquet(table), input_column="q", output_column="a") == [
        {"input": "a", "output": "b"}
    ]
    assert 'has no column \\"output\\" but \\"q\\", \\"input\\", \\"a\\"' in refused(product, parquet(table))


def test_bytes_that_are_no_text_are_refused(product):
    table = pa.table({"input": ["a"], "output": pa.array([b"\xff\xfe"]).view(pa.string())})
    assert "it is damaged" in refused(product, parquet(table, use_dictionary=False))


def test_an_empty_table_has_no_rows(product):
    table = pa.table({"input": pa.array([], pa.string()), "output": pa.array([], pa.string())})
    assert "dataset_empty" in refused(product, parquet(table))


def test_a_cut_off_file_is_refused_wherever_it_is_cut(product):
    content = parquet(ROWS)
    places = random.Random(1)
    for end in [4, 8, 11, 12, len(content) - 1, *(places.randrange(4, len(content)) for _ in range(40))]:
        assert '"code":"file_unreadable"' in refused(product, content[:end]), f"cut at {end}"


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
def test_damaged_bytes_are_never_an_error_of_the_server(product, codec):
    """Any change of the file leads to a refusal or to the changed rows; in bounded memory, and at once."""
    content = parquet(ROWS[:300], compression=codec, data_page_size=1024, row_group_size=100)
    places = random.Random(codec)
    with product.grows_at_most(150 << 20):
        for _ in range(ROUNDS):
            damaged = bytearray(content)
            for _ in range(places.choice([1, 1, 4])):
                damaged[places.randrange(4, len(damaged) - 8)] = places.randrange(256)
            answer = product.upload(bytes(damaged), "rows.parquet")
            assert answer.status_code in (200, 400, 422), answer.text


def test_a_page_that_claims_to_unpack_to_much_more_is_refused(product):
    """Half a gigabyte of one letter packs into a few bytes: nothing is set aside for it because the file says so."""
    table = pa.table({"input": ["a"] * 8, "output": ["x" * (80 << 20)] + ["y"] * 7})
    with product.grows_at_most(150 << 20):
        told = refused(product, parquet(table, compression="zstd", use_dictionary=False))
    assert "a page is larger than 67108864 bytes" in told


@pytest.mark.parametrize("claimed", [301, 8191])
def test_a_page_that_claims_to_hold_more_values_is_refused(product, claimed):
    content = bytearray(parquet(ROWS[:300], compression="none", use_dictionary=False))
    column = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0)
    # The header of a page is Thrift: the number of values is the first field of its inner structure, a zigzag number of two bytes here.
    at = content.index(b"\x2c\x15", column.data_page_offset) + 2
    assert bytes(content[at : at + 2]) == two_bytes(300)
    content[at : at + 2] = two_bytes(claimed)
    assert '"code":"file_unreadable"' in refused(product, bytes(content))


def two_bytes(number: int) -> bytes:
    return bytes([number * 2 & 0x7F | 0x80, number * 2 >> 7])
