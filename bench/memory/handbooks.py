"""Invented handbooks: facts, and questions about them by other writers: yes-or-no, reworded, two in one, near misses, and for some
also requests for JSON. Each is a file of handbooks/, in the format of quill/text/organisations.py."""

from pathlib import Path

from quill.text.organisations import Organisation, is_exam_trade, parse

_FOLDER = Path(__file__).parent / "handbooks"


def handbooks(exam: bool) -> list[Organisation]:
    """Handbooks to fit with, or the tenth of them by which fits are judged."""
    paths = sorted(_FOLDER.glob("*.txt"))
    return [parse(path.read_text("utf-8"), path.stem) for path in paths if is_exam_trade(path.stem) == exam]
