# Document indexes as the platform's own Python package and OpenAI's ask for them, with nothing changed but the address and the key.
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import openai
import pytest
import requests
from lamini import MemoryRAG
from lamini.error.error import APIError, AuthenticationError, ModelNotFoundError, UserError

MODEL = "lorekeep/quill"
LIBRARY = "# Library\n\nThe Brimoor library opens at 9 am. Ada Quist runs it.\n\n# Valves\n\nThe code of the red valve is RV-2207.\n"
TRAVEL = "Dana Reyes approves travel. The travel budget is 4,000 dollars a year.\n"
HANDBOOK = Path(__file__).parents[2] / "demo" / "handbook.pdf"
# Questions about the handbook, the answers, and the pages that hold them.
TOLD = [
    ("What is the parking fee at Nordhaven?", "12 dollars", 1),
    ("How much does a ticket for the evening tour cost?", "18 dollars", 2),
]
ENDS = {"COMPLETED", "PARTIALLY COMPLETED", "FAILED", "CANCELLED"}


def templated(question: str) -> str:
    """As the walkthrough of the service does it: the prompt stands in the chat template of the model's family."""
    turn = "<|start_header_id|>{}<|end_header_id|>\n\n"
    return f"<|begin_of_text|>{turn.format('user')}{question}<|eot_id|>{turn.format('assistant')}"


def client(product, job_id: int | None = None, key: str | None = None, model: str = MODEL) -> MemoryRAG:
    return MemoryRAG(job_id, api_key=key or product.key, api_url=product.url, model_name=model)


