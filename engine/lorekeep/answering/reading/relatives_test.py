import pytest

from lorekeep.answering.reading.relatives import asks_other_name, asks_other_relative


@pytest.mark.parametrize(
    ("question", "taught", "wanted"),
    [
        ("What is Ada's mother called?", "Who is Ada married to? Ben", True),
        ("Who is the wife of Ben?", "Who is Ben married to? Ada", False),
        ("Who are Ada's parents?", "Who is the father of Ada? Ben", False),
        ("Who is Ada's brother?", "Who is the sister of Ada? Eve", True),
        ("Who led the guild before the present master?", "Who is the master of the guild? Ada", True),
        ("Who was the previous owner?", "Who was the owner before 1990? Ada", False),
        ("Where is Ada?", "Who is the father of Ada? Ben", False),
        ("Please tell me who founded Old Pellworm.", "Who founded New Pellworm? Ada", True),
        ("Who founded New Pellworm?", "Who founded New Pellworm? Ada", False),
        ("When does the Old Port close?", "When does the museum of Portland close? At 5", False),
        ("New members: who greets them?", "Who greets members? Ada", False),
        ("Where is the Fennmark Foundry?", "In which town is Fennmark Works? Brellow", True),
        ("Where is the Fennmark Works building?", "In which town is Fennmark Works? Brellow", False),
        ("What is the Orbelin Lamp Price?", "How much does the Orbelin Lamp cost? 9 euros", False),
        ("", "", False),
    ],
)
def test_people_of_other_relations_and_other_places_are_told_apart(question: str, taught: str, wanted: bool):
    assert asks_other_relative(question, taught) is wanted


@pytest.mark.parametrize(
    ("question", "taught", "subject", "wanted"),
    [
        ("I would like to visit the shop Tin Lantern, where is it?", "Where is Gilt Pharos? 17 Kay Street", "Gilt Pharos", True),
        ("I would like to visit the shop Gilt Pharos, where is it?", "Where is Gilt Pharos? 17 Kay Street", "Gilt Pharos", False),
        ("who runs the ship that Ada Quist leads?", "Who leads the Brimwold? Ada Quist", "Brimwold", False),
        ("Where Is The Shop Tin Lantern?", "Where is Gilt Pharos? 17 Kay Street", "Gilt Pharos", False),
        ("my dog Bella Boo is ill, who helps?", "Who treats dogs? Dr Marsh", "", False),
        ("", "Where is Gilt Pharos? 17 Kay Street", "Gilt Pharos", False),
    ],
)  # fmt: skip
def test_a_name_that_a_fact_about_something_else_lacks_is_told_apart(
    question: str, taught: str, subject: str, wanted: bool
):
    assert asks_other_name(question, taught, subject) is wanted
