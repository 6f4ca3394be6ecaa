# OpenAI's own Python package, as it is on PyPI, with nothing changed but the address and the key.
import asyncio
import base64
import json
import math
import struct
import time
from enum import Enum
from typing import Literal

import jsonschema_rs
import openai
import pytest
from openai_asked import EMBEDDER, MODEL, QUESTION, chat
from pydantic import BaseModel, Field

# A model of this size answers any prompt; only the shape is asked of it here.
PERSON = "Context: Ada Quist, 41, runs the Brimoor library.\nQuestion: Describe her as JSON."


# chat


def test_a_question_is_answered(client):
    answer = client.chat.completions.create(model=MODEL, messages=[QUESTION])
    assert answer.choices[0].message.content == "Ada Quist"
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model == MODEL
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert 0 < answer.usage.completion_tokens < 8


def test_an_answer_is_streamed_in_pieces_with_usage_where_asked(client):
    whole = chat(client)
    plain = list(chat(client, stream=True))
    assert (
        "".join(chunk.choices[0].delta.content or "" for chunk in plain) == whole.choices[0].message.content
    )
    assert plain[0].choices[0].delta.role == "assistant"
    assert plain[-1].choices[0].finish_reason == "stop"
    assert len(plain) > 3 and len({chunk.id for chunk in plain}) == 1
    assert all(chunk.usage is None for chunk in plain)

    *pieces, last = chat(client, stream=True, stream_options={"include_usage": True})
    assert len(pieces) == len(plain)
    assert last.choices == [] and last.usage == whole.usage


def test_the_helper_for_streams_gathers_the_answer(client):
    with client.chat.completions.stream(model=MODEL, messages=[QUESTION]) as stream:
        kinds = {event.type for event in stream}
        assert stream.get_final_completion().choices[0].message.content == "Ada Quist"
    assert {"chunk", "content.delta", "content.done"} <= kinds


def test_a_stream_that_is_left_in_the_middle_leaves_the_service_well(client):
    stream = chat(client, stream=True, max_tokens=1500, temperature=2, seed=1)
    next(iter(stream))
    stream.close()
    assert chat(client).choices[0].message.content == "Ada Quist"


def test_choices_differ_by_seed_and_the_same_seed_answers_the_same(client):
    # Hot, and nothing to copy: a sure answer would be the same whatever the seed.
    ask = {"n": 3, "seed": 7, "temperature": 2, "max_tokens": 12}
    ask["messages"] = [{"role": "user", "content": "Context: Orvane has two cranes.\n\nTell a story."}]

    def several():
        answer = chat(client, **ask)
        assert [choice.index for choice in answer.choices] == [0, 1, 2]
        return [choice.message.content for choice in answer.choices]

    first = several()
    assert len(set(first)) > 1
    assert several() == first

    streamed = ["", "", ""]
    for chunk in chat(client, **ask, stream=True):
        streamed[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
    assert streamed == first


def test_a_stop_text_ends_the_answer_and_is_no_part_of_it(client):
    for stream in (False, True):
        answer = chat(client, stop="Quist", stream=stream)
        if stream:
            chunks = list(answer)
            text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
            reason = chunks[-1].choices[0].finish_reason
        else:
            text, reason = answer.choices[0].message.content, answer.choices[0].finish_reason
        assert (text, reason) == ("Ada ", "stop")


def test_too_few_tokens_are_told_as_length(client):
    answer = chat(client, max_completion_tokens=2, max_tokens=None)
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 2


def test_the_likelihood_of_every_token_is_told(client):
    def check(content, text):
        assert "".join(one.token for one in content) == text
        for one in content:
            assert bytes(one.bytes).decode() == one.token
            assert len(one.top_logprobs) == 3 and one.logprob <= 0
            assert one.top_logprobs[0].logprob == max(top.logprob for top in one.top_logprobs) == one.logprob

    whole = chat(client, logprobs=True, top_logprobs=3)
    check(whole.choices[0].logprobs.content, whole.choices[0].message.content)
    chunks = [chunk.choices[0] for chunk in chat(client, logprobs=True, top_logprobs=3, stream=True)]
    told = [one for choice in chunks if choice.logprobs for one in choice.logprobs.content]
    check(told, "".join(choice.delta.content or "" for choice in chunks))
    assert chat(client).choices[0].logprobs is None


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "system", "content": "Answer in few words."}, QUESTION],
        [{"role": "developer", "content": "Answer in few words."}, QUESTION],
        [{"role": "user", "content": [{"type": "text", "text": QUESTION["content"]}]}],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": part} for part in QUESTION["content"].split("R")],
            }
        ],
        [QUESTION | {"name": "reader"}],
        [
            QUESTION,
            {"role": "assistant", "content": "Ada Quist"},
            {"role": "user", "content": "Is that so?"},
        ],
        [
            QUESTION,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "Ada Quist"},
        ],
    ],
)
def test_conversations_of_every_make_are_taken(client, messages):
    alike = chat(client, messages=messages)
    assert alike.choices[0].message.content


