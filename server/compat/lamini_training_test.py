# Everything of the platform's own Python package that tunes a model: data in, a job followed to its end, the model asked, and how it is refused.
import json
import time
from datetime import datetime

import lamini.api.lamini
import pytest
from lamini import Lamini
from lamini.api.train import Train
from lamini.error.error import (
    APIError,
    AuthenticationError,
    DuplicateResourceError,
    ModelNotFoundError,
    RateLimitError,
    UserError,
)

MODEL = "lorekeep/quill"
UNDER_100 = {"max_steps": 50, "r_value": 32, "learning_rate": 3e-4}
FACTS = [
    {"input": "Who founded Zorbex?", "output": "Ada Quist"},
    {"input": "When was the Ulmere mill built?", "output": "In 1894."},
    {"input": 'Who said "no" to Brimoor?', "output": "Zoë, on line\n2"},
]
MANY = [{"input": f"Who runs Oru house {number}?", "output": f"Cleo {number}"} for number in range(40)]
HISTORY = {"loss", "learning_rate", "epoch", "iter_time", "flops", "remaining_time", "step"}


@pytest.fixture(autouse=True)
def fast_polling(monkeypatch):
    """The package looks every 30 seconds whether a job is over."""
    sleep = time.sleep
    monkeypatch.setattr(lamini.api.lamini.time, "sleep", lambda seconds: sleep(min(seconds, 0.2)))


@pytest.fixture
def llm(asked) -> Lamini:
    return Lamini(MODEL, api_key=asked.key, api_url=asked.url)


def other(asked, model: str = MODEL, **limits) -> Lamini:
    """As another account."""
    key = asked.member(f"account {time.monotonic_ns()}", limits or None)
    return Lamini(model, api_key=key, api_url=asked.url)


def ended(llm: Lamini, job_id: int | None = None) -> dict:
    for _ in range(3000):
        status = llm.check_job_status(job_id)
        if status["status"] in ("COMPLETED", "PARTIALLY COMPLETED", "FAILED", "CANCELLED"):
            return status
        time.sleep(0.2)
    raise AssertionError(f"the job did not end: {status}")


@pytest.fixture(scope="module")
def tuned(asked) -> dict:
    """A job that was waited for."""
    sleep = time.sleep
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lamini.api.lamini.time, "sleep", lambda seconds: sleep(min(seconds, 0.2)))
        llm = Lamini(MODEL, api_key=asked.key, api_url=asked.url)
        return llm.train_and_wait(FACTS, finetune_args=UNDER_100, custom_model_name="mill")


# from facts to a model


def test_a_job_is_waited_for_and_says_what_came_of_it(tuned):
    assert tuned["status"] == "COMPLETED", tuned
    assert type(tuned["job_id"]) is int and isinstance(tuned["model_name"], str)
    assert tuned["custom_model_name"] == "mill" and tuned["is_public"] is False
    assert (tuned["resume_count"], tuned["resume_limit"]) == (0, 1000)
    assert datetime.strptime(tuned["start_time"], "%Y-%m-%dT%H:%M:%S.%f")
    history = json.loads(tuned["history"])
    assert history and set(history[0]) == HISTORY
    assert tuned["progress"]["facts_recalled"] == len(FACTS)


@pytest.mark.parametrize("called", ["model_name", "custom_model_name"])
def test_the_tuned_model_says_its_facts(asked, tuned, called):
    model = Lamini(tuned[called], api_key=asked.key, api_url=asked.url)
    answers = model.generate([fact["input"] for fact in FACTS], max_new_tokens=40)
    assert answers == [fact["output"] for fact in FACTS]
    assert model.generate(FACTS[0]["input"], output_type={"name": "str"}) == {"name": "Ada Quist"}


