# Refusals, as OpenAI's own Python package tells them.
import openai
import pytest
from openai_asked import EMBEDDER, MODEL, chat


def test_a_wrong_key_is_an_authentication_error(product):
    with pytest.raises(openai.AuthenticationError, match="The API key is not known here") as refused:
        chat(openai.OpenAI(api_key="wrong-key", base_url=f"{product.url}/inf", max_retries=0))
    assert refused.value.body["type"] == "authentication_error"


def test_a_key_without_the_scope_is_refused(product):
    made = product.call("POST", "/v1/keys", json={"name": "reader", "scopes": ["read"]}).json()
    reader = openai.OpenAI(api_key=made["key"], base_url=f"{product.url}/inf", max_retries=0)
    assert reader.models.retrieve(MODEL).id == MODEL
    with pytest.raises(openai.PermissionDeniedError, match='does not have the scope "infer"'):
        chat(reader)
    with pytest.raises(openai.PermissionDeniedError):
        chat(reader, stream=True)


def test_too_many_requests_are_a_rate_limit_error(product):
    key = product.member("small talker", limits={"requests_per_minute": 2})
    small = openai.OpenAI(api_key=key, base_url=f"{product.url}/inf", max_retries=0)
    with pytest.raises(openai.RateLimitError, match="used its 2 requests a minute") as refused:
        for _ in range(5):
            small.models.list()
    assert int(refused.value.response.headers["retry-after"]) > 0


def test_a_model_that_is_not_here_is_not_found(client):
    for call in (
        lambda: chat(client, model="no/such"),
        lambda: chat(client, model="no/such", stream=True),
        lambda: client.completions.create(model="../quill", prompt="a"),
        lambda: client.embeddings.create(model="no/such", input="a"),
    ):
        with pytest.raises(openai.NotFoundError, match="There is no model") as refused:
            call()
        assert refused.value.code == "model_not_found"


def test_an_unknown_call_is_not_found(client):
    with pytest.raises(openai.NotFoundError, match=f"nothing at POST {client.base_url.path}responses"):
        client.responses.create(model=MODEL, input="a")


def schema_of(schema) -> dict:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"messages": []}, "messages: "),
        ({"messages": "hello"}, "messages: .*expected array, received string"),
        ({"messages": [{"role": "robot", "content": "a"}]}, r"messages\.0\.role: "),
        ({"messages": [{"role": "user", "content": 7}]}, r"messages\.0\.content: "),
        ({"temperature": "hot"}, "temperature: .*expected number"),
        ({"n": 0}, "n: "),
        ({"n": 1.5}, "n: "),
        ({"stop": [""]}, "stop"),
        ({"max_tokens": 0}, "max_tokens: "),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs: "),
        ({"response_format": {"type": "yaml"}}, 'response_format.*"text", "json_object", "json_schema"'),
        ({"response_format": {"type": "json_schema"}}, "json_schema: "),
        ({"response_format": schema_of(False)}, "No answer can have the shape"),
        ({"response_format": schema_of({"type": "integer", "minimum": 5, "maximum": 3})}, r"minimum \(5\)"),
        ({"response_format": schema_of({"$ref": "#/$defs/none"})}, "No answer can have the shape"),
        ({"response_format": schema_of({"enum": ["a long word of many tokens"]}), "max_tokens": 1}, "shortest answer"),
        ({"messages": [{"role": "user", "content": "word " * 3000}]}, r"has 30\d\d tokens, and .* reads 2048"),
        ({"model": EMBEDDER}, "made to embed"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
            'part of type "image_url"',
        ),
    ],
)  # fmt: skip
def test_a_wrong_request_is_told_what_is_wrong(client, wrong, told):
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError, match=told) as refused:
            chat(client, **wrong, stream=stream)
        assert refused.value.body["type"] == "invalid_request_error"


def test_the_prompt_that_is_too_long_is_told_by_its_number(client):
    with pytest.raises(openai.BadRequestError, match=r"prompt number 2 has 3002 tokens, and .* reads 2048"):
        client.completions.create(model=MODEL, prompt=["short", "word " * 3000])
    with pytest.raises(openai.BadRequestError, match=r"number 2 has \d+ tokens, and .* reads 256"):
        client.embeddings.create(model=EMBEDDER, input=["short", "word " * 3000])