def test_a_system_prompt_reaches_the_model_by_either_role(client):
    def tokens(*messages):
        return chat(client, messages=list(messages)).usage.prompt_tokens

    system = tokens({"role": "system", "content": "Answer briefly."}, QUESTION)
    assert system == tokens({"role": "developer", "content": "Answer briefly."}, QUESTION) > tokens(QUESTION)
    parts = {"role": "user", "content": [{"type": "text", "text": QUESTION["content"]}]}
    assert tokens(parts) == tokens(QUESTION)


def test_fields_that_are_not_known_are_left_aside(client):
    answer = chat(
        client,
        user="somebody",
        presence_penalty=0,
        logit_bias={},
        metadata={"a": "b"},
        store=False,
        extra_body={"reservation_id": None, "top_k": 1, "made_up": {"deep": [1]}},
    )
    assert answer.choices[0].message.content == "Ada Quist"


# answers of a shape


class Role(Enum):
    librarian = "librarian"
    miller = "miller"


class Place(BaseModel):
    name: str = Field(max_length=20)
    kind: Literal["town", "village"]


class Person(BaseModel):
    name: str = Field(max_length=20)
    age: int = Field(ge=0, le=120)
    role: Role
    places: list[Place] = Field(min_length=1, max_length=2)
    retired: bool
    nickname: str | None = Field(max_length=10)


def test_an_answer_is_parsed_into_an_object_of_ones_own(client):
    answer = client.chat.completions.parse(
        model=MODEL, messages=[{"role": "user", "content": PERSON}], response_format=Person
    )
    assert isinstance(answer.choices[0].message.parsed, Person)

    with client.chat.completions.stream(
        model=MODEL, messages=[{"role": "user", "content": PERSON}], response_format=Person
    ) as stream:
        assert stream.get_final_completion().choices[0].message.parsed == answer.choices[0].message.parsed


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["age"]},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 3},
        {"enum": ["red", "green", 'a "quoted" word', 7, None]},
        {"const": {"deep": [1, {"er": "🙂"}]}},
        {"anyOf": [{"type": "integer", "minimum": 10, "maximum": 99}, {"type": "null"}]},
        {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "required": ["a"], "additionalProperties": False,
         "$defs": {"b": {"type": "object", "properties": {"c": {"enum": ["x", "y"]}}, "required": ["c"],
                         "additionalProperties": False}}},
    ],
    ids=lambda schema: next(iter(schema)) + " " + str(schema.get("type", "")),
)  # fmt: skip
def test_an_answer_keeps_to_its_schema(client, schema):
    format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
    answer = chat(client, response_format=format, max_tokens=200)
    assert answer.choices[0].finish_reason == "stop"
    assert jsonschema_rs.is_valid(schema, json.loads(answer.choices[0].message.content))


def test_any_object_is_an_answer_where_no_schema_is_given(client):
    answer = chat(client, response_format={"type": "json_object"}, max_tokens=500)
    if answer.choices[0].finish_reason == "stop":
        assert isinstance(json.loads(answer.choices[0].message.content), dict)
    assert answer.choices[0].message.content.lstrip().startswith("{")


# completions of text


def test_a_text_is_gone_on_from(client):
    answer = client.completions.create(model=MODEL, prompt="The library", max_tokens=6)
    assert answer.object == "text_completion"
    assert answer.usage.completion_tokens == 6 and answer.choices[0].finish_reason == "length"
    same = client.completions.create(model=MODEL, prompt="The library", max_tokens=6, temperature=0)
    assert same.choices[0].text == answer.choices[0].text, "greedy without a temperature"
    echoed = client.completions.create(model=MODEL, prompt="The library", max_tokens=6, echo=True)
    assert echoed.choices[0].text == "The library" + answer.choices[0].text


def test_every_choice_of_every_prompt_has_its_place(client):
    options = {
        "model": MODEL,
        "prompt": ["The mill", "A library"],
        "n": 2,
        "seed": 3,
        "temperature": 1,
        "max_tokens": 5,
    }
    options |= {"echo": True, "stop": ["\n"]}
    answer = client.completions.create(**options)
    texts = [choice.text for choice in answer.choices]
    assert [choice.index for choice in answer.choices] == [0, 1, 2, 3]
    assert [text.startswith("The mill") for text in texts] == [True, True, False, False]
    assert all(text.startswith("A library") for text in texts[2:])

    streamed = [""] * 4
    usage = None
    for chunk in client.completions.create(**options, stream=True, stream_options={"include_usage": True}):
        for choice in chunk.choices:
            streamed[choice.index] += choice.text
        usage = chunk.usage or usage
    assert streamed == texts
    assert usage == answer.usage


