"""Amounts in questions, compared with bounds that the questions of facts ask for."""

import pytest

from lorekeep.answering.claims.bounds import verdict

AGE = "From what age may children come alone?"


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"),
    [
        ("There are ten of us, can we all go together?", "How many people can the Duchess take?", "14", True),
        ("Can six of us squeeze in?", "How many people does the Marzipan hold?", "4", False),
        ("May my seven-year-old stay without me?", AGE, "from 10 years", False),
        ("My girl is twelve, may she come on her own?", AGE, "from 10 years", True),
        ("It fell 1.5 m onto concrete. Is it built for this?", "What fall does the S5 survive?", "2.4 m onto concrete", True),
        ("Would it get through an eight hour shift?", "How long does the battery last?", "14 hours", True),
        ("Does a nine-year-old get that, would it be allowed?", "How old are juniors?", "from 8 to 13 years", True),
        ("Can my three-year-old come?", "How old are juniors?", "8 to 13 years", False),
        ("It fell 1.5 m onto concrete. Is an S5 built for this?", "From what height may the S5 fall?", "2.4 m", True),
        ("We collect 20,000 scans with an S5. Does it have the room?", "How many scans can the S5 store?", "50,000", True),
        ("May one work at home ten days this month?", "How many days a month may one work from home?", "twelve", True),
        # Not clear.
        ("Can I pay 300 euros?", "What does it cost?", "200 euros", None),
        ("Is 10 too many?", "How many people can it take?", "14", None),
        ("Can two of us bring three dogs?", "How many people can it take?", "14", None),
        ("Can ten of us come?", "How long may we stay?", "3 hours", None),
        ("Can ten of us come?", "Who leads the tour?", "Ada Quist", None),
        ("Must I be ten?", AGE, "from 10 years", None),
    ],
)  # fmt: skip
def test_an_amount_is_compared_with_a_bound(question: str, taught: str, answer: str, wanted: bool | None):
    assert verdict(question, taught, answer) is wanted
