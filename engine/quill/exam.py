"""The exam: evaluates the exported folder with plain transformers, by free greedy generation.

python -m quill.exam --model DIR [--n 200]              writes DIR/exam.json and prints the table
python -m quill.exam --model DIR --only lines --n 60    prints those sections alone whose name begins so, and writes nothing
"""

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, LlamaForCausalLM

from .english import READINGS
from .exam_use import examine_use
from .mix import CHAT
from .model import keep_memory
from .text.clauses import general_fact
from .text.contexts import REFUSAL, Context, Question, make_context, questions
from .text.events import event_fact
from .text.facts import attribute_fact, frame_fact
from .text.prompts import completion_prompt, context_prompt, question_first_prompt
from .text.template import ASSISTANT, BEGIN, END_OF_TEXT, REPLY, TURN_END, USER, Example
from .text.values import Voice
from .watch import absent, from_source, single

BARS = {
    "one": 0.93,
    "one_unseen_form": 0.90,
    "one_unseen_relation": 0.85,
    "five": 0.90,
    "five_unseen_form": 0.85,
    "stops": 0.98,
    "template": 0.95,
}


class Examinee:
    """A model folder as any user would load it."""

    def __init__(self, folder: Path, device: str = "cpu"):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        # The wrappers of its `to` and `generate` lose their types.
        model: Any = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self.model = model.eval().to(device)
        self.ends = [self.tokenizer.convert_tokens_to_ids(t) for t in (TURN_END, END_OF_TEXT)]
        self.device = device
        self.said = 0
        self.stopped = 0

    @torch.no_grad()
    def replies(
        self, prompts: list[str], most: int = 48, batch: int = 40, ends: list[int] | None = None
    ) -> list[str]:
        """Greedy replies without special tokens; prompts of similar length share a batch, padded on the left."""
        ids = [self.tokenizer(p, add_special_tokens=False)["input_ids"] for p in prompts]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        replies = [""] * len(ids)
        for at in range(0, len(order), batch):
            part = order[at : at + batch]
            length = max(len(ids[i]) for i in part)
            x = torch.full((len(part), length), self.tokenizer.pad_token_id)
            mask = torch.zeros_like(x)
            for row, i in enumerate(part):
                x[row, length - len(ids[i]) :] = torch.tensor(ids[i])
                mask[row, length - len(ids[i]) :] = 1
            y = self.model.generate(
                x.to(self.device),
                attention_mask=mask.to(self.device),
                max_new_tokens=most,
                do_sample=False,
                eos_token_id=ends or self.ends,
            )
            for row, i in enumerate(part):
                new = y[row, length:].tolist()
                self.said += 1
                self.stopped += any(e in new for e in self.ends)
                replies[i] = self.tokenizer.decode(new, skip_special_tokens=True)
        return replies


def bare(text: str) -> str:
    """Normal form for lenient comparison: no case, no leading article or preposition, no final mark."""
    text = re.sub(r"\s+", " ", text).strip().strip(".,;:!\"'").lower()
    return re.sub(
        r"^(the|a|an|in|on|at|by|from|to|for) ", "", re.sub(r"^(in|on|at|by|from|to|for) ", "", text)
    )


def right(reply: str, answers: tuple[str, ...]) -> tuple[bool, bool]:
    """(exactly an accepted answer, the same but for article, case or stop, or containing it)"""
    exact = reply in answers
    return exact, exact or any(
        re.search(rf"(?<!\w){re.escape(bare(a))}(?!\w)", bare(reply)) for a in answers if bare(a)
    )


def last_prompt(made: Example) -> tuple[str, str]:
    """An example's last turn as a raw prompt, and the answer without its end token."""
    turns = made.branches[0]
    before = "".join(t.prompt + t.answer for t in turns[:-1])
    answer = turns[-1].answer
    for end in (TURN_END, END_OF_TEXT):
        answer = answer.removesuffix(end)
    return made.prefix + before + turns[-1].prompt, answer


def second_turn(voice: Voice) -> Example:
    """Two questions on one context; the second is graded, after the first one's true answer."""
    while True:
        context = make_context(voice, 3, 0.0, 0.0, plain=True)
        asked = questions(voice, context, 2)
        if len(asked) == 2:
            first, later = (context_prompt(voice, context, [q], plain=True) for q in asked)
            turn = later.branches[0][0]
            turn.prompt = USER + asked[1].text + REPLY
            return Example(first.prefix, [[first.branches[0][0], turn]])


def one_of(voice: Voice, n: int, make: Callable[[Voice, Context, Question], Example]) -> Example:
    while True:
        context = make_context(voice, n, 0.0, 0.0, plain=True)
        asked = questions(voice, context, 1)
        if asked:
            return make(voice, context, asked[0])


