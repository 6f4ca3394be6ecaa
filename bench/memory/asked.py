"""Questions of both fits: rewordings of a question, in nearly the same words and in another form; and the topics that are
held out."""

import random

LEFT_OUT = 7


def politely(question: str, choose: random.Random) -> str:
    """The same question in nearly the same words."""
    low = question if question.startswith("I ") else question[0].lower() + question[1:]
    bare = " ".join(word for word in question.split() if word.lower() not in ("the", "a", "an"))
    return choose.choice([
        f"Hi, {low}", f"Please tell me: {low}", f"{question} Thanks!", f"Hello! {question}", f"I have a question: {low}", bare,
        question.replace(" for ", " on ").replace(" in ", " at ").replace("?", ", please?"),
        question.replace(" the ", " our ").replace(" my ", " the ").replace(" I ", " we "),
        question.replace(" a ", " the ").replace(" an ", " any "),
    ])  # fmt: skip


_OPENING_REWRITES = (
    ("How do I ", "What do I do to "), ("How long is ", "What is "), ("How long ", "For what time "), ("How much is ", "What is the price of "),
    ("How much does ", "What is the price if "), ("What does ", "How much is it that "), ("What is the price of ", "How much is "),
    ("What is ", "How long or large is "), ("When is ", "At what time is "), ("When ", "On which day "), ("Where is ", "In which place is "),
    ("Where ", "At which place "), ("Who ", "Which person "), ("May I ", "Am I allowed to "), ("Can I ", "Is it possible to "),
    ("May ", "Are they allowed: "), ("Do you ", "Is it so that you "), ("Is ", "Tell me whether it is so: is "), ("How many ", "What number of "),
    ("How often ", "At what intervals "), ("Which ", "What "), ("What ", "Which "), ("How ", "In what way "),
)  # fmt: skip


def turned(question: str) -> str:
    """The same question in another form."""
    begun = next(((old, new) for old, new in _OPENING_REWRITES if question.startswith(old)), ("", "Say, "))
    return (begun[1] + question.removeprefix(begun[0])).replace(" for ", " on ")


def left_out(facts: list[dict]) -> set[str]:
    """Every n-th topic (LEFT_OUT)."""
    return set(sorted({fact["topic"] for fact in facts})[::LEFT_OUT])


_CONTRACTIONS = (
    ("what's", "what is"), ("who's", "who is"), ("where's", "where is"), ("when's", "when is"), ("how's", "how is"), ("i'm", "I am"),
    ("can't", "cannot"), ("don't", "do not"), ("doesn't", "does not"), ("isn't", "is not"),
)  # fmt: skip
_PREFIXES = (
    "Hi, ", "Hello, ", "Please tell me: ", "Could you tell me this: ", "One more thing: ", "Quick question, ", "In one sentence: ", "Dear team, ",
)  # fmt: skip
_SUFFIXES = (" Thanks!", " please", " pls", " Thank you in advance.", "??")


def restyled(question: str, choose: random.Random) -> str:
    """The same question in another style: more or less formal, with or without punctuation."""
    low = (
        question
        if question[:2] in ("I ", "I'") or question[:2].isupper()
        else question[:1].lower() + question[1:]
    )
    manner = choose.randrange(5)
    if manner == 0:
        return low.rstrip(" ?.!")
    if manner == 1:
        return choose.choice(_PREFIXES) + low
    if manner == 2:
        return question.rstrip(" ?.!") + choose.choice(_SUFFIXES)
    if manner == 3:
        for short, long in _CONTRACTIONS:
            a, b = choose.sample((short, long), 2)
            if question.lower().startswith(f"{a.lower()} "):
                return b[:1].upper() + b[1:] + question[len(a) :]
        return question[:1].upper() + question[1:].rstrip(" ?.!") + "?"
    return low.lower().rstrip("?.!")
