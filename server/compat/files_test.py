# Files of rows as people have them: JSON lines, CSV, JSON. What is taken word for word, and what is refused, with the row and the reason.
import json

import pytest
import requests

ROWS = [
    {"input": "When was the mill built?", "output": "In 1894."},
    {"input": 'Who said "no"; or, yes?', "output": "Zoë,\nin two lines 🙂"},
    {"input": "\ufeffA mark\tand a tab", "output": "  spaces around  "},
]


def stored(product, content: bytes | str, name: str, **fields: str) -> list[dict]:
    answer = product.upload(content if isinstance(content, bytes) else content.encode(), name, **fields)
    assert answer.status_code == 200, answer.text
    return product.rows(answer.json()["dataset_id"])


def refused(product, content: bytes | str, name: str, **fields: str) -> str:
    answer = product.upload(content if isinstance(content, bytes) else content.encode(), name, **fields)
    assert 400 <= answer.status_code < 500, answer.text
    detail = answer.json()["detail"]
    return detail if isinstance(detail, str) else "\n".join(mistake["msg"] for mistake in detail)


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def table(rows: list[dict], separator: str = ",", end: str = "\n") -> str:
    cells = [["input", "output"], *([row["input"], row["output"]] for row in rows)]
    return "".join(separator.join(map(quoted, row)) + end for row in cells)


def test_the_same_rows_are_the_same_dataset_in_every_format(product, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
    ids = {
        product.call("POST", "/v1/local-data", json={"data": ROWS}).json()["dataset_id"],
        product.upload(lines(ROWS).encode()).json()["dataset_id"],
        product.upload(json.dumps(ROWS).encode(), "rows.json").json()["dataset_id"],
        product.upload(table(ROWS).encode(), "rows.csv").json()["dataset_id"],
        product.upload((tmp_path / "rows.parquet").read_bytes(), "rows.parquet").json()["dataset_id"],
    }
    assert len(ids) == 1
    assert product.rows(ids.pop()) == ROWS


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_csv_of_every_kind_is_the_same(product, separator, end, mark):
    assert stored(product, mark + table(ROWS, separator, end), "rows.csv") == ROWS


def test_csv_has_its_two_columns_in_any_case_and_order_and_keeps_the_others(product):
    content = "note, OUTPUT ,Input,\nn1,a1,q1,\n\nn2,a2,q2,\n"
    assert stored(product, content, "rows.csv") == [
        {"input": "q1", "output": "a1", "note": "n1"},
        {"input": "q2", "output": "a2", "note": "n2"},
    ]


@pytest.mark.parametrize("header", ["question,input,answer", "input,question,answer"])
def test_csv_columns_are_chosen_by_name(product, header):
    values = {"question": "q", "input": "not this", "answer": "a"}
    content = f"{header}\n{','.join(values[name] for name in header.split(','))}\n"
    assert stored(product, content, "rows.csv", input_column="question", output_column="answer") == [
        {"input": "q", "output": "a"}
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "holds no rows"),
        ("\ufeff", "holds no rows"),
        ("input,output\n", "holds no rows"),
        ("input,output\nq,a\nq\n", "row 2 (line 3) has 1 value where the header has 2"),
        ('input,output\n"q\nq",a\nq,a,x\n', "row 2 (line 4) has 3 values where the header has 2"),
        ("input,output\nq,\n", "row 1 (line 2): output is empty"),
        ("question,answer\nq,a\n", 'no column "input" but "question", "answer"'),
        ("input,output,Input\nq,a,q\n", 'the column "Input" twice'),
        ("input,output,note,note\nq,a,n,m\n", 'the column "note" twice'),
        ('input,output\n"q,a\n', "a quote opened near line"),
        ("input,output\nZoë,a\n".encode("latin-1"), "it is not UTF-8 text"),
        ("input,output\n" + "q" * (1 << 21) + ",a\n", "is longer than 1048576 bytes"),
    ],
)
def test_csv_that_cannot_be_taken_is_refused_by_place(product, content, told):
    assert told in refused(product, content, "rows.csv")


def test_csv_text_behind_a_closing_quote_is_read_as_python_reads_it(product):
    assert stored(product, 'input,output\n"q"x,a\n', "rows.csv") == [{"input": "qx", "output": "a"}]


def test_json_lines_may_have_blank_lines_other_ends_and_a_mark(product):
    one, two, three = lines(ROWS).splitlines()
    content = f"\ufeff{one}\r\n\n  \r\n{two}\n{three}"
    assert stored(product, content, "rows.jsonl") == ROWS


def test_numbers_and_booleans_are_taken_as_they_are_written(product):
    content = (
        '{"input": 1.10, "output": 123456789012345678901234567890}\n'
        '{"input": true, "output": -0.0}\n'
        '{"input": 1E5, "output": false}\n'
    )
    assert stored(product, content, "rows.jsonl") == [
        {"input": "1.10", "output": "123456789012345678901234567890"},
        {"input": "true", "output": "-0.0"},
        {"input": "1E5", "output": "false"},
    ]


