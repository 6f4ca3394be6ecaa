import pytest

from lorekeep.answering.objects import code_keys, described_keys
from lorekeep.answering.objects.json_keys import are_named

PYTHON = """class Mill(TypedDict):
    costs: str   # per year
    site: str = Field(description="where it stands")
    tel: str | None

What would json.dumps() print for the Zorbax Mill?"""


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (PYTHON, ("costs", "site", "tel")),
        ('type Firm struct {\n\tSite string `json:"site"`\n\tMail string `json:"mail,omitempty"`\n}\njson for Zorbax', ("site", "mail")),
        ("record Firm(String runBy, String fax) {}\nZorbax as JSON for this", ("runBy", "fax")),
        ("data class Firm(val runBy: String, val fax: String?)\nZorbax as JSON", ("runBy", "fax")),
        ("public class Firm { private String site; private int staff; } JSON of Zorbax please", ("site", "staff")),
        ("```js\nconst firm = JSON.parse(reply);\nconsole.log(firm.site, firm.staff);\n```\nWhat is the reply for Zorbax?", ("site", "staff")),
        ('my script does d = json.loads(x) and reads d["site"] and d["staff"] for Zorbax', ("site", "staff")),
        ("I pipe it into `jq '.site, .staff'`, so JSON only. About Zorbax.", ("site", "staff")),
        ("GET /firms/Zorbax%20Works?fields=site,staff - the JSON body please", ("site", "staff")),
        ("SELECT json_object('site', site, 'staff', staff) FROM firms WHERE name = 'Zorbax';", ("site", "staff")),
    ],
)  # fmt: skip
def test_keys_are_read_from_code(text: str, keys: tuple[str, ...]):
    request = code_keys.read(text)
    assert request is not None
    assert request.keys == keys
    assert "Zorbax" in request.asked
    assert are_named(keys, text)


def test_a_comment_on_a_field_is_the_note_of_its_key():
    request = code_keys.read(PYTHON)
    assert request is not None
    assert described_keys.note_of("costs", request.asked) == "per year"
    assert described_keys.note_of("site", request.asked) == "where it stands"


@pytest.mark.parametrize(
    "text",
    [
        "Write to office@zorbax.example, or see zorbax.example for the json.",
        "Which class is taught by Ada Quist?",
        "Can I select the seats from the plan?",
        "class " * 80,
        "`" * 500,
        "d[" * 250,
    ],
)
def test_other_messages_have_no_keys_in_code(text: str):
    assert code_keys.read(text) is None
