"""Router: the subject of a question, its relation, and questions that no fact may answer."""

import pytest

from lorekeep.routing import gate
from lorekeep.routing.embedders.likeness import FITTED
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.nearest import Nearest, adjusted
from lorekeep.routing.router import BUDGETS, Gate, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from lorekeep.routing.typos import is_typo
from lorekeep.testing import present

FACTS = [
    ("Who founded Zorbax?", "Ada Quist"),
    ("In which year was Zorbax founded?", "1911"),
    ("Who founded Zorbex?", "Cleo Marsh"),
    ("What is the price of the Gart 901?", "12 euros"),
    ("What is the price of the Gart 902?", "14 euros"),
    ("Who is the director of Nally Group?", "Smeem Kriel"),
    ("What is the refund period for annual plans?", "30 days"),
    ("What is the refund period for monthly plans?", "7 days"),
    ("Where can visitors park?", "Behind the north building"),
    ("Who is the mayor of Ülmwick?", "Jörg Øst"),
]


@pytest.fixture(scope="module")
def router() -> Router:
    embed, vocabulary = router_parts()
    entries = [Entry(*fact) for fact in FACTS]
    return Router(entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed)


def test_prefetched_questions_are_embedded_once_with_equal_results(router: Router, monkeypatch):
    questions = [
        "Until when can I get my money back on a yearly plan?", "Where do guests leave their car, to park it?", "Where can visitors park?",
        "Who was the founder of Zorbax?", "What rhymes?", "", "What period do the monthly plans have, if a refund is asked for?",
    ]  # fmt: skip
    alone = [router.route(question) for question in questions]
    router.embed.lately.clear()
    router.prefetch(questions)
    assert {text for _, text in router.embed.lately} == {questions[i] for i in (0, 1, 4, 6)}
    monkeypatch.setattr(router.embed.embedder, "read", None)  # nothing is computed any more
    for question, one in zip(questions, alone, strict=True):
        found = router.route(question)
        assert (found and (found.fact, found.way)) == (one and (one.fact, one.way))
        assert found is None or abs(found.likeness - present(one).likeness) < 1e-4


def routed(router: Router, question: str) -> int | None:
    found = router.route(question)
    return found.fact if found and found.passed else None


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Who founded Zorbax?", 0),
        ("who founded zorbax", 0),
        ("Who was the founder of Zorbax?", 0),
        ("When was Zorbax founded?", 1),
        ("Zorbax was founded in what year?", 1),
        ("By whom was Zorbex founded?", 2),
        ("How much does the Gart 902 cost?", 4),
        ("Who runs Nally Group?", 5),
        ("who is the director of nally group?", 5),
        ("Who founded Zobrax?", 0),
        ("Who is the mayor of Ülmwick", 9),
    ],
)
def test_reworded_questions_find_the_fact(router: Router, question: str, fact: int):
    assert routed(router, question) == fact


@pytest.mark.parametrize(
    "question",
    [
        "Who founded Zorbox?", "Who founded Zorbix?", "What is the price of the Gart 903?", "What is the price of the Gart 9021?",
        "Who is the director of Wally Group?", "Who is the director of Nally?  And of Brimoor?", "Hello!", "Write a haiku about rain.",
        "Who founded Rome?", "", "?", "🙂", "the " * 500, "1 2 3 4 5", "Where can I park my money?", "Who is the director of the Naly Group?",
    ],
)  # fmt: skip
def test_near_misses_and_unrelated_questions_find_nothing(router: Router, question: str):
    assert routed(router, question) is None


def test_a_rewording_scores_higher_than_another_relation_of_the_name(router: Router):
    same, other = (
        present(router.by_name(question)).likeness for question in ("Who set up Zorbax?", "Who owns Zorbax?")
    )
    assert same > other + 0.2


def test_thresholds_are_valid_only_with_the_weights_of_their_measurement():
    said = {
        "asks": dict.fromkeys(BUDGETS, 0.1),
        "meaning": dict.fromkeys(BUDGETS, 0.05),
        "measured": {"a": 1},
    }
    own = gate.stored_gate({**said, "weights": FITTED.weights})
    assert (own.asks["strict"], own.meaning["strict"], own.measured) == (0.1, 0.05, {"a": 1})
    for older in (said, {**said, "weights": "0123456789ab"}):
        found = gate.stored_gate(older)
        assert found.asks["strict"] > found.asks["balanced"] > found.asks["generous"] > 0.1
        assert found.meaning["strict"] > found.meaning["balanced"] > found.meaning["generous"] > 0.05


def test_a_partial_name_matches_only_for_the_same_relation():
    embed, vocabulary = router_parts()
    entries = [
        Entry("In which room does Sione Wid work?", "room 12"),
        Entry("Who is Sione Wid's manager?", "Ada Quist"),
    ]
    made = Router(entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed)
    assert routed(made, "Which room does Wid work in?") == 0
    assert routed(made, "Who is the manager of Wid?") == 1
    assert routed(made, "How many rooms does the Wid post-office have?") is None