def test_other_fields_are_kept_and_other_names_are_taken(product):
    content = '{"q": "why", "a": "so", "input": "not this", "source": {"page": [1, null]}}\n'
    assert stored(product, content, "rows.jsonl", input_column="q", output_column="a") == [
        {"input": "why", "output": "so", "source": {"page": [1, None]}}
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"input": "a", "output": NaN}', "row 2 (line 3) is not valid JSON"),
        ('{"input": "a", "input": "b", "output": "c"}', "row 2 (line 3) names the same field twice"),
        ('{"input": "a", "output": "\\ud800"}', "row 2 (line 3): output holds half of a character"),
        ('{"input": "a"}', "row 2 (line 3): output is missing"),
        ('{"input": null, "output": "a"}', "row 2 (line 3): input is null"),
        ('{"input": {}, "output": []}', "row 2 (line 3): input is an object, not text"),
        ('{"input": " ", "output": "a"}', "row 2 (line 3): input is empty"),
        ('["a", "b"]', "row 2 (line 3) is not an object"),
        ('{"input": "a", "output": "b"', "row 2 (line 3) is not valid JSON: Expected"),
        ('{"input": "a", "output": "' + "b" * (1 << 20) + '"}', "is longer than 1048576 bytes"),
        (b'{"input": "a", "output": "\xff"}', "row 2 (line 3) is not UTF-8 text"),
    ],
)
def test_wrong_lines_are_told_by_row_and_line(product, row, told):
    good = b'{"input": "a", "output": "b"}\n\n'
    assert told in refused(
        product, good + (row if isinstance(row, bytes) else row.encode()) + b"\n", "rows.jsonl"
    )


def test_mistakes_are_counted_and_the_first_are_named(product):
    answer = product.upload(b'{"input": "a"}\n' * 70, "rows.jsonl")
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert detail[0] == {
        "loc": ["body", "file", 0, "output"],
        "msg": "row 1: output is missing",
        "type": "row_field",
    }
    assert len(detail) == 51
    assert detail[-1]["msg"] == "and 20 more rows"


def test_a_json_list_is_a_file_of_rows_too(product):
    assert stored(product, json.dumps(ROWS, indent=2), "rows.json") == ROWS
    assert "it ends too early" in refused(product, json.dumps(ROWS)[:-1], "rows.json")


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (b"PK\x03\x04" + bytes(100), "rows.xlsx", "a ZIP or Office file"),
        (b"\x1f\x8b\x08\x00" + bytes(100), "rows.jsonl.gz", "a compressed archive other than ZIP"),
        (b"%PDF-1.7 text", "rows.pdf", "a PDF"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "rows.xls", "an old Office file"),
        (b"GIF89a\x00\x01", "rows.csv", "an image"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_kinds_that_are_read(product, content, name, kind):
    detail = refused(product, content, name)
    assert f'"{name}"' in detail and f"begins like {kind}. " in detail
    assert "Send JSON lines (.jsonl), CSV with a header row (.csv) or Parquet (.parquet)." in detail


def test_the_form_itself_is_checked(product):
    def post(**parts):
        return product.call("POST", "/v1/datasets", **parts)

    row = b'{"input": "a", "output": "b"}\n'
    assert "it has no file" in post(files={"name": (None, "x")}).json()["detail"]
    assert 'belongs in the part "file"' in post(files={"data": ("rows.jsonl", row)}).json()["detail"]
    two = post(files=[("file", ("1.jsonl", row)), ("file", ("2.jsonl", row))])
    assert "more than one file" in two.json()["detail"]
    unknown = post(data={"colour": "red"}, files={"file": ("rows.jsonl", row)})
    assert unknown.json()["detail"][0]["msg"] == '"colour" is not a field of this call'
    assert product.call("POST", "/v1/datasets", json=ROWS).status_code == 415
    cut = product.call(
        "POST",
        "/v1/datasets",
        data=b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n' + row,
        headers={"content-type": "multipart/form-data; boundary=x"},
    )
    assert cut.json()["code"] == "body_incomplete"


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/v1/local-data", b"[" + b'{"input": "a"},' * 500_000 + b"{}]", "application/json"),
        (
            "/v1/datasets",
            b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ninput,output\n'
            + b"q" * (8 << 20)
            + b"\r\n--x--\r\n",
            "multipart/form-data; boundary=x",
        ),
    ],
)
def test_a_connection_can_be_used_again_after_an_upload_was_refused_half_way(product, path, body, kind):
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {product.key}"
        refusal = session.post(product.url + path, data=body, headers={"content-type": kind}, timeout=30)
        assert refusal.status_code in (400, 422)
        assert session.get(f"{product.url}/v1/account", timeout=10).status_code == 200
