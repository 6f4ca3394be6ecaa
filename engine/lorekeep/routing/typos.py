"""Typos: swapped, missing or doubled letters. A substituted letter does not count, since it may make another
name."""


def deletions(word: str) -> set[str]:
    """The word and all its forms without one letter. Two words that are one typo apart share one of these."""
    return {word} | {word[:i] + word[i + 1 :] for i in range(len(word))}


def may_be_typo(word: str) -> bool:
    return len(word) >= 5 and word.isalpha()


def is_typo(right: str, wrote: str) -> bool:
    """Whether `wrote` is `right` with one typo."""
    if right == wrote or abs(len(right) - len(wrote)) > 1:
        return False
    i = 0
    while i < min(len(right), len(wrote)) and right[i] == wrote[i]:
        i += 1
    if len(right) == len(wrote):
        return right[i : i + 2] == wrote[i : i + 2][::-1] and right[i + 2 :] == wrote[i + 2 :]
    if len(wrote) < len(right):
        return right[i + 1 :] == wrote[i:]
    return right[i:] == wrote[i + 1 :] and i > 0 and wrote[i] == wrote[i - 1]