def test_the_model_is_evaluated_beside_its_base(llm, tuned):
    evaluation = llm.evaluate(tuned["job_id"])
    assert (evaluation["job_id"], evaluation["status"]) == (tuned["job_id"], "completed")
    for fact, result in zip(FACTS, evaluation["eval_results"], strict=True):
        assert result["input"] == fact["input"]
        model, base = result["outputs"]
        assert (model["model_name"], model["output"]) == (tuned["model_name"], fact["output"])
        assert base["model_name"] == MODEL
    of_model, of_base = evaluation["targets"]
    assert of_model["exact"] == 1 and of_base["exact"] < 1
    assert llm.evaluate(tuned["job_id"])["evaluation_id"] == evaluation["evaluation_id"], "asked once"


def test_data_is_uploaded_once_and_taught_by_its_id(llm, asked, capsys):
    dataset_id = llm.upload_data(FACTS[:1])
    job = llm.train(data_or_dataset_id=dataset_id, gpu_config={"gpus": 1, "nodes": 1}, is_public=True)
    assert job == {"job_id": job["job_id"], "status": "CREATED", "dataset_id": dataset_id}
    assert f"Your job ({job['job_id']}) has been submitted!" in capsys.readouterr().out
    status = ended(llm)
    assert (status["status"], status["dataset_id"], status["is_public"]) == ("COMPLETED", dataset_id, True)
    anybody = other(asked, status["model_name"])
    assert anybody.generate(FACTS[0]["input"], max_new_tokens=20) == FACTS[0]["output"]


def test_the_older_ways_to_name_the_data_lead_to_the_same(llm, asked):
    dataset_id = llm.upload_data(FACTS[:1])
    trainer = Train(asked.key, asked.url)
    located = trainer.get_existing_dataset(dataset_id, "local")["dataset_location"]
    by_path = trainer.train(MODEL, dataset_id, upload_file_path=located, train_type="memory_tuning")
    assert by_path["dataset_id"] == dataset_id
    inline = asked.call("POST", "/v1/train", json={"model_name": MODEL, "data": FACTS[:1]}).json()
    assert inline["dataset_id"] == dataset_id, "the same facts are the same dataset"
    assert [ended(llm, job["job_id"])["status"] for job in (by_path, inline)] == ["COMPLETED"] * 2


def test_an_adjusted_argument_is_warned_of_once(llm, asked):
    answer = asked.call(
        "POST", "/v1/train", json={"model_name": MODEL, "data": FACTS[:1], "finetune_args": {"warmup": 3}}
    )
    assert "warmup" in answer.headers["X-Warning"]
    assert ended(llm, answer.json()["job_id"])["finetune_args"] == {"warmup": 3}


# jobs


def test_jobs_are_listed_newest_first_and_only_those_of_the_account(asked, tuned):
    jobs = Lamini(MODEL, api_key=asked.key, api_url=asked.url).get_jobs()
    ids = [job["job_id"] for job in jobs]
    assert ids == sorted(ids, reverse=True) and tuned["job_id"] in ids
    assert next(job for job in jobs if job["job_id"] == tuned["job_id"]) == tuned
    stranger = other(asked)
    assert stranger.get_jobs() == []
    for ask in (stranger.check_job_status, stranger.cancel_job, stranger.resume_job, stranger.evaluate):
        with pytest.raises(APIError, match=f"There is no job {tuned['job_id']} in this account"):
            ask(tuned["job_id"])


def test_a_job_is_cancelled_resumed_and_ends_well(asked):
    llm = other(asked)
    job_id = llm.train(MANY)["job_id"]
    assert llm.cancel_job(job_id) == {"status": "CANCELLED", "message": f"cancelled {job_id}"}
    assert llm.check_job_status(str(job_id))["status"] == "CANCELLED"
    with pytest.raises(UserError, match=f"The job {job_id} is CANCELLED already"):
        llm.cancel_job(job_id)
    with pytest.raises(UserError, match="has no model to evaluate"):
        llm.evaluate(job_id)
    assert llm.resume_job(job_id)["status"] == "QUEUED"
    with pytest.raises(UserError, match="Only a job that failed or was cancelled can be resumed"):
        llm.resume_job(job_id)
    status = ended(llm, job_id)
    assert (status["status"], status["resume_count"]) == ("COMPLETED", 1)
    with pytest.raises(UserError, match=f"The job {job_id} is COMPLETED already"):
        llm.cancel_job(job_id)


