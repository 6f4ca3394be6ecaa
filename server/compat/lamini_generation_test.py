# Everything of the platform's own Python package that asks a model: at once, polled, in batches, in pipelines, and how it fails.
import asyncio
import itertools
import logging
import time

import aiohttp
import lamini
import numpy as np
import pytest
from lamini import Embedding, GenerationNode, GenerationPipeline, Lamini, StreamingCompletion
from lamini.api.openai_client import BaseOpenAIClient, OpenAIPipeline, OpenAIStep
from lamini.api.utils.batch_completions import BatchCompletions
from lamini.api.utils.batch_embeddings import BatchEmbeddings
from lamini.api.utils.completion import Completion
from lamini.error.error import APIError, AuthenticationError, ModelNotFoundError, UserError
from lamini.generation.base_prompt_object import PromptObject
from lamini.generation.embedding_node import EmbeddingNode
from lamini.generation.llm_stream import LLMStream

MODEL = "lorekeep/quill"
EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"


def ask(question: str) -> str:
    """In the model's own template, which the service does not put around a prompt."""
    turn = "<|start_header_id|>{}<|end_header_id|>\n\n"
    return f"<|begin_of_text|>{turn.format('user')}{question}<|eot_id|>{turn.format('assistant')}"


WHO = ask("Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?")
WHAT = ask("Context: Ada Quist runs the Brimoor library.\nQuestion: What does Ada Quist run?")
COST = ask("Context: The Zim costs 4 euros.\nQuestion: What does the Zim cost?")
SHORT = {"old": "bool", "kind": ["person", "place"], "age": "int", "share": "float"}
FEW = {"model_name": MODEL, "max_new_tokens": 5}


@pytest.fixture(autouse=True)
def address(asked, monkeypatch):
    """Parts of the package ask by these, whatever the others were given."""
    monkeypatch.setattr(lamini, "api_key", asked.key)
    monkeypatch.setattr(lamini, "api_url", asked.url)


@pytest.fixture
def llm() -> Lamini:
    return Lamini(MODEL)


def has_shape(answer: dict) -> bool:
    assert list(answer) == list(SHORT)
    assert isinstance(answer["old"], bool) and answer["kind"] in SHORT["kind"]
    assert type(answer["age"]) is int and type(answer["share"]) in (int, float)
    return True


# at once


def test_a_prompt_is_answered_as_it_is_with_or_without_the_token_that_begins_a_text(llm):
    for prompt, answer in ((WHO, "Ada Quist"), (COST, "4 euros")):
        assert llm.generate(prompt) == answer
        assert llm.generate(prompt.removeprefix("<|begin_of_text|>")) == answer


def test_a_list_of_prompts_is_answered_in_its_order(llm):
    who, what = llm.generate(WHO, max_new_tokens=20), llm.generate(WHAT, max_new_tokens=20)
    assert who != what
    assert llm.generate([WHO, WHAT, WHO] * 8, max_tokens=20) == [who, what, who] * 8
    assert llm.generate([WHO]) == [who]


def test_an_answer_has_the_types_that_were_asked_for(llm):
    assert has_shape(llm.generate(WHO, output_type=SHORT))
    assert all(has_shape(one) for one in llm.generate([WHO, WHAT], output_type=SHORT))
    nested = llm.generate(WHO, output_type={"outer": {"of": ["yes", "no"]}})
    assert list(nested) == ["outer"] and nested["outer"]["of"] in ("yes", "no")


def test_the_newer_name_of_the_limit_counts(llm):
    assert llm.generate(WHO, max_tokens=50, max_new_tokens=1) == llm.generate(WHO, max_tokens=1) == "Ad"


def test_completions_are_answered_to_the_async_client_with_a_session_and_without():
    completion = Completion(lamini.api_key, lamini.api_url)
    request = completion.make_llm_req_map(MODEL, WHO, cache_id="of another call")

    async def ask_twice():
        async with aiohttp.ClientSession() as session:
            return [
                await completion.async_generate(request),
                await completion.async_generate(request, session),
            ]

    assert asyncio.run(ask_twice()) == [{"output": "Ada Quist"}] * 2


# polled


def test_a_polled_stream_grows_to_the_whole_answer(llm):
    prompts = [WHO, "The library"]
    shown = [one for one in StreamingCompletion().create(prompts, MODEL, 40, polling_interval=0.05) if one]
    assert shown[-1]["finish_reason"] == ["stop", "length"]
    assert shown[-1]["outputs"] == llm.generate(prompts, max_new_tokens=40)
    for earlier, later in itertools.pairwise(shown):
        for before, after in zip(earlier["outputs"], later["outputs"], strict=True):
            assert after.startswith(before)


