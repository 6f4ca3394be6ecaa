"""Invented handbooks: facts, and questions of strangers about them: of yes or no, reworded ones, two in one, near misses, and of some
also requests for JSON. Each is a file of handbooks/; quill/text/organisations.py says how it is read."""

from pathlib import Path

from quill.text.organisations import Organisation, is_exam_trade, parse

_FOLDER = Path(__file__).parent / "handbooks"


def handbooks(exam: bool) -> list[Organisation]:
    """Those to fit with, or the tenth of them by which fits are judged."""
    paths = sorted(_FOLDER.glob("*.txt"))
    return [parse(path.read_text("utf-8"), path.stem) for path in paths if is_exam_trade(path.stem) == exam]