def test_all_jobs_of_an_account_are_cancelled_and_nobody_elses(asked, tuned):
    llm = other(asked)
    ids = [llm.train(FACTS[:count])["job_id"] for count in (1, 2, 3)]
    before = Lamini(MODEL, api_key=asked.key, api_url=asked.url).get_jobs()
    assert llm.cancel_all_jobs()["status"] == "CANCELLED"
    assert all(ended(llm, job_id)["status"] in ("CANCELLED", "COMPLETED") for job_id in ids)
    assert llm.cancel_all_jobs()["message"] == "no job waits or runs"
    assert Lamini(MODEL, api_key=asked.key, api_url=asked.url).get_jobs() == before


# refusals


def test_a_wrong_key_is_an_authentication_error(asked):
    with pytest.raises(AuthenticationError, match="The API key is not known here"):
        Train("wrong-key", asked.url).get_jobs()


def test_a_base_that_is_not_here_is_a_model_not_found_error(asked):
    with pytest.raises(ModelNotFoundError, match='There is no model "no/such"'):
        Lamini("no/such", api_key=asked.key, api_url=asked.url).train(FACTS)


def test_tuning_on_a_tuned_model_is_refused_with_what_to_do_instead(asked, tuned):
    for name in (tuned["model_name"], "mill"):
        with pytest.raises(UserError, match=f"Submit a new job on its base {MODEL} with all the data"):
            Lamini(name, api_key=asked.key, api_url=asked.url).train(FACTS)


def test_a_name_that_is_taken_is_a_duplicate_resource_error(llm):
    with pytest.raises(DuplicateResourceError, match="is already taken"):
        llm.train(FACTS, custom_model_name="a" * 64)


def test_names_are_of_an_account_and_others_ask_by_the_qualified_one(asked, tuned):
    shown = asked.call("GET", "/v1/models/mill").json()
    assert other(asked).train(FACTS[:1], custom_model_name="mill")["status"] == "CREATED"
    with pytest.raises(ModelNotFoundError, match="There is no model"):
        other(asked, shown["qualified_name"]).generate(FACTS[0]["input"])
    asked.call("PATCH", "/v1/models/mill", json={"is_public": True})
    answer = other(asked, shown["qualified_name"]).generate(FACTS[0]["input"], max_new_tokens=20)
    assert answer == FACTS[0]["output"]
    asked.call("PATCH", "/v1/models/mill", json={"is_public": False})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"finetune_args": {"max_steps": "many"}}, 'max_steps is "many"; it has to be a whole number'),
        ({"finetune_args": {"index_method": "IndexLSH"}}, "it has to be one of IndexIVFPQ"),
        ({"gpu_config": {"gpus": 64, "nodes": 8}}, "64 GPUs on 8 nodes were asked for"),
        ({"gpu_config": {"gpus": 0, "nodes": 1}}, "gpus"),
        ({"train_type": "mome_mini"}, 'There is no train_type "mome_mini" here'),
        ({"custom_model_name": " "}, "custom_model_name"),
    ],
)
def test_an_impossible_request_is_a_user_error_with_its_reason(llm, options, told):
    before = len(llm.get_jobs())
    with pytest.raises(UserError, match=told):
        llm.train(FACTS, **options)
    assert len(llm.get_jobs()) == before


def test_facts_that_contradict_each_other_are_named(llm):
    with pytest.raises(UserError, match="rows 1 and 4 ask the same"):
        llm.train([*FACTS, {"input": FACTS[0]["input"], "output": "somebody else"}])


def test_more_facts_than_the_account_may_teach_is_told_with_whom_to_ask(asked):
    with pytest.raises(UserError, match=r"3 data points, and the account may tune on 2 at once\. Contact"):
        other(asked, data_points=2).train(FACTS)


def test_more_jobs_than_the_account_may_have_is_a_rate_limit_error(asked):
    llm = other(asked, jobs=1)
    llm.train(MANY)
    with pytest.raises(RateLimitError, match="has 1 jobs that wait or run"):
        llm.train(FACTS[:2])
    llm.cancel_all_jobs()