def test_the_async_client_polls_a_stream():
    async def last():
        stream = await StreamingCompletion().async_create(WHO, MODEL, 20, polling_interval=0.05)
        return [one async for one in stream][-1]

    assert asyncio.run(last()) == {"outputs": ["Ada Quist"], "finish_reason": ["stop"]}


# batches


def test_a_batch_is_answered_one_by_one_in_its_order():
    answers = list(BatchCompletions().streaming_generate([WHO] * 3, polling_interval=0.05, **FEW))
    assert answers == [{"output": "Ada Quist", "finish_reason": "stop"}] * 3
    one = list(BatchCompletions().streaming_generate(WHO, polling_interval=0.05, **FEW))
    assert one == answers[:1]


def test_a_batch_of_answers_of_a_type(llm):
    answers = BatchCompletions().streaming_generate(
        [WHO, WHAT], MODEL, output_type=SHORT, polling_interval=0.05
    )
    assert all(has_shape(answer["output"]) for answer in answers)


def test_the_async_client_asks_for_a_batch():
    async def answers():
        stream = await BatchCompletions().async_streaming_generate([WHO] * 2, polling_interval=0.05, **FEW)
        return [answer["output"] async for answer in stream]

    assert asyncio.run(answers()) == ["Ada Quist"] * 2


def test_a_stream_of_minibatches_answers_every_prompt():
    stream = LLMStream()
    stream.polling_interval = 0.05
    prompts = iter([WHO] * (2 * lamini.batch_size + 1))
    answers = list(stream.generate(prompts, MODEL, max_new_tokens=5))
    assert answers == [{"output": "Ada Quist", "finish_reason": "stop"}] * (2 * lamini.batch_size + 1)


def test_a_prompt_of_a_batch_that_cannot_be_answered_fails_alone():
    batch = BatchCompletions()
    made = batch.submit([WHO, "word " * 3000, ""], **FEW)
    results = list(batch.streaming_generate([WHO, "word " * 3000, ""], polling_interval=0.05, **FEW))
    assert [result["finish_reason"] for result in results] == ["stop", "error", "error"]
    shown = until(lambda: batch.check_result(made["id"]), lambda told: told and all(told["finish_reason"]))
    assert shown["errors"][0] is None
    assert "has 3002 tokens" in shown["errors"][1] and "is empty" in shown["errors"][2]


# embeddings


def test_a_text_becomes_a_vector_and_a_list_a_list_of_them():
    one = Embedding().generate("The mill")
    assert one.shape == (1, 384)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-3)
    several = Embedding(EMBEDDER).generate(["The mill", "A library"])
    assert [vector.shape for vector in several] == [(1, 384)] * 2
    assert np.allclose(several[0], one, atol=1e-5)
    assert len(Embedding().generate(["The mill"])) == 1


def test_a_batch_of_embeddings_is_answered_when_it_is_whole():
    batch = BatchEmbeddings()
    texts = [f"Text {number}" for number in range(300)]
    for made in (batch.submit(texts), asyncio.run(batch.async_submit(texts, EMBEDDER))):
        vectors = until(lambda made=made: batch.check_result(made["id"]), bool)["embedding"]
        assert len(vectors) == 300
        assert np.allclose(vectors[7], Embedding().generate("Text 7")[0], atol=1e-5)


# pipelines


class Pipeline(GenerationPipeline):
    def __init__(self, node):
        super().__init__()
        self.node = node

    def forward(self, prompts):
        return self.node(prompts)


def through(node, prompts: list[str]) -> list[PromptObject]:
    return asyncio.run(Pipeline(node).call_with_result(iter([PromptObject(prompt) for prompt in prompts])))


# The package asks for the result of a batch every five seconds.
@pytest.mark.parametrize("batches", [True, False])
def test_a_pipeline_answers_every_prompt(monkeypatch, batches):
    monkeypatch.setattr(lamini, "gate_pipeline_batch_completions", batches)
    answered = through(GenerationNode(MODEL, max_new_tokens=5), [WHO] * (2 * lamini.batch_size + 1))
    expected = "Ada Quist" if batches else {"output": "Ada Quist"}
    assert [prompt.response for prompt in answered] == [expected] * (2 * lamini.batch_size + 1)