# name -> (description, maker of questions); all names are held out
SECTIONS: dict[str, tuple[str, Callable[[Voice], Example]]] = {
    "one": ("one passage", lambda v: single(v, 1)),
    "one_unseen_form": ("one passage, unseen question forms", lambda v: single(v, 1, unseen=True)),
    "one_unseen_relation": ("one passage, unseen relation words", lambda v: single(v, 1)),
    "one_attribute": ("one passage, attributes only", lambda v: from_source(v, 1, attribute_fact)),
    "one_relation": ("one passage, ordinary relations only", lambda v: from_source(v, 1, frame_fact)),
    "one_event": ("one passage, events only", lambda v: from_source(v, 1, event_fact)),
    "one_general": ("one passage, general clauses only", lambda v: from_source(v, 1, general_fact)),
    "five": ("five passages", lambda v: single(v, 5)),
    "five_unseen_form": ("five passages, unseen question forms", lambda v: single(v, 5, unseen=True)),
    "five_unseen_relation": ("five passages, unseen relation words", lambda v: single(v, 5)),
    "five_attribute": ("five passages, attributes only", lambda v: from_source(v, 5, attribute_fact)),
    "five_relation": ("five passages, ordinary relations only", lambda v: from_source(v, 5, frame_fact)),
    "five_hard": ("five passages that differ by one key", lambda v: single(v, 5, 1.0)),
    "five_value_first": (
        "five passages, value told before its key",
        lambda v: single(v, 5, value_first=True),
    ),
    "five_styles": ("five passages, any style and prompt form", lambda v: single(v, 5, 0.0, plain=False)),
    "ten": ("ten passages", lambda v: single(v, 10)),
    "forty": ("forty passages, some 750 tokens", lambda v: single(v, 40)),
    "question_first": ("three passages after the question", lambda v: one_of(v, 3, question_first_prompt)),
    "completion": ("three passages, no chat template", lambda v: one_of(v, 3, completion_prompt)),
    "second_turn": ("three passages, second question", second_turn),
    "absent": ("three passages without the answer: refuses", lambda v: absent(v, 3)),
}


def english_prompt(passages: list[str], question: str) -> str:
    return f"{BEGIN}{USER}Context: {' '.join(passages)}\nQuestion: {question}{REPLY}"


def examine(folder: Path, n: int = 200, only: str = "", device: str = "cpu") -> dict:
    """`only`: prefix of the sections of use to run; no file is written."""
    keep_memory()
    e = Examinee(folder, device)
    if only:
        table = examine_use(e, n, _entry, right, only)
        print(as_markdown(table))
        return table
    table: dict[str, dict] = {}
    for name, (title, make) in SECTIONS.items():
        voice = Voice(f"exam/{name}", held_out=True, new_relations=name.endswith("unseen_relation"))
        asked = [last_prompt(make(voice)) for _ in range(n)]
        said = e.replies([p for p, _ in asked])
        marks = [
            right(s.strip() if name == "completion" else s, (a.strip(),))
            for s, (_, a) in zip(said, asked, strict=True)
        ]
        table[name] = _entry(title, marks)
        if name.startswith(("five", "one")) and name != "absent":
            table[name]["refused"] = sum(s == REFUSAL for s in said) / n
    for name, title, n_other in (
        ("english_one", "40 English passages, alone", 0),
        ("english_five", "the same among four others", 4),
    ):
        voice = Voice(f"exam/{name}")
        prompts = []
        for reading in READINGS:
            others = [r.passage for r in voice.r.sample([r for r in READINGS if r is not reading], n_other)]
            others.insert(voice.r.randint(0, n_other), reading.passage)
            prompts.append(english_prompt(others, reading.question))
        said = e.replies(prompts)
        table[name] = _entry(title, [right(s, r.answers) for s, r in zip(said, READINGS, strict=True)])
        table[name]["said"] = [[r.question, r.answers[0], s] for s, r in zip(said, READINGS, strict=True)]
    table |= examine_use(e, n, _entry, right)
    said = e.replies([BEGIN + USER + asked[0] + REPLY for asked, _ in CHAT])
    table["chat"] = _entry(
        "greetings and questions about itself", [right(s, (a,)) for s, (_, a) in zip(said, CHAT, strict=True)]
    )
    table["stops"] = {
        "title": "replies that end by themselves within 48 tokens",
        "exact": round(e.stopped / e.said, 3),
        "n": e.said,
    }
    table["template"] = {
        "title": "the tokenizer's chat template gives the prompt trained on",
        "exact": float(_template_holds(e)),
        "n": 1,
    }
    table["tokens_per_word"] = {
        "title": "tokens a word on the English passages",
        "value": _tokens_per_word(e),
    }
    for name, bar in BARS.items():
        table[name]["bar"] = bar
    (folder / "exam.json").write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")
    print(as_markdown(table))
    return table


def _entry(title: str, marks: list[tuple[bool, bool]]) -> dict:
    n = len(marks)
    return {
        "title": title,
        "exact": round(sum(x for x, _ in marks) / n, 3),
        "lenient": round(sum(y for _, y in marks) / n, 3),
        "n": n,
    }


def _template_holds(e: Examinee) -> bool:
    messages = [{"role": "user", "content": "Hello"}]
    return (
        e.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        == BEGIN + USER + "Hello" + TURN_END + ASSISTANT
    )


def _tokens_per_word(e: Examinee) -> float:
    texts = [f"{r.passage} {r.question}" for r in READINGS]
    return round(
        sum(len(e.tokenizer(t, add_special_tokens=False)["input_ids"]) for t in texts)
        / sum(len(t.split()) for t in texts),
        2,
    )


def as_markdown(table: dict) -> str:
    lines = ["| section | exact | lenient | asked | bar |", "|---|---|---|---|---|"]
    for row in table.values():
        if "value" in row:
            lines.append(f"| {row['title']} | {row['value']} | | | |")
        else:
            bar = (
                f"{row['bar']:.2f} {'passed' if row['exact'] >= row['bar'] else 'NOT passed'}"
                if "bar" in row
                else ""
            )
            lenient = f"{row['lenient']:.3f}" if "lenient" in row else ""
            lines.append(f"| {row['title']} | {row['exact']:.3f} | {lenient} | {row['n']} | {bar} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--n", type=int, default=200, help="questions in each generated section")
    parser.add_argument(
        "--only", default="", help="sections of use that begin so: lines, statements, judge, reading ..."
    )
    parser.add_argument("--device", default="cpu", help="the figures that are published are those of the CPU")
    args = parser.parse_args()
    examine(args.model, args.n, args.only, args.device)
