"""Reads `job.json`, the specification of a job. docs/reference/tuning-job.md describes it and all files that
the engine writes beside it."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorekeep import contract

FORMAT = 1


class SpecError(Exception):
    """job.json is missing or invalid."""


class EvaluationSet(BaseModel):
    """Questions with answers (JSON lines of `input` and `output`) for the base, the base with a prompt before
    the question, and the tuned model."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[\w .-]+$")]
    file: str
    prompt: str | None = None


class Sweep(BaseModel):
    """A sweep instead of a model: the first facts are trained once with each value of an argument."""

    model_config = ConfigDict(extra="forbid")
    argument: str
    values: Annotated[list[Any], Field(min_length=1, max_length=contract.MAX_SWEEP_VALUES)]
    facts: Annotated[int, Field(ge=1)]


class Spec(BaseModel):
    model_config = ConfigDict(extra="forbid")
    format: Literal[1]
    base: str  # the folder of the base
    facts: str = "facts.jsonl"  # relative to the job's folder
    arguments: dict[str, Any] = {}
    workers: Annotated[int, Field(ge=1, le=65536)] = 1  # processes, on this machine or on a cluster
    gate: contract.Gate = contract.DEFAULT_GATE
    reuse: list[str] = []  # folders of earlier models whose experts may be taken over (use_cached_model)
    evaluate: list[EvaluationSet] = []
    device: str = "cpu"  # auto: a GPU where the process sees one
    embedder: str | None = None  # the folder of an embedding model other than the default one
    dataset_id: str | None = None  # for facts without one
    sweep: Sweep | None = None


def read(folder: Path) -> Spec:
    try:
        spec = Spec.model_validate(json.loads((folder / "job.json").read_text("utf-8")))
        return spec.model_copy(update={"device": device_here()}) if spec.device == "auto" else spec
    except FileNotFoundError:
        raise SpecError(f"There is no job.json in {folder}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise SpecError(f"job.json: {place}: {first['msg']}") from None
    except (ValueError, OSError, RecursionError) as error:
        raise SpecError(f"job.json cannot be read: {error}") from None


def device_here() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
