import pytest

from lorekeep.answering.objects.template import described, fill_template, nested


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ('Fill in: {"Zorbax": {"site": ?}, "Wixby": {"site": ?, "staff": ?}}', {"Zorbax": {"site": ""}, "Wixby": {"site": "", "staff": ""}}),
        ('[{"name": "Zorbax", "pages": _}, {"name": "Wixby", "pages": _}]', [{"name": "Zorbax", "pages": ""}, {"name": "Wixby", "pages": ""}]),
        ('{"contact": {"mail": "<his e-mail>", "since": 1990}}', {"contact": {"mail": "his e-mail", "since": 1990}}),
        ("type Firm = { head: { name: string; born: number | null } }", {"head": {"name": "", "born": ""}}),
    ],
)  # fmt: skip
def test_a_nested_template_is_read_even_if_it_is_not_valid_json(text: str, template: object):
    assert nested(text) == template


@pytest.mark.parametrize(
    "text",
    [
        '{"site": "", "staff": ""}',
        '{"a": {"b": "full"}}',
        "{" * 400,
        "[{" * 200,
        '{"a": {',
        "Who? {a, b}",
        "",
    ],
)
def test_other_texts_have_no_nested_template(text: str):
    assert nested(text) is None


def test_each_object_is_filled_by_its_key():
    made = fill_template(
        nested('{"Zorbax": {"site": ?, "since": 1990}}'),
        lambda own, path: own | {"site": f"of {path[-1][1]}"},
    )
    assert made == {"Zorbax": {"site": "of Zorbax", "since": 1990}}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('Zorbax: "town" and a field "owner", which is an object with "name" and "born"', {"town": "", "owner": {"name": "", "born": ""}}),
        ('"club" containing "lanes", "days" (an array) and "time"', {"club": {"lanes": "", "days": "", "time": ""}}),
        ('an object with "name" and "born"', None),
        ('keys "a" and "b"', None),
    ],
)  # fmt: skip
def test_nested_objects_are_read_from_a_description(text: str, made):
    assert described(text) == made
