"""Sizes of the named files: functions with their lines, and the number of comment and docstring lines over 140
columns, as JSON."""

import ast
import io
import json
import sys
import tokenize
from pathlib import Path

MAX_COLUMNS = 140


def functions(tree: ast.AST) -> list[dict]:
    return [
        {"name": node.name, "lines": (node.end_lineno or node.lineno) - node.lineno + 1}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def prose_lines(text: str, tree: ast.AST) -> set[int]:
    """The lines that hold a comment or a docstring."""
    found = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                found |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def main() -> None:
    found = {}
    for file in sys.argv[1:]:
        text = Path(file).read_text("utf-8")
        tree = ast.parse(text)
        lines = text.splitlines()
        wide = sum(len(lines[number - 1]) > MAX_COLUMNS for number in prose_lines(text, tree))
        found[file] = {"functions": functions(tree), "wide": wide}
    json.dump(found, sys.stdout)


main()
