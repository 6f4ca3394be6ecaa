"""Keys of an object from the code in a message: the fields of a class, a struct or a record, the members that a program accesses, the
fields of a query."""

import re
from dataclasses import dataclass

from lorekeep.routing.words import any_case

_WORD = r"[A-Za-z_]\w*"
# A Python class, and its fields with their comments: "site: str  # where it stands".
_PYTHON_CLASS = re.compile(rf"^[ \t]*class\s+({_WORD})[^\n]*:[ \t]*$", re.MULTILINE)
_PYTHON_FIELD = re.compile(
    rf"""^[ \t]+({_WORD})[ \t]*:[ \t]*[\w.\[\], |"']+(?:=[^\n#]*)?(?:\#[ \t]*([^\n]+))?$""", re.MULTILINE
)
_DESCRIPTION = re.compile(r"""\bdescription\s*=\s*["']([^"'\n]+)["']""")
# A field of a Go struct: Site string `json:"site"`.
_GO_TAG = re.compile(r"""`[^`\n]*\bjson:"(\w+)[^`\n]*`""")
# A Java record or a Kotlin data class: "record Press(String runBy, String fax)", "data class Press(val runBy: String)".
_RECORD = re.compile(rf"\b(?:record|data class|case class)\s+({_WORD})\s*\(([^()]*)\)")
_COMPONENT = re.compile(rf"(?:(?:val|var)\s+({_WORD})\s*:|[\w<>?\[\]]+\s+({_WORD})$|^({_WORD})\s*:)")
# A Java field or a C# property: "private String site;", "public string Site { get; set; }".
_MEMBER = re.compile(
    rf"\b(?:private|public|protected|pub)\s+(?:final\s+)?[\w<>?\[\]]+\s+({_WORD})\s*(?:;|\{{\s*get\b)"
)
_RUST_MEMBER = re.compile(rf"\bpub\s+({_WORD})\s*:")
# Accesses of a program to an object: "d['site']", "party.dates", a path of jq.
_PARSES = any_case(
    r"\bjson\.(?:loads?|parse|decode)\b|\bjson_decode\b|\bjq\b|\.json\(\)|\bunmarshal\b|\bdeseriali[sz]e"
)
_SUBSCRIPT = re.compile(rf"""\b{_WORD}(?:\[["']({_WORD})["']\]|\.get\(["']({_WORD})["'])""")
_ATTRIBUTE = re.compile(rf"(?<![\w.@/-])({_WORD})\??\.({_WORD})(?![\w(@-]|\.\w)")
_JQ_PATH = re.compile(rf"""\bjq\b(?:\s+-\w+)*\s+['"]?((?:\.{_WORD}[\s,|]*)+)""")
# The fields of a query.
_QUERY = re.compile(r"[?&](?:fields|select|columns|include|only)=([\w,.%-]+)")
_SQL_OBJECT = any_case(r"\bjson_?(?:b_)?(?:build_)?object\s*\(([^()]*)\)")
_SQL_SELECT = re.compile(rf"\bSELECT\s+({_WORD}(?:\s*,\s*{_WORD})*)\s+FROM\b", re.IGNORECASE)
_NOT_AN_OBJECT = frozenset(
    ["json", "console", "self", "this", "np", "pd", "e", "i", "www", "typing", "response", "res"]
)

_FENCED = re.compile(r"```[^\n`]*\n?(.*?)(?:```|$)", re.DOTALL)
_CODE_LINE = re.compile(
    r"^\s*(?:class|def|const|let|var|return|print|data class|record|struct|type|public|private|pub|func|fn|SELECT|curl)\b(?=.*[(){}=;]).*$"
    r"|^\s*(?:from \w+ import\b|import [\w.]+;?$|@\w|\$ |>>>|//|#).*$|^(?:[ ]{2,}|\t)\S.*$|^.*[{};]\s*$",
    re.MULTILINE,
)
_TYPE = re.compile(
    r"(?:\b(?:public|private|export|data|case) )*\b(?:class|interface|record|struct)\s+\w+[^\n{(:]*(?:\([^()]*\)\s*(?:\{\s*\})?|\{[^{}]*\})[ \t]*"
)
# A URL with a query, and other code within prose.
_ADDRESS = re.compile(r"\S*[?&]\w+=\S*")
_IN_PROSE = re.compile(r"\S*[?&]\w+=\S*|`[^`\n]*`|\bjson\.\w+(?:\(\))?|\b[A-Z]{3,}\b(?= /)")
_QUOTED = re.compile(r"""(["'])([A-Z][^"'\n]*?)\1""")
_NAME_PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_|%20|\+|-")
# Words at the start of a sentence that are not names.
_LEADING_WORDS = any_case(
    r"(?:^|(?<=[.?!]\s)|(?<=\n))\s*(?:serialize|serialise|marshal|encode|dump|assume|values?|print|fill|return|write|produce|expected|show|give(?: me)?|what|jackson|gson|pydantic|please)\b"
)
_KEYWORDS = frozenset(["basemodel", "typeddict", "dataclass", "string", "field"])
_MAX_KEYS = 24


