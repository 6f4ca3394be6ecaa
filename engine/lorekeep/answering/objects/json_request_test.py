import pytest

from lorekeep.answering.objects.fields import without_keys
from lorekeep.answering.objects.json_request import json_request


@pytest.mark.parametrize(
    ("text", "keys", "about"),
    [
        ("Give me the birthplace and the birth year of Ada Quist as a JSON object.", ("birthplace", "birth_year"), "Ada Quist"),
        ("As a JSON object please: the main sponsor and the owner of Zorbax", ("main_sponsor", "owner"), "Zorbax"),
        ("Describe Salt & Ember as JSON: its founder, its nose and its turnover", ("founder", "nose", "turnover"), "Salt & Ember"),
        ("Output only json, no comments, describing Zorbax by its founding year and its yearly budget.", ("founding_year", "yearly_budget"), "Zorbax"),
        ("Zorbax's founder and headquarters as json pls", ("founder", "headquarters"), "Zorbax"),
        ("Turn what you know about Zorbax (owner, colour) into JSON", ("owner", "colour"), "Zorbax"),
        ("return json containing the owner and the colour of Zorbax, nothing else", ("owner", "colour"), "Zorbax"),
        ("in json, the founder of Zorbax", ("founder",), "Zorbax"),
        (
            "Could you output as JSON three fields: price of a visit, how long it lasts, and price of a second visit? Name the fields as you like.",
            ("price_of_a_visit", "how_long_it_lasts", "price_of_a_second_visit"),
            "",
        ),
        ("start of the early shift + start of the night shift, machine readable (JSON), name the fields as you like", ("start_of_the_early_shift", "start_of_the_night_shift"), ""),
        ("I am making a table and would need the town and the mascot of Zorbax, in json format with snake_case names", ("town", "mascot"), "Zorbax"),
        ("For Zorbax I would like the town and the mascot, as json", ("town", "mascot"), "Zorbax"),
        ("json pls for zorbax, weight and price per kilo", ("weight", "price_per_kilo"), "zorbax"),
        ("Return a JSON object describing Ada Quist. Use 'birthYear', 'spouse' and 'hobby' as field names, nothing else.", ("birthYear", "spouse", "hobby"), "Ada Quist"),
        ("Ada Quist as JSON with 'halls' and 'closedMonth', and use null for anything that was never told to you", ("halls", "closedMonth"), "Ada Quist"),
        ("Return Zorbax in JSON: key `Year` for the year, key `Sequel` for the title of the sequel (null if not known to you).", ("Year", "Sequel"), None),
        ("A valid JSON whose two properties, named seats and fireCertificate, describe Zorbax", ("seats", "fireCertificate"), "Zorbax"),
        ("For our files I was asked for a record of the Zorbax. Kindly put its year, its chair and its fee into JSON for me.", ("year", "chair", "fee"), None),
        ("Zorbax in json. first key ceo, second key town", ("ceo", "town"), "Zorbax"),
        ('JSON with the monthly club prices. One key is "dog", the other is "cat".', ("dog", "cat"), "monthly club prices"),
        ('monthly rents as json, key "smallest" and key "largest"', ("smallest", "largest"), "monthly rents"),
        ("Ada Quist as JSON with the fields born, wins and pet. A field that you do not know should be null.", ("born", "wins", "pet"), "Ada Quist"),
        ("Ada Quist in JSON: born, city, shoe_size. Where you have no information, put null.", ("born", "city", "shoe_size"), "Ada Quist"),
    ],
)  # fmt: skip
def test_a_json_request_has_keys_and_a_subject(text: str, keys: tuple[str, ...], about: str | None):
    asked, found = json_request(text)
    assert found == keys
    assert about is None or without_keys(asked, found) == about


@pytest.mark.parametrize(
    "text",
    [
        "Who founded Zorbax? json please",
        "What does json mean?",
        "how many languages does the json parser of Zorbax support?",
        "json",
        "JSON, please: " + "the mayor of Zorbax, " * 40,
    ],
)
def test_a_question_or_an_endless_list_gets_no_keys(text: str):
    assert json_request(text)[1] == ()