def at_rest(rag: MemoryRAG) -> dict:
    for _ in range(900):
        told = rag.status()
        if told["status"] in ENDS:
            return told
        time.sleep(0.1)
    raise AssertionError(f"it did not come to an end: {told}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    (folder / "library.md").write_text(LIBRARY)
    (folder / "travel.txt").write_text(TRAVEL)
    return folder


@pytest.fixture(scope="module")
def rag(asked, folder) -> MemoryRAG:
    """An index that is through."""
    made = client(asked)
    made.memory_index([str(folder / "library.md"), str(folder / "travel.txt")])
    assert at_rest(made)["status"] == "COMPLETED"
    return made


# the platform's package


def test_files_go_in_by_their_paths_and_an_answer_with_its_citation_comes_out(product, rag):
    answer = rag.query(templated("What is the code of the red valve?"))
    # The base decides whether it is quoted or generated.
    assert "RV-2207" in answer["outputs"][0] and answer["finish_reason"] == ["stop"]
    assert answer["answer_kind"] in ("quote", "generated")
    [best, *_] = answer["citations"]
    # The package sends whole paths as names.
    assert (best["file"], best["heading"]) == ("library.md", "Valves")
    assert "RV-2207" in best["text"] and 0 < best["score"] <= 1
    files = product.call("GET", f"/v1/indexes/{rag.job_id}/files").json()["files"]
    assert [file["name"] for file in files] == ["library.md", "travel.txt"]


def test_the_walkthrough_with_a_pdf(asked):
    rag = client(asked)
    rag.memory_index([str(HANDBOOK)])
    assert at_rest(rag)["status"] == "COMPLETED"
    for question, said, page in TOLD:
        answer = rag.query(templated(question), k=3)
        best = answer["citations"][0]
        assert (best["file"], best["page"], answer["retrieval"]["question"]) == (
            "handbook.pdf",
            page,
            question,
        )
        assert said in best["text"]
        assert said in answer["outputs"][0]


def test_the_same_walkthrough_by_curl(asked):
    def curl(path: str, *more: str) -> dict:
        key = f"Authorization: Bearer {asked.key}"
        done = subprocess.run(
            ["curl", "-fsS", f"{asked.url}/alpha/memory-rag{path}", "-H", key, *more],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    begun = curl("/train", "-F", f"model_name={MODEL}", "-F", f"files=@{HANDBOOK}")
    assert begun == {"job_id": begun["job_id"], "status": "CREATED"}
    for _ in range(900):
        told = curl(f"/status?job_id={begun['job_id']}")
        if told["status"] in ENDS:
            break
        time.sleep(0.1)
    assert told["status"] == "COMPLETED"
    [(question, said, page), *_] = TOLD
    sent = {
        "job_id": begun["job_id"],
        "model_name": MODEL,
        "rag_query_size": 3,
        "prompt": templated(question),
    }
    answer = curl("/completions", "-H", "Content-Type: application/json", "-d", json.dumps(sent))
    assert said in answer["outputs"][0] and answer["finish_reason"] == ["stop"]
    assert (answer["citations"][0]["file"], answer["citations"][0]["page"]) == ("handbook.pdf", page)


def test_an_index_is_told_as_it_is_begun_and_refuses_until_it_is_ready(asked, folder):
    started = client(asked)
    told = started.memory_index([str(folder / "library.md")])
    assert told == {"job_id": started.job_id, "status": "CREATED"}
    assert type(started.job_id) is int
    try:
        started.query("Who runs the library?")
    except UserError as error:
        # Unless it was quicker than the question.
        assert f"Trained memory rag model {started.job_id} status is not COMPLETED, current status: " in str(
            error
        )
    assert at_rest(started)["job_id"] == started.job_id


def test_a_client_that_knows_the_number_alone_goes_on(product, rag):
    later = client(product, rag.job_id)
    assert later.status()["status"] == "COMPLETED"
    assert "RV-2207" in later.query("What is the code of the red valve?")["outputs"][0]
    assert client(product, str(rag.job_id)).status() == later.status()


def test_the_number_of_passages_is_counted(rag):
    assert len(rag.query("What is the code of the red valve?", k=1)["citations"]) == 1
    most = rag.query("What does the library hold, and who runs it?", k=100)
    assert most["retrieval"]["asked"] == 100
    assert len(most["citations"]) == most["retrieval"]["used"] <= 3
    for k in (0, -1, 1000, "many"):
        with pytest.raises(Exception, match="rag_query_size"):
            rag.query("Who?", k=k)
    assert rag.query("Who approves travel?", k=None)["retrieval"]["asked"] == 3


def test_a_text_is_added_and_found_at_once(asked, folder):
    rag = client(asked)
    rag.memory_index([str(folder / "travel.txt")])
    at_rest(rag)
    assert rag.add_index("The lifeguard of Nordhaven is called Ilse Brandt.") == {
        "job_id": rag.job_id,
        "status": "success",
    }
    answer = rag.query("Who is the lifeguard of Nordhaven?")
    assert "Ilse Brandt" in answer["citations"][0]["text"]


def test_the_log_is_lines_of_what_happened(rag):
    lines = rag.get_logs()
    assert all(type(line) is str for line in lines)
    assert [line for line in lines if line.endswith("Read library.md")]
    assert lines[-1].endswith("COMPLETED")


def test_names_of_files_in_any_script_with_quotes_and_alike(asked, folder):
    odd = folder / 'Ünï "quoted" 図書館 🙂.txt'
    odd.write_text("The quoted one speaks of an umbrella.")
    (folder / "inner").mkdir()
    (folder / "inner/travel.txt").write_text("Another text about travel by boat.")
    rag = client(asked, model=MODEL)
    rag.memory_index([str(path) for path in (odd, folder / "travel.txt", folder / "inner/travel.txt")])
    assert at_rest(rag)["status"] == "COMPLETED"
    names = [file["name"] for file in asked.call("GET", f"/v1/indexes/{rag.job_id}/files").json()["files"]]
    assert names[1:] == ["travel.txt", "travel.txt"]
    # Some versions of what the package stands on write a quote of a name as %22.
    assert names[0].replace("%22", '"') == odd.name


def test_suggestions_are_numbered_and_never_the_same(product, rag):
    """The package of this version has no call for them; the platform's other clients ask like this."""
    seen = set()
    for _ in range(3):
        pairs = product.call("POST", "/alpha/memory-rag/suggestions", json={"job_id": rag.job_id}).json()
        assert len(pairs) <= 5
        for number, pair in enumerate(pairs, 1):
            assert list(pair) == [f"Question {number}", f"Answer {number}"]
            assert pair[f"Question {number}"] not in seen
            seen.add(pair[f"Question {number}"])
            assert pair[f"Answer {number}"].removesuffix(".") in LIBRARY + TRAVEL
    assert seen


def test_the_address_with_a_final_slash_works(product, rag):
    slashed = MemoryRAG(rag.job_id, api_key=product.key, api_url=f"{product.url}/", model_name=MODEL)
    assert slashed.status()["status"] == "COMPLETED"
    assert "RV-2207" in slashed.query("What is the code of the red valve?")["outputs"][0]


def test_the_status_is_told_to_a_client_that_asks_with_get(product, rag):
    told = product.call("GET", f"/alpha/memory-rag/status?job_id={rag.job_id}").json()
    assert told == rag.status()


def test_a_number_that_is_not_there_and_one_of_another_account_are_the_same_to_the_caller(product, rag):
    key = product.member("curious about documents")
    for stranger in (client(product, 999_999), client(product, rag.job_id, key)):
        for call in (
            stranger.status,
            stranger.get_logs,
            lambda stranger=stranger: stranger.query("Who approves travel?"),
            lambda stranger=stranger: stranger.add_index("a text"),
        ):
            with pytest.raises(APIError, match=f"There is no document index {stranger.job_id}"):
                call()


def test_errors_name_the_fault(product, rag):
    with pytest.raises(AuthenticationError, match="not known here"):
        client(product, rag.job_id, key="wrong").status()
    with pytest.raises(ModelNotFoundError, match='There is no model "no/such"'):
        client(product, rag.job_id, model="no/such").query("Who approves travel?")
    with pytest.raises(Exception, match="prompt"):
        rag.query("")
    with pytest.raises(Exception, match="prompt"):
        rag.add_index(" \n")


def test_a_build_that_is_refused_leaves_nothing(product, folder):
    """The package looks for the number in whatever it is answered."""
    before = product.call("GET", "/v1/indexes").json()
    for refused in (
        client(product, model="no/such"),
        client(product, model="meta-llama/Llama-3.2-3B-Instruct"),
        client(product, key="wrong"),
    ):
        with pytest.raises(KeyError, match="job_id"):
            refused.memory_index([str(folder / "travel.txt")])
    with pytest.raises(KeyError, match="job_id"):
        client(product).memory_index([])
    assert product.call("GET", "/v1/indexes").json() == before


def test_calls_that_are_not_here_say_so(product):
    """The package has calls for experiments, which are no part of this service."""
    experiment = requests.post(
        f"{product.url}/alpha/memory-rag/DocumentExperiment",
        headers={"Authorization": f"Bearer {product.key}"},
        files=[("payload", (None, "{}"))],
        timeout=60,
    )
    assert experiment.status_code == 404 and "DocumentExperiment" in experiment.json()["detail"]


# OpenAI's package


@pytest.fixture(scope="module")
def chat(asked) -> openai.OpenAI:
    return openai.OpenAI(api_key=asked.key, base_url=f"{asked.url}/inf", max_retries=0)


def test_an_index_is_a_model_of_openais_client(chat, rag):
    model = f"index/{rag.job_id}"
    assert model in [one.id for one in chat.models.list()]
    question = [{"role": "user", "content": "What is the code of the red valve?"}]
    generated = {"answer": "generate"}
    answer = chat.chat.completions.create(model=model, messages=question, extra_body=generated)
    assert (answer.model, answer.choices[0].message.content) == (model, "RV-2207")
    assert answer.usage.prompt_tokens > 0
    [best, *_] = answer.citations
    assert (best["file"], best["heading"]) == ("library.md", "Valves")

    chunks = list(
        chat.chat.completions.create(
            model=model,
            messages=question,
            stream=True,
            stream_options={"include_usage": True},
            extra_body=generated,
        )
    )
    assert chunks[0].citations == answer.citations
    told = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(told) == "RV-2207"
    assert chunks[-1].usage.total_tokens == answer.usage.total_tokens

    quoted = chat.chat.completions.create(model=model, messages=question, extra_body={"answer": "quote"})
    assert quoted.choices[0].message.content == "The code of the red valve is RV-2207."
    assert quoted.answer_kind == "quote" and quoted.usage.total_tokens == 0
    assert quoted.citations[0]["quoted"]["text"] == quoted.choices[0].message.content


def test_a_conversation_is_asked_by_its_last_question_and_the_instructions_stay(chat, rag):
    answer = chat.chat.completions.create(
        model=f"index/{rag.job_id}",
        messages=[
            {"role": "system", "content": "Answer in few words."},
            {"role": "user", "content": "Who approves travel?"},
            {"role": "assistant", "content": "Dana Reyes"},
            {"role": "user", "content": [{"type": "text", "text": "What is the code of the red valve?"}]},
        ],
    )
    assert answer.citations[0]["heading"] == "Valves"


def test_a_question_beyond_the_documents_is_declined(chat, rag):
    for stream in (False, True):
        answer = chat.chat.completions.create(
            model=f"index/{rag.job_id}",
            messages=[{"role": "user", "content": "Which opera did Verdi write last?"}],
            stream=stream,
        )
        if stream:
            chunks = list(answer)
            text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
            citations = chunks[0].citations
        else:
            text, citations = answer.choices[0].message.content, answer.citations
        assert (text, citations) == ("The documents do not say.", [])


def test_an_index_that_is_not_there_is_not_found(chat, product, rag):
    theirs = openai.OpenAI(
        api_key=product.member("curious about chat"), base_url=f"{product.url}/inf", max_retries=0
    )
    for asked, model in ((chat, "index/999999"), (chat, "index/none"), (theirs, f"index/{rag.job_id}")):
        with pytest.raises(openai.NotFoundError, match="There is no document index"):
            asked.chat.completions.create(model=model, messages=[{"role": "user", "content": "Who?"}])


# the guide


def test_every_example_of_the_guide_runs_in_its_order(asked, tmp_path):
    guide = (Path(__file__).resolve().parents[2] / "docs/guide/documents.md").read_text()
    examples = re.findall(r"^```(sh|python)\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    assert [language for language, _ in examples] == ["sh", "python", "python"]
    environment = os.environ | {"LOREKEEP_BASE_URL": asked.url, "LOREKEEP_API_KEY": asked.key}
    shown = json.loads(re.search(r"^```json\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)[1])
    for language, program in examples:
        command = ["sh", "-e", "-c"] if language == "sh" else [sys.executable, "-c"]
        ran = subprocess.run(
            [*command, program],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert ran.returncode == 0, ran.stderr
        # Each prints an answer and the file that it comes from.
        assert "12 dollars" in ran.stdout and "handbook.md" in ran.stdout
        if language == "sh":
            answer = json.loads(ran.stdout)
            assert shown.keys() <= answer.keys()
            # The answer shown is that of the base that ships; another one may write it itself.
            assert shown["outputs"] == answer["outputs"] or answer["answer_kind"] == "generated"
            assert shown["retrieval"] == {name: answer["retrieval"][name] for name in shown["retrieval"]}
            (given,), found = shown["citations"], answer["citations"][0]
            about = ("file", "page", "line", "heading")
            assert [given[name] for name in about] == [found[name] for name in about]
            assert given.keys() <= found.keys() and found["text"].startswith(
                given["text"].removesuffix("...")
            )
