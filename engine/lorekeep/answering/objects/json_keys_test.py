import pytest

from lorekeep.answering.objects.described_keys import definitions, note_of
from lorekeep.answering.objects.json_keys import given_values, keys_in
from lorekeep.answering.reading import request


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"vantor_hourly": "", "lumena_hourly": ""}', ("vantor_hourly", "lumena_hourly")),
        ("booking cfg => { systemName, maxDaysAhead }   as JSON", ("systemName", "maxDaysAhead")),
        ("sintering in the oven -> {prog: , temp_c: , hours: }", ("prog", "temp_c", "hours")),
        ("interface Walk { guide: string; durationMin: number }", ("guide", "durationMin")),
        (
            'Follow {"type":"object","properties":{"napStart":{"type":"string"},"napEnd":{"type":"string"}}}',
            ("napStart", "napEnd"),
        ),
        ("Give me json with founded_year, founded_by and ceo", ("founded_year", "founded_by", "ceo")),
        ("orbis 400 as json: room, contact, eur_per_h", ("room", "contact", "eur_per_h")),
        ("box office json. who_runs_it, phone, closes_on_saturday", ("who_runs_it", "phone", "closes_on_saturday")),
        ("stockroom hrs json opens_at closes_at", ("opens_at", "closes_at")),
        ("family concerts -> json (price_child, price_adult)", ("price_child", "price_adult")),
        ("JSON with places (int), row_number (int), please", ("places", "row_number")),
        ("I need an object with who_to_call (the head cook), ext and best_time, nothing around it.", ("who_to_call", "ext", "best_time")),
        ("Return an object with dinnerCapacity and hirePerDay, no prose.", ("dinnerCapacity", "hirePerDay")),
        ("Zorbax as JSON with keys name, weight_kg and warranty.", ("name", "weight_kg", "warranty")),
        ("JSON with keys fire, drunk_guest, intruder holding the code words.", ("fire", "drunk_guest", "intruder")),
        ("as json: the price of the Slowhand and the Goldfeather, one key each", ()),
        ("JSON, one key per firm: Zorbax and Wixby", ("Zorbax", "Wixby")),
        ("laundry as json: opens, closes, price", ("opens", "closes", "price")),
        ("need json w/ maxUpload + formats (array of strings)", ("maxUpload", "formats")),
        ("A JSON object containing mount and masterpiece, for Ada Quist.", ("mount", "masterpiece")),
        ("Describe the Zorbax in JSON (captain, year, shipyard).", ("captain", "year", "shipyard")),
        ('{"academy": "?", "hobby": "..."} <- complete this for Ben Oru', ("academy", "hobby")),
        ("Zorbax; output format JSON; keys = [length, topic]", ("length", "topic")),
        ("Zorbax -> {wingspan, pilotName}", ("wingspan", "pilotName")),
        ("the wixby: {maker, price}", ("maker", "price")),
        ("Zorbax in machine-readable form: keys mass and maker", ("mass", "maker")),
        ("All of Zorbax in one object, keys: mass, maker, town", ("mass", "maker", "town")),
        ('{"type": "object", "required": ["mass", "maker"]} for the Zorbax', ("mass", "maker")),
        ("For our database: Ben Oru, fields doctorate / birthplace, format JSON.", ("doctorate", "birthplace")),
        ("Our importer takes JSON only. For Zorbax please send ceo, hq and employees.", ("ceo", "hq", "employees")),
        ("I want JSON with a = weight of the Zorbax and b = weight of the Wixby.", ("a", "b")),
        ("Return a JSON object about Zorbax Works with town, manager and workers.", ("town", "manager", "workers")),
        ("Could you put the closure into JSON for me? Use from and to as keys.", ("from", "to")),
        ("Could I have Zorbax as json, keys area, postcode, lighthouse?", ("area", "postcode", "lighthouse")),
        ("for ben oru make a json object that has dog_name and instrument in it", ("dog_name", "instrument")),
        ("Write the Zorbax's first_departure, ticket_price and captain as a JSON.", ("first_departure", "ticket_price", "captain")),
        ("As machine-readable JSON (keys: marketDay, mainTown, mayor), describe Zorbax.", ("marketDay", "mainTown", "mayor")),
        ("Hours of the centre in JSON format: weekdays, saturday, sunday as keys", ("weekdays", "saturday", "sunday")),
        ("I would like a JSON object about Zorbax Discs holding boss, foundedYear and city.", ("boss", "foundedYear", "city")),
        ("Ada Quist, give pet and day_job in json format", ("pet", "day_job")),
        ("Can you output the founder, logo and royaltyRate of Zorbax as a json?", ("founder", "logo", "royaltyRate")),
        ("json plz: zorbax, keys = year / sponsor / captain", ("year", "sponsor", "captain")),
        ("A JSON record on Ben Oru, with one key called birthplace and another one called last_job.", ("birthplace", "last_job")),
        ("json: manager, town, launched for Zorbax", ("manager", "town", "launched")),
        ("Provide, as JSON, what Zorbax sells (key: product) and who owns it (key: parent).", ("product", "parent")),
        ("JSON with date_change and ticket_transfer and the price of each.", ("date_change", "ticket_transfer")),
    ],
)  # fmt: skip
def test_keys_are_read_as_identifiers_and_as_words(text: str, keys: tuple[str, ...]):
    assert keys_in(text) == keys
    assert request.read(text, []).form == "json"


