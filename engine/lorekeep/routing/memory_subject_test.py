"""The main subject of a memory, whose name people leave out."""

from lorekeep.routing.memory_subject import handbook_of, organisation_of

WORKSHOP = [
    ("Spokewright Workshop", "Who owns Spokewright Workshop?"),
    ("Spokewright Workshop", "What is the address of Spokewright Workshop?"),
    ("Spokewright Workshop", "When is Spokewright Workshop open?"),
    ("Larkspin", "How long does a Larkspin chain last?"),
    ("Lloyd Pinnock", "Where does Lloyd Pinnock come from?"),
]
NAMELESS = [("", f"What does repair {number} cost?") for number in range(6)]


def test_an_organisation_is_recognised_by_relations_that_only_organisations_have():
    firm = [
        ("Zorbax", "Who founded Zorbax?"),
        ("Zorbax", "Who is the CEO of Zorbax?"),
        ("Ada", "Ada's e-mail?"),
    ]
    assert organisation_of(firm) == "Zorbax"


def test_the_subject_of_a_handbook_has_most_relations():
    assert handbook_of([*WORKSHOP, *NAMELESS]) == "Spokewright Workshop"


def test_the_only_name_of_a_handbook_needs_a_single_relation():
    inn = [
        ("Quillow Inn", "What does a room at the Quillow Inn cost?"),
        ("Quillow Inn", "Who runs the Quillow Inn?"),
        ("Quillow Inn", "How many beds does the Quillow Inn have?"),
        ("Wi-Fi", "What is the Wi-Fi password?"),
    ]
    assert handbook_of([*inn, *NAMELESS]) == "Quillow Inn"
    assert handbook_of([*inn, ("Wixby", "Who runs the Wixby?"), *NAMELESS]) == ""


def test_a_few_facts_are_about_the_name_that_most_of_them_contain():
    assert handbook_of(WORKSHOP) == "Spokewright Workshop"
    assert handbook_of([("Ada", "Ada's shoe size?"), ("Ada", "Ada's hat?"), ("Ben", "Who is Ben?")]) == ""


def test_a_handbook_with_facts_about_several_names_has_no_main_subject():
    others = [(name.replace("Spokewright", "Quenby"), text) for name, text in WORKSHOP[:3]]
    assert handbook_of([*WORKSHOP, *others, *NAMELESS, *NAMELESS]) == ""
    assert handbook_of([*WORKSHOP, *others]) == ""
    assert handbook_of([*WORKSHOP[:3], *others]) == ""


def test_a_part_of_an_organisation_is_not_the_subject_of_a_handbook():
    of_branch = [
        ("Old Market branch", text.replace("Spokewright Workshop", "the branch")) for _, text in WORKSHOP[:3]
    ]
    assert handbook_of([*of_branch, *NAMELESS]) == ""
    assert handbook_of(of_branch) == ""
    assert handbook_of([]) == ""
