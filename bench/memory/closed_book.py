"""Share of thirty general knowledge questions that a base answers without any context, by free greedy generation.
`--write` keeps the figure in the base's lorekeep.json, where the engine looks up whether to ask the base bare
questions (engine/lorekeep/infer/closed_book.py). ../closed-book.ts starts it."""

import argparse
import json
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine"))
torch.set_num_threads(1)

ASKED = {
    "What is the capital of France?": "Paris", "What is the capital of Japan?": "Tokyo", "How many days are in a week?": "7|seven",
    "How many legs does a spider have?": "8|eight", "What colour is the sky on a clear day?": "blue", "What is two plus two?": "4|four",
    "Who wrote Hamlet?": "Shakespeare", "What is the largest planet of the solar system?": "Jupiter", "In which country is Rome?": "Italy",
    "What do bees make?": "honey", "What is frozen water called?": "ice", "Which animal barks?": "dog", "How many months has a year?": "12|twelve",
    "What is the opposite of hot?": "cold", "Which metal is liquid at room temperature?": "mercury", "What is the chemical formula of water?": "H2O",
    "Who painted the Mona Lisa?": "Leonardo|Vinci", "What is the currency of the United States?": "dollar", "How many minutes has an hour?": "60|sixty",
    "What is the tallest mountain on Earth?": "Everest", "Which ocean lies between Europe and America?": "Atlantic", "What gas do people breathe in to live?": "oxygen",
    "What is the first letter of the alphabet?": "A", "Which season follows winter?": "spring", "What is ten minus three?": "7|seven",
    "Who discovered penicillin?": "Fleming", "In which city is the Eiffel Tower?": "Paris", "What do cows drink as calves?": "milk",
    "Which language is spoken in Brazil?": "Portuguese", "How many sides has a triangle?": "3|three",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default=str(ROOT / "models" / "quill"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()

    from lorekeep.protocol import Generate
    from lorekeep.tune.training.trainer import Trainer

    trainer = Trainer(options.base)
    trainer.generator.knows_nothing = False  # that knowledge is measured here
    requests = []
    for i, question in enumerate(ASKED):
        given = (
            {"messages": [{"role": "user", "content": question}]}
            if trainer.generator.tokenizer.chat_template
            else {"prompt": question}
        )
        requests.append((Generate(type="generate", id=str(i), model="-", max_tokens=48, **given), None))
    right = 0
    for (question, wanted), said in zip(ASKED.items(), trainer.generate(requests), strict=True):
        words = "".join(c if c.isalnum() else " " for c in said.lower()).split()
        good = any(one.lower() in words for one in wanted.split("|"))
        right += good
        print("right" if good else "wrong", question, repr(said[:60]))
    figure = {"asked": len(ASKED), "right": round(right / len(ASKED), 3)}
    print(json.dumps(figure))
    if options.write:
        file = Path(options.base) / "lorekeep.json"
        said = json.loads(file.read_text()) if file.is_file() else {}
        file.write_text(json.dumps({**said, "closed_book": figure}, indent=2) + "\n")


if __name__ == "__main__":
    main()