@dataclass(frozen=True)
class CodeRequest:
    keys: tuple[str, ...]
    asked: str  # the message with its keys in words


def read(text: str) -> CodeRequest | None:
    """The keys in the code of a message, and the message without the code. None without such keys."""
    for find in (_fields, _tags, _components, _members, _accessed, _selected):
        notes = find(text)
        if notes:
            keys = tuple(notes)[:_MAX_KEYS]
            listed = ", ".join(f"{key} ({notes[key]})" if notes[key] else key for key in keys)
            return CodeRequest(keys, f"JSON with the keys {listed} for {_prose_and_names(text, keys)}")
    return None


def _fields(text: str) -> dict[str, str]:
    """The fields of the last Python class."""
    found = list(_PYTHON_CLASS.finditer(text))
    if not found:
        return {}
    fields: dict[str, str] = {}
    for line in text[found[-1].end() + 1 :].split("\n"):
        if (field := _PYTHON_FIELD.match(line)) is None:
            if line.strip() and not line.startswith((" ", "\t")):
                break
            continue
        described = _DESCRIPTION.search(line)
        fields[field[1]] = (described[1] if described else field[2] or "").strip()
    return fields


def _tags(text: str) -> dict[str, str]:
    return dict.fromkeys(_GO_TAG.findall(text), "")


def _components(text: str) -> dict[str, str]:
    record = _RECORD.search(text)
    parts = record[2].split(",") if record else []
    found = [_COMPONENT.search(part.strip()) for part in parts]
    return {one[1] or one[2] or one[3]: "" for one in found if one}


def _members(text: str) -> dict[str, str]:
    return dict.fromkeys([*_MEMBER.findall(text), *_RUST_MEMBER.findall(text)], "")


def _accessed(text: str) -> dict[str, str]:
    """The members that a program accesses in the JSON that it parses."""
    if not _PARSES.search(text):
        return {}
    if path := _JQ_PATH.search(text):
        return dict.fromkeys(re.findall(_WORD, path[1]), "")
    if items := _SUBSCRIPT.findall(text):
        return {one or other: "" for one, other in items}
    of: dict[str, dict[str, str]] = {}
    for name, attribute in _ATTRIBUTE.findall(text):
        if name.lower() not in _NOT_AN_OBJECT:
            of.setdefault(name, {})[attribute] = ""
    return max(of.values(), key=len, default={})


def _selected(text: str) -> dict[str, str]:
    if query := _QUERY.search(text):
        return dict.fromkeys([one for one in query[1].split(",") if one], "")
    if made := _SQL_OBJECT.search(text):
        return dict.fromkeys(re.findall(rf"""["']({_WORD})["']\s*,""", made[1]), "")
    selected = _SQL_SELECT.search(text)
    return dict.fromkeys(re.findall(_WORD, selected[1]), "") if selected else {}


def _prose_and_names(text: str, keys: tuple[str, ...]) -> str:
    """The prose of a message outside its code, followed by the names in the code."""
    prose = _CODE_LINE.sub(" ", _TYPE.sub("", _FENCED.sub(" ", text)))
    for pattern in (_GO_TAG, _SUBSCRIPT, _JQ_PATH, _RECORD, _SQL_OBJECT, _IN_PROSE):
        prose = pattern.sub(" ", prose)
    code = [*_FENCED.findall(text), *(one[0] for one in _CODE_LINE.finditer(text)), *_ADDRESS.findall(text)]
    names = _names_in("\n".join(code) if prose.strip() else text, keys)
    return " ".join(" ".join([_LEADING_WORDS.sub("", prose), *names]).split())


def _names_in(code: str, keys: tuple[str, ...]) -> list[str]:
    """The names in code: in quotes, and the parts of joined words: "wenna_drosk", "LunettePrize"."""
    own = {key.lower() for key in keys}
    names = [said for _, said in _QUOTED.findall(code) if said.lower() not in own]
    for word in re.findall(r"[A-Za-z][\w%+-]*", code):
        parts = [part for part in _NAME_PART.split(word) if part]
        if len(parts) > 1 and word.lower() not in own | _KEYWORDS:
            names.append(" ".join(part[0].upper() + part[1:] for part in parts))
    return list(dict.fromkeys(names))