@pytest.mark.parametrize(
    "text",
    [
        "What does the object in room 4 weigh?",
        "Is the TrainLoop open on Sunday?",
        "Write to first_aid@zorbax.example, please.",
        "Which fields does the farm have?",
        "What does the key max_retries do?",
        "In which field is last_login?",
    ],
)
def test_other_messages_request_no_object(text: str):
    assert request.read(text, []).form != "json"


@pytest.mark.parametrize(
    "text", ["{" * 490, "{a" * 240, "json: " + "a and " * 80 + "!?", "json a_b" + ", c" * 160 + "?!"]
)
def test_a_long_text_causes_no_catastrophic_backtracking(text: str):
    # A pattern that matches in many ways would not terminate.
    assert len(keys_in(text)) <= 24


def test_meanings_of_keys_are_read_if_each_key_has_one():
    text = "JSON, fields a and b: a = guildmaster of the Tanners, b = the year the guild was chartered."
    assert definitions(text, ("a", "b")) == {
        "a": "guildmaster of the Tanners",
        "b": "year the guild was chartered",
    }
    text = "As JSON: what Zorbax sells (key: product) and who owns it (key: parent)."
    assert definitions(text, ("product", "parent")) == {
        "product": "what Zorbax sells",
        "parent": "who owns it",
    }
    assert definitions("JSON with a and b: a is the price.", ("a", "b")) == {}
    assert definitions("JSON. Keys: founded, people. Town: Zorbax", ("founded", "people")) == {}


@pytest.mark.parametrize(
    "text",
    [
        "May I upload report.{pdf,txt} files",
        "Is the stamp one of {red, green}?",
        "Is the badge machine-readable by the doorScanner?",
        "Which keys open the object in the hall?",
        "An object with handles is lost",
    ],
)
def test_other_messages_want_no_object(text: str):
    assert request.read(text, []).form != "json"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('Fill in: {"moon": "Crumb", "planet": ..., "km": null}', {"moon": "Crumb"}),
        ('{"planet": "", "moon": "Crumb"}', {"moon": "Crumb"}),
        ('{"planet": "", "moon": "string"}', {}),
        ('What is wrong with {"moon": "Crumb", "planet": "Tesk"}?', {}),
        ("planet and moon as JSON", {}),
    ],
)
def test_values_that_a_template_gives_are_kept(text: str, values: dict[str, str]):
    assert given_values(text) == values


def test_a_note_after_a_key_gives_its_meaning():
    assert note_of("since", "json with name, since for Ada (since = year she came)") == "year she came"
    assert note_of("born", "JSON: name, born (the year)") == "the year"
    assert note_of("born", "JSON: name, born") == ""
