# The platform's own Python package, as it is on PyPI, with nothing changed but the address and the key.
import json

import pytest
from lamini import Lamini
from lamini.api.rest_requests import get_version
from lamini.api.train import Train
from lamini.error.error import APIError, AuthenticationError, RateLimitError, UserError

FACTS = [
    {"input": "When was the mill built?", "output": "In 1894."},
    {"input": 'Who said "no"?', "output": "Zoë, on line\n2 🙂"},
]


@pytest.fixture
def llm(product) -> Lamini:
    return Lamini("hf-internal-testing/tiny-random-gpt2", api_key=product.key, api_url=product.url)


def test_the_version_is_told(product, llm):
    told = get_version(product.key, product.url, None)
    assert told == llm.version()
    assert told["client"] == "3.4.3"
    assert {"name": "v1", "path": "/v1"} in told["api"]


def test_data_is_uploaded_and_found_again(product, llm, capsys):
    dataset_id = llm.upload_data(FACTS)
    assert product.rows(dataset_id) == FACTS
    assert f"Your dataset id is: {dataset_id}" in capsys.readouterr().out

    trainer = Train(product.key, product.url)
    assert trainer.get_upload_base_path() == {"upload_base_path": "local"}
    existing = trainer.get_existing_dataset(dataset_id, "local")
    assert existing == {"dataset_location": llm.upload_file_path}
    assert llm.upload_data(FACTS) == dataset_id, "the same data twice is one dataset"


def test_an_address_with_a_final_slash_works(product):
    slashed = Lamini("any", api_key=product.key, api_url=f"{product.url}/")
    assert product.rows(slashed.upload_data(FACTS)) == FACTS


def test_whether_data_is_public_is_kept(product, llm):
    dataset_id = llm.upload_data([{"input": "public?", "output": "yes"}], is_public=True)
    assert product.call("GET", f"/v1/datasets/{dataset_id}").json()["is_public"] is True


def test_a_generator_of_100_000_rows_is_uploaded(product, llm):
    count = 100_000
    dataset_id = llm.upload_data({"input": f"Question {n}?", "output": f"Answer {n}."} for n in range(count))
    shown = product.call("GET", f"/v1/datasets/{dataset_id}").json()
    assert shown["rows"] == count
    assert shown["first_rows"][0] == {"input": "Question 0?", "output": "Answer 0."}


def test_a_file_of_json_lines_is_uploaded(product, llm, tmp_path):
    path = tmp_path / "facts.jsonl"
    path.write_text("".join(json.dumps({"q": fact["input"], "a": fact["output"]}) + "\n" for fact in FACTS))
    dataset_id = llm.upload_file(str(path), input_key="q", output_key="a")
    assert product.rows(dataset_id) == FACTS
    assert dataset_id == llm.upload_data(FACTS)


def test_a_csv_file_is_uploaded_with_numbers_and_booleans_as_text(product, llm, tmp_path):
    path = tmp_path / "facts.csv"
    path.write_text("input,output,note\n1894,10\n1895,20\n")
    assert product.rows(llm.upload_file(str(path))) == [
        {"input": "1894", "output": "10"},
        {"input": "1895", "output": "20"},
    ]
    path.write_text("input,output\nIs it open?,True\n0.5,False\n")
    assert product.rows(llm.upload_file(str(path))) == [
        {"input": "Is it open?", "output": "true"},
        {"input": "0.5", "output": "false"},
    ]


def test_empty_cells_of_a_csv_file_are_named_by_row(llm, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("input,output\none,1st\ntwo,\n")
    with pytest.raises(UserError, match="row 2: output is empty"):
        llm.upload_file(str(path))


def test_a_wrong_key_is_an_authentication_error(product):
    with pytest.raises(AuthenticationError, match="The API key is not known here"):
        Lamini("any", api_key="wrong-key", api_url=product.url).upload_data(FACTS)


def test_a_key_without_the_scope_is_told_so(product):
    made = product.call("POST", "/v1/keys", json={"name": "reader", "scopes": ["read"]}).json()
    with pytest.raises(APIError, match='does not have the scope "tune"'):
        Lamini("any", api_key=made["key"], api_url=product.url).upload_data(FACTS)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"input": "a", "output": "b"}, {"input": "c"}], "row 2: output is missing"),
        ([{"input": None, "output": "b"}], "row 1: input is null"),
        ([{"input": ["a"], "output": "b"}], "row 1: input is a list, not text"),
        (["text"], "row 1 is not an object"),
    ],
)
def test_wrong_rows_are_named(llm, rows, told):
    with pytest.raises(UserError, match=told):
        llm.upload_data(rows)


def test_no_rows_at_all_are_refused(llm):
    with pytest.raises(UserError, match="The data holds no rows"):
        llm.upload_data(row for row in ())


def test_a_dataset_that_is_not_there_is_told_by_its_id(product):
    with pytest.raises(APIError, match="There is no dataset 0000"):
        Train(product.key, product.url).get_existing_dataset("0" * 64, "local")


def test_too_many_requests_are_a_rate_limit_error(product):
    key = product.member("small", limits={"requests_per_minute": 2})
    trainer = Train(key, product.url)
    with pytest.raises(RateLimitError, match="used its 2 requests a minute"):
        for _ in range(10):
            trainer.get_upload_base_path()


def test_more_than_the_account_may_store_is_refused(product):
    key = product.member("narrow", limits={"storage_bytes": 100})
    with pytest.raises(UserError, match="may store 100 bytes"):
        Lamini("any", api_key=key, api_url=product.url).upload_data(FACTS * 20)
