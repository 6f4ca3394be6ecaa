"""A memory is about the name that people leave out."""

from lorekeep.routing.home import handbook_of, organisation_of

WORKSHOP = [
    ("Spokewright Workshop", "Who owns Spokewright Workshop?"),
    ("Spokewright Workshop", "What is the address of Spokewright Workshop?"),
    ("Spokewright Workshop", "When is Spokewright Workshop open?"),
    ("Larkspin", "How long does a Larkspin chain last?"),
    ("Lloyd Pinnock", "Where does Lloyd Pinnock come from?"),
]
NAMELESS = [("", f"What does repair {number} cost?") for number in range(6)]


def test_an_organisation_has_relations_that_only_one_has():
    firm = [
        ("Zorbax", "Who founded Zorbax?"),
        ("Zorbax", "Who is the CEO of Zorbax?"),
        ("Ada", "Ada's e-mail?"),
    ]
    assert organisation_of(firm) == "Zorbax"


def test_a_handbook_is_about_what_has_most_relations():
    assert handbook_of([*WORKSHOP, *NAMELESS]) == "Spokewright Workshop"


def test_a_few_facts_are_about_what_most_of_them_name():
    assert handbook_of(WORKSHOP) == "Spokewright Workshop"
    assert handbook_of([("Ada", "Ada's shoe size?"), ("Ada", "Ada's hat?"), ("Ben", "Who is Ben?")]) == ""


def test_names_with_facts_of_their_own_share_no_handbook():
    others = [(name.replace("Spokewright", "Quenby"), text) for name, text in WORKSHOP[:3]]
    assert handbook_of([*WORKSHOP, *others, *NAMELESS, *NAMELESS]) == ""
    assert handbook_of([*WORKSHOP, *others]) == ""
    assert handbook_of([*WORKSHOP[:3], *others]) == ""


def test_a_part_of_something_is_not_what_a_handbook_is_about():
    of_branch = [
        ("Old Market branch", text.replace("Spokewright Workshop", "the branch")) for _, text in WORKSHOP[:3]
    ]
    assert handbook_of([*of_branch, *NAMELESS]) == ""
    assert handbook_of(of_branch) == ""
    assert handbook_of([]) == ""