def test_a_known_word_is_no_typo_of_a_partial_name():
    embed, vocabulary = router_parts()
    entries = [Entry("Which language does Trulan Brazild speak?", "Basque")]
    made = Router(entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed)
    assert routed(made, "What language is spoken in Brazil?") is None
    assert routed(made, "What language does Trulan Brazil speak?") == 0
    assert routed(made, "Which language does Braizld speak?") == 0


def test_a_common_word_is_a_name_only_if_capitalized():
    embed, vocabulary = router_parts()
    entries = [Entry("How does Tower get to work?", "by tram"), Entry("Who leads the Hey Group?", "Ada")]
    made = Router(entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed)
    assert made.by_name("How do people get to work in the tower?") is None
    assert made.by_name("Who leads the logistics group?") is None
    for question in (
        "How does Tower travel to work?",
        "how does tower travel to work",
        "Tower's way to work?",
    ):
        assert present(made.by_name(question)).fact == 0, question


def test_meaning_distinguishes_different_words_in_the_same_sentence(router: Router):
    assert present(router.by_meaning("How long is the refund period on annual plans?")).fact == 6
    assert present(router.by_meaning("How long is the refund period on monthly plans?")).fact == 7
    other = router.by_meaning("What is the refund period for lifetime plans?")
    assert other is None or other.likeness < 0.9


FEW = [
    ("What is the code of the front door?", "4711 and the bell"),
    ("When is the bakery closed?", "on Mondays"),
    ("How do I reset the coffee machine?", "Hold both buttons for five seconds."),
    ("Who waters the plants?", "the team on the second floor"),
    ("May I bring my dog to work?", "On Fridays, if everyone in the room agrees."),
]


@pytest.fixture(scope="module")
def few() -> Router:
    embed, vocabulary = router_parts()
    entries = [Entry(*fact) for fact in FEW]
    made = Router(entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed)
    made.gate = gate.calibrate(made)
    return made


@pytest.mark.parametrize(
    "question",
    [
        "Who keeps the keys?", "Who keeps the keys of the front door?", "What is the colour of the front door?", "Who painted the door?",
        "When is the bakery cleaned?", "Who owns the bakery?", "How do I clean the coffee machine?", "Who waters the horses?",
        "What does a coffee cost?", "May I bring my child to work?", "Where do the plants stand?", "When are the plants watered?",
    ],
)  # fmt: skip
def test_a_model_of_few_facts_answers_no_near_misses(few: Router, question: str):
    assert routed(few, question) is None


def test_a_model_of_few_facts_finds_light_rewordings(few: Router):
    asked = ["Hi, what is the code of the front door?", "Please tell me: when is the bakery closed?", "how can I reset the coffee machine",
             "Who waters our plants?", "May I bring a dog to work?"]  # fmt: skip
    assert [routed(few, question) for question in asked] == [0, 1, 2, 3, 4]


def test_a_taught_question_in_a_wrapping_is_found(router: Router):
    entries = [Entry("Question: what?\nAnswer:", "that")]
    embed, vocabulary = router_parts()
    wrapped = Router(
        entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed
    )
    assert present(wrapped.route("what?", whole="Question: what?\nAnswer:")).passed


def test_taught_questions_and_names_are_found_without_an_embedding_model(router: Router):
    _, vocabulary = router_parts()
    entries = [Entry(*fact) for fact in FACTS]
    blind = Router(entries, keys_of(entries, names_of(entries, vocabulary), None), Gate(), vocabulary, None)
    assert present(blind.route("who founded zorbax")).fact == 0
    assert blind.route("Where is parking?") is None
    assert present(blind.by_name("Tell me who runs Nally Group.")).fact == 5


def test_a_gate_is_calibrated_on_the_models_own_facts():
    embed, vocabulary = router_parts()
    asks = (
        "Who founded {}?",
        "In which year was {} founded?",
        "Where is {} based?",
        "How many people work at {}?",
    )
    entries = [Entry(ask.format(f"Zor{a}{b}x"), "x") for a in "abdef" for b in "klmn" for ask in asks]
    router = Router(
        entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed
    )
    found = gate.calibrate(router)
    assert found.asks["strict"] >= found.asks["balanced"] >= found.asks["generous"]
    passed = found.measured["unknown_relation"]["passed"]
    assert all(passed[budget] <= gate.UNKNOWN_ASKS[budget] + 1e-6 for budget in passed)
    assert len(router.keys.ask_vectors) == 4  # without names, some questions are equal


