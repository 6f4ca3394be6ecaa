"""How a fact is read and said: its question alone, in the model's own chat template, and its answer with the token that ends it. The same
tokens are read when a fact is taught and whenever it is asked for, however the request wraps it: what was verified is what is served."""

from lorekeep.prompts import Prompts


def question_tokens(prompts: Prompts, question: str) -> list[int]:
    if prompts.tokenizer.chat_template:
        return prompts.render([{"role": "user", "content": question}])
    return prompts.tokens(question, None)


def answer_tokens(prompts: Prompts, answer: str, end: int) -> list[int]:
    return [*prompts.letters(answer), end]
