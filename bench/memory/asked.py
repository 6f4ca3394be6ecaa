"""Questions of both fits: a question again, in nearly the same words and in another way; and the facts that are left
out."""

import random

LEFT_OUT = 7


def politely(question: str, choose: random.Random) -> str:
    """In nearly the same words."""
    low = question if question.startswith("I ") else question[0].lower() + question[1:]
    bare = " ".join(word for word in question.split() if word.lower() not in ("the", "a", "an"))
    return choose.choice([
        f"Hi, {low}", f"Please tell me: {low}", f"{question} Thanks!", f"Hello! {question}", f"I have a question: {low}", bare,
        question.replace(" for ", " on ").replace(" in ", " at ").replace("?", ", please?"),
        question.replace(" the ", " our ").replace(" my ", " the ").replace(" I ", " we "),
        question.replace(" a ", " the ").replace(" an ", " any "),
    ])  # fmt: skip


_TURNS = (
    ("How do I ", "What do I do to "), ("How long is ", "What is "), ("How long ", "For what time "), ("How much is ", "What is the price of "),
    ("How much does ", "What is the price if "), ("What does ", "How much is it that "), ("What is the price of ", "How much is "),
    ("What is ", "How long or large is "), ("When is ", "At what time is "), ("When ", "On which day "), ("Where is ", "In which place is "),
    ("Where ", "At which place "), ("Who ", "Which person "), ("May I ", "Am I allowed to "), ("Can I ", "Is it possible to "),
    ("May ", "Are they allowed: "), ("Do you ", "Is it so that you "), ("Is ", "Tell me whether it is so: is "), ("How many ", "What number of "),
    ("How often ", "At what intervals "), ("Which ", "What "), ("What ", "Which "), ("How ", "In what way "),
)  # fmt: skip


def turned(question: str) -> str:
    """Asked for in another way, of the same thing."""
    begun = next(((old, new) for old, new in _TURNS if question.startswith(old)), ("", "Say, "))
    return (begun[1] + question.removeprefix(begun[0])).replace(" for ", " on ")


def left_out(facts: list[dict]) -> set[str]:
    """Every so manieth topic."""
    return set(sorted({fact["topic"] for fact in facts})[::LEFT_OUT])
