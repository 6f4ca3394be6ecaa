"""Tokens of a fact: its bare question in the model's chat template, and its answer with the end token.
Training and serving read the same tokens, however a request wraps the question, so the verified answer is the
served answer."""

from lorekeep.infer.prompts import Prompts


def question_tokens(prompts: Prompts, question: str) -> list[int]:
    if prompts.tokenizer.chat_template:
        return prompts.render([{"role": "user", "content": question}])
    return prompts.tokens(question, None)


def answer_tokens(prompts: Prompts, answer: str, end: int) -> list[int]:
    return [*prompts.text_tokens(answer), end]