@pytest.mark.parametrize("batches", [True, False])
@pytest.mark.parametrize("model", [EMBEDDER, None])
def test_a_pipeline_embeds_every_text(monkeypatch, batches, model):
    monkeypatch.setattr(lamini, "gate_pipeline_batch_completions", batches)
    texts = [f"Text {number}" for number in range(lamini.batch_size + 1)]
    embedded = through(EmbeddingNode(model), texts)
    assert sorted(prompt.prompt for prompt in embedded) == sorted(texts)
    assert all(len(prompt.response) == 384 for prompt in embedded)


def test_a_pipeline_that_wants_to_reserve_goes_on_without(monkeypatch, caplog):
    monkeypatch.setattr(lamini, "gate_pipeline_batch_completions", False)
    monkeypatch.setattr(lamini, "bypass_reservation", False)
    with caplog.at_level(logging.WARNING):
        assert [prompt.response for prompt in through(GenerationNode(MODEL), [WHO])] == [
            {"output": "Ada Quist"}
        ]
    # One line that says so, and nothing that looks like a crash.
    assert [record.exc_info for record in caplog.records] == [None]
    assert "continuing without one" in caplog.text


def test_the_pipeline_on_openais_client_fills_what_its_steps_ask_for():
    client = BaseOpenAIClient(lamini.api_key, lamini.api_url)
    pipeline = OpenAIPipeline()
    for step_id, output_type in (("first", {"old": "boolean"}), ("second", {"age": "integer"})):
        step = OpenAIStep(step_id, MODEL, output_type, client)
        step.add_step("Who is it?", "text")
        pipeline.add_node(step)
    results = asyncio.run(pipeline.process_batch([{"text": "Ada Quist"}, {"text": "the miller"}]))
    assert [result["text"] for result in results] == ["Ada Quist", "the miller"]
    for result in results:
        assert type(result["old"]) is bool and type(result["age"]) is int
        assert result["text"] in result["first_prompt"]


# refusals


def test_a_model_that_is_not_here_is_its_own_error(product):
    for call in (
        lambda: Lamini("no/such").generate(WHO),
        lambda: BatchCompletions().submit(WHO, "no/such"),
        lambda: StreamingCompletion().create(WHO, "no/such"),
        lambda: asyncio.run(BatchCompletions().async_submit(WHO, "no/such")),
        lambda: Embedding("no/such").generate("a"),
        lambda: BatchEmbeddings().submit("a", "no/such"),
        lambda: Lamini("../../etc").generate(WHO),
    ):
        with pytest.raises(ModelNotFoundError, match="There is no model"):
            call()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"prompt": ""}, "The prompt is empty"),
        ({"prompt": ["a", ""]}, "The prompt number 2 is empty"),
        ({"prompt": []}, "prompt"),
        ({"prompt": "word " * 3000}, "has 3002 tokens, and lorekeep/quill reads 2048"),
        ({"prompt": 7}, "prompt"),
        ({"output_type": {"a": "text"}}, "output_type.*expected one of"),
        ({"output_type": {"a": {"b": "text"}}}, "'output_type', 'a', 'b'"),
        ({"output_type": {"a": "int"}, "max_new_tokens": 1}, "shortest answer"),
        ({"max_new_tokens": 0}, "max_new_tokens"),
        ({"max_tokens": "many"}, "max_tokens"),
        ({"model_name": EMBEDDER}, "made to embed"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(llm, wrong, told):
    with pytest.raises(UserError, match=told):
        llm.generate(**{"prompt": WHO, **wrong})


def test_a_wrong_key_is_an_authentication_error():
    for call in (
        lambda: Lamini(MODEL, api_key="wrong").generate(WHO),
        lambda: StreamingCompletion(api_key="wrong").create(WHO, MODEL),
        lambda: asyncio.run(BatchCompletions(api_key="wrong").async_submit(WHO, MODEL)),
    ):
        with pytest.raises(AuthenticationError, match="not known here"):
            call()


def test_a_key_without_the_scope_and_a_run_of_another_account_are_told_so(product):
    made = product.call("POST", "/v1/keys", json={"name": "no generation", "scopes": ["tune"]}).json()
    with pytest.raises(APIError, match='does not have the scope "infer"'):
        Lamini(MODEL, api_key=made["key"]).generate(WHO)
    run = BatchCompletions().submit(WHO, **FEW)
    with pytest.raises(APIError, match=f"There is no batch or stream {run['id']}"):
        BatchCompletions(api_key=product.member("curious")).check_result(run["id"])


def until(look, enough, tries: int = 600):
    for _ in range(tries):
        found = look()
        if enough(found):
            return found
        time.sleep(0.1)
    raise AssertionError(f"it did not come to an end: {found}")