def test_a_gate_rejects_untaught_relations_of_subjects_with_few_and_unrelated_facts():
    embed, vocabulary = router_parts()
    asks = ("Who is the principal of {}?", "In which city is {}?", "How many pupils attend {}?")
    entries = [Entry(ask.format(f"Zor{a}{b}x School"), "x") for a in "abdef" for b in "klmn" for ask in asks]
    router = Router(
        entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed
    )
    router.gate = gate.calibrate(router)
    for ask in ("Who built {}?", "What does lunch cost at {}?", "Which language is taught at {}?"):
        assert routed(router, ask.format("Zorakx School")) is None, ask
    for ask in ("Who heads {}?", "Where is {} located?", "What is the number of pupils at {}?"):
        assert present(router.route(ask.format("Zorakx School"))).passed, ask


HANDBOOK = [
    ("Who is the director of the Ambrose Gallery?", "Odile Fanshawe"),
    ("What does the Ambrose Gallery charge?", "9 euros"),
    ("In what year was the Marigold ferry launched?", "1889"),
    ("What did Inkwarden make?", "Software for signatures"),
    ("Which city does Ben Oru work from?", "Dresk"),
    ("How much does the Oswin's ward cost?", "400 euros"),
    ("How do pupils visit the museum as a class?", "Book by phone"),
    ("What are the payment methods?", "Cards and cash"),
]


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("who directs ambrose", 0),
        ("what does oswins ward cost", 5),
        ("I teach year 5. How can my pupils visit the museum as a class?", 6),
        # A measure is no year, a price no description, and a firm no city.
        ("How long is the Marigold ferry in metres?", None),
        ("What did they pay for Inkwarden?", None),
        ("Which company does Ben Oru work for?", None),
    ],
)
def test_partial_names_are_found_and_other_kinds_of_answers_are_rejected(question: str, fact: int | None):
    embed, vocabulary = router_parts()
    entries = [Entry(*one) for one in HANDBOOK]
    keys = keys_of(entries, names_of(entries, vocabulary), embed)
    assert routed(Router(entries, keys, Gate(), vocabulary, embed), question) == fact


def test_typos_are_swapped_missing_or_doubled_letters_only():
    for wrote in ("zrobax", "zorba", "orbax", "zorbbax"):
        assert is_typo("zorbax", wrote), wrote
    for wrote in ("zorbax", "zorbex", "zorbaxy", "zorb", "xorbax"):
        assert not is_typo("zorbax", wrote), wrote


@pytest.mark.parametrize("method", ["IndexIVFPQ", "IndexHNSWPQ", "IndexHNSWFlat", "IndexPQ", "IndexFlatL2"])
def test_every_index_finds_the_results_of_an_exact_search(method: str, monkeypatch):
    import numpy as np

    from lorekeep.memory.arguments import Arguments
    from lorekeep.routing import nearest

    monkeypatch.setattr(nearest, "WHOLE", 500)
    random = np.random.default_rng(0)
    centres = random.normal(size=(60, 48))
    vectors = (centres[random.integers(0, 60, 3000)] + 0.15 * random.normal(size=(3000, 48))).astype("f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    arguments = {
        **Arguments().__dict__,
        "index_method": method,
        "index_hnsw_efSearch": 256,
        "index_hnsw_efConstruction": 64,
    }
    index, whole = Nearest(vectors, arguments), Nearest(vectors)
    hits = sum(index(query, 1)[0][0] == whole(query, 1)[0][0] for query in vectors[:200] + 0.01)
    assert hits >= (
        150 if "PQ" in method else 195
    )  # of 200: results are ranked again exactly, but compressed codes lose some before


def test_unsuitable_index_parameters_cause_warnings():
    from lorekeep.memory.arguments import Arguments

    given = Arguments().__dict__
    assert "searched exactly" in adjusted(given, 100, 384)[1][0]
    used, told = adjusted(given, 25_000, 384)
    assert used["index_ivf_nlist"] < 2048 and any("index_ivf_nlist 2048" in one for one in told)
    used, told = adjusted({**given, "index_pq_m": 7}, 10**6, 384)
    assert 384 % used["index_pq_m"] == 0 and any("index_pq_m 7" in one for one in told)


def test_given_parameters_without_effect_cause_warnings():
    from lorekeep.memory.arguments import index_warnings, read

    given = {"index_k": 2, "gradient_accumulation_steps": 4, "batch_size": 8, "max_steps": 50}
    assert [one.split()[0] for one in read(given)[1]] == [
        "index_k",
        "gradient_accumulation_steps",
        "batch_size",
    ]
    assert read({"index_k": 1, "gradient_accumulation_steps": 1, "batch_size": None})[1] == []
    given = {"index_ivf_nlist": 2048}
    arguments, _ = read(given)
    assert index_warnings({}, arguments, 0, 384) == index_warnings({}, arguments, 20_000, 384) == []
    assert "nothing to index" in index_warnings(given, arguments, 0, 384)[0]
    assert "20000 keys are searched exactly" in index_warnings(given, arguments, 10_000, 384)[0]
    assert "index_ivf_nlist 2048" in index_warnings(given, arguments, 10_001, 384)[0]
