import pytest

from lorekeep.answering.claims.measured.by_age import by_age


@pytest.mark.parametrize(
    ("question", "answer", "true"),
    [
        ("Our boy has just turned 13, is the fair free for him?", "9 euros. Children under 12 get in free.", False),
        ("My daughter is 7, does she need a life vest?", "Children under 10 must wear a life jacket.", True),
        ("She turned 12 yesterday. Does she have to wear one?", "Children under 12 must wear a helmet.", False),
        ("Do my grandchildren, 9 and 12, pay nothing?", "1.60 euros. Children under 16 pay nothing.", True),
        ("Do my kids, 9 and 17, get in for free?", "Children under 16 pay nothing.", None),
        ("My son is 15. Can he join?", "People over 16 may join.", False),
        ("Do children under 14 get in free?", "Children under 14 get in free.", None),
        ("My nephew is 8, may he come in?", "Nobody under 10 may enter.", None),
        ("My son is 15. Is it far?", "Children under 16 pay nothing.", None),
        ("", "", None),
    ],
)  # fmt: skip
def test_an_age_is_compared_with_the_age_limit_of_a_clause(question: str, answer: str, true: bool | None):
    assert by_age(question, "", answer) is true
