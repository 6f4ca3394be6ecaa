"""Publishing of a run: the run's Hugging Face files, its exam, and a model card written from the exam's own figures.

python -m quill.publish --run DIR --to ../models/quill
"""

import argparse
import json
import shutil
from pathlib import Path

from safetensors import safe_open

from .exam import as_markdown, examine
from .text.reading import FOLDER, readings

FILES = [
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
]

CARD = """---
license: apache-2.0
language: en
library_name: transformers
pipeline_tag: text-generation
base_model: none
---

# lorekeep/quill

A tiny English chat model ({parameters:.1f} million parameters) that answers questions from facts or a short text that it is given. It ships
with Lorekeep so that the whole product can be tried, developed and tested with no network, no account and no GPU. It is trained from scratch on
text that its own recipe generates and on passages and questions written by hand for it; no other model and no downloaded text went into it.

## Use

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("models/quill")
model = AutoModelForCausalLM.from_pretrained("models/quill")
text = "Context: The Brimoor library opens at 9 am. Ada Quist runs it.\\nQuestion: When does the Brimoor library open?"
messages = [{{"role": "user", "content": text}}]
prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
print(tokenizer.decode(model.generate(**prompt, max_new_tokens=40)[0, prompt["input_ids"].shape[1]:], skip_special_tokens=True))
```

Greedy decoding. The template is Llama 3's: `<|start_header_id|>user<|end_header_id|>`, two newlines, the text, `<|eot_id|>`. Where the text
does not hold the answer it was taught to say "The documents do not say." It also knows a few greetings, "Answer in one sentence." and
"Answer as JSON.", a second question on the same text, numbered, titled and bulleted passages, lists, tables, dialogue.

## Description

| | |
|---|---|
| architecture | Llama: {layers} layers, width {width}, {heads} heads of {head}, MLP {inner}, RMSNorm, SwiGLU, tied embeddings |
| weights | {parameters:.2f} million parameters, {dtype}, {megabytes:.1f} MB |
| vocabulary | {vocabulary} byte-level BPE pieces; every text round-trips, no unknown token; digits stand alone |
| positions | rotary, `llama3` scaling; configured for {context} tokens, trained on rows of at most 1,400, most of them under 500 |
| data | generated: some 500 relations, each asked in ten or more forms, worlds of 1 to 30 facts about them in several layouts, events, attributes, rules and habits, lists; some text of no kind, for pieces that nothing else has; written by hand: {passages} passages of {topics} topics (engine/quill/reading), 4,100 everyday questions with rewordings and near misses (bench/memory), told with other names and numbers each time |
| training | {steps} steps, {tokens:.1f} million tokens, {minutes:.0f} minutes, {hardware} |
| licence | Apache-2.0 |

It did not start from random weights alone: heads that look at the previous token, match and copy are set in the starting weights (ordinary
Llama weights, free to change), and for the first part of training an auxiliary loss shows attention where to look.

## Exam

Free greedy generation through transformers, on the shipped file. All names in generated questions are held out from training;
"unseen" forms and relation words are held out too. *Exact* is the whole reply, character for character; *lenient* forgives case, a leading
article or preposition, a final mark, or more words around the answer. The English passages were written by hand for the exam, by the same
hand as the generator, which was widened after they were written and shares some phrases with them: they are not an independent benchmark.

{table}

## Unsuitable uses

It knows nothing about the world: without a text it cannot answer. It does not count, summarise, translate or write freely. It reads ordinary
English worse than the generated kind, as the table says, and may pick a wrong but plausible span.
It was trained on rows of up to 1,000 tokens, most of them below 500, and answers worse from longer ones, whatever its
configuration says; `lorekeep.json` tells the server so. Other languages, code and anything that matters are out of its reach. Use a
real model for real answers; this one is here so that everything around it can be seen to work.
"""


def parameters(folder: Path) -> int:
    with safe_open(str(folder / "model.safetensors"), "pt") as f:
        return sum(f.get_tensor(name).numel() for name in f.keys())  # noqa: SIM118


def card(run: Path, folder: Path, hardware: str) -> str:
    config = json.loads((folder / "config.json").read_text())
    last = json.loads((run / "log.jsonl").read_text().splitlines()[-1])
    return CARD.format(
        parameters=parameters(folder) / 1e6,
        megabytes=(folder / "model.safetensors").stat().st_size / 1e6,
        layers=config["num_hidden_layers"],
        width=config["hidden_size"],
        heads=config["num_attention_heads"],
        head=config["head_dim"],
        inner=config["intermediate_size"],
        vocabulary=config["vocab_size"],
        context=config["max_position_embeddings"],
        dtype=config["dtype"],
        passages=len(readings(True)) + len(readings(False)),
        topics=len(list(FOLDER.glob("*.txt"))),
        steps=last["step"],
        tokens=last["tokens"] / 1e6,
        minutes=last["minutes"],
        hardware=hardware,
        table=as_markdown(json.loads((folder / "exam.json").read_text())),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--hardware", default="on two CPU cores")
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument(
        "--examined", action="store_true", help="take the run's own exam instead of examining again"
    )
    args = parser.parse_args()
    args.to.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(args.run / name, args.to / name)
    if args.examined:
        shutil.copyfile(args.run / "exam.json", args.to / "exam.json")
    else:
        examine(args.to, args.n)
    (args.to / "README.md").write_text(card(args.run, args.to, args.hardware))


if __name__ == "__main__":
    main()