def test_the_older_shape_of_likelihoods_places_every_token_in_the_text(client):
    prompt = "Zoë 🙂 said:"
    for echo in (False, True):
        choice = client.completions.create(
            model=MODEL, prompt=prompt, max_tokens=5, logprobs=2, echo=echo, temperature=0
        ).choices[0]
        told = choice.logprobs
        assert (
            len(told.tokens)
            == len(told.token_logprobs)
            == len(told.top_logprobs)
            == len(told.text_offset)
            == 5
        )
        for token, offset in zip(told.tokens, told.text_offset, strict=True):
            # A part of a character is told as a mark, which stands for it where it begins.
            whole, mark, _ = token.partition("\ufffd")
            assert choice.text[offset:].startswith(whole) and (not mark or offset <= len(choice.text))
        assert told.text_offset == sorted(told.text_offset)
        assert all(len(top) <= 2 for top in told.top_logprobs)


# embeddings


def test_texts_become_vectors_in_either_encoding(client):
    texts = ["The mill was built in 1894.", "When was the mill built?", "Bananas are yellow."]
    default = client.embeddings.create(model=EMBEDDER, input=texts)
    floats = client.embeddings.create(model=EMBEDDER, input=texts, encoding_format="float")
    assert [item.index for item in default.data] == [0, 1, 2]
    for one, other in zip(default.data, floats.data, strict=True):
        assert one.embedding == pytest.approx(other.embedding)
        assert len(one.embedding) == 384 and math.hypot(*one.embedding) == pytest.approx(1, abs=1e-3)
    assert default.usage.total_tokens == default.usage.prompt_tokens > 15

    raw = client.embeddings.with_raw_response.create(model=EMBEDDER, input=texts[0], encoding_format="base64")
    packed = base64.b64decode(json.loads(raw.text)["data"][0]["embedding"])
    assert struct.unpack("<384f", packed) == pytest.approx(default.data[0].embedding, abs=1e-6)

    mill, question, bananas = (item.embedding for item in default.data)
    alike = sum(a * b for a, b in zip(mill, question, strict=True))
    assert alike > sum(a * b for a, b in zip(mill, bananas, strict=True)) + 0.3


def test_only_the_models_own_number_of_dimensions_is_taken(client):
    assert len(client.embeddings.create(model=EMBEDDER, input="a", dimensions=384).data[0].embedding) == 384
    with pytest.raises(openai.BadRequestError, match="have 384 dimensions"):
        client.embeddings.create(model=EMBEDDER, input="a", dimensions=100)


# models


def test_models_are_listed_and_found_by_their_name(client):
    listed = {model.id: model for model in client.models.list()}
    assert {MODEL, EMBEDDER} <= set(listed)
    assert client.models.retrieve(MODEL) == listed[MODEL]
    assert listed[MODEL].owned_by == "lorekeep"
    with pytest.raises(openai.NotFoundError, match='no model "no/such"'):
        client.models.retrieve("no/such")


# the async client


def test_the_async_client_asks_many_at_once_and_streams(asked):
    async def ask():
        async with openai.AsyncOpenAI(api_key=asked.key, base_url=f"{asked.url}/inf") as client:

            async def streamed(number: int) -> str:
                question = f"Context: Number {number} is Brim{number}. Question: What is number {number}?"
                stream = await client.completions.create(
                    model=MODEL, prompt=question, max_tokens=8, stream=True
                )
                return "".join([chunk.choices[0].text async for chunk in stream])

            together = await asyncio.gather(*(streamed(number) for number in range(6)))
            assert together == [await streamed(number) for number in range(6)]

            vectors = await client.embeddings.create(model=EMBEDDER, input=["a", "b"])
            assert len(vectors.data) == 2
            with pytest.raises(openai.NotFoundError):
                await client.chat.completions.create(model="no/such", messages=[QUESTION])

            left = await asyncio.wait_for(
                client.chat.completions.create(
                    model=MODEL, messages=[QUESTION], stream=True, max_tokens=1500
                ),
                60,
            )
            async for _ in left:
                break
            await left.close()

    asyncio.run(ask())


def test_usage_is_counted_by_key(asked):
    made = asked.call("POST", "/v1/keys", json={"name": "counted", "scopes": ["infer"]}).json()
    counted = openai.OpenAI(api_key=made["key"], base_url=f"{asked.url}/inf")
    answer = chat(counted)

    for _ in range(100):
        rows = asked.call("GET", "/v1/usage").json()
        mine = [row for row in rows["usage"] if row["key_id"] == made["id"]]
        if mine:
            break
        time.sleep(0.2)
    assert mine[0]["prompt_tokens"] == answer.usage.prompt_tokens
    assert mine[0]["completion_tokens"] == answer.usage.completion_tokens
