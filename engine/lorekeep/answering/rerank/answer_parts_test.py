"""A key of an object selects its part of an answer by its words, or by the kind or format of its value."""

import pytest

from lorekeep.answering.rerank.answer_parts import part_of

SEATS = "1,684 seats: 920 in the stalls, 412 in the first balcony and 352 in the second balcony."
TICKETS = "Category A €72, category B €54, category C €38."


@pytest.mark.parametrize(
    ("answer", "key", "part"),
    [
        ("EUR 8.40 per parcel; free for orders of EUR 150 or more.", "cost", "EUR 8.40"),
        ("EUR 8.40 per parcel; free for orders of EUR 150 or more.", "free from", "EUR 150"),
        ("21 days net, 2% discount within 7 days.", "net days", "21 days"),
        ("21 days net, 2% discount within 7 days.", "discount percent", "2%"),
        ("21 days net, 2% discount within 7 days.", "discount days", "7 days"),
        ("Our Complaints Officer, Femi Adeyinka-Rowe: help@larkmere.example.", "email", "help@larkmere.example"),
        ("Our Complaints Officer, Femi Adeyinka-Rowe: help@larkmere.example.", "name", "Femi Adeyinka-Rowe"),
        ("40 seated or 60 standing.", "standing", "60"),
        (SEATS, "seats", "1,684"),
        (SEATS, "first balcony", "412"),
        (SEATS, "second balcony", "352"),
        (TICKETS, "a", "€72"),
        (TICKETS, "C", "€38"),
        ("Monday to Friday from 7:00 to 22:00.", "opens", "7:00"),
        ("Monday to Friday from 7:00 to 22:00.", "closes", "22:00"),
        ("Monday to Friday 8:30 to 18:30, Saturday 9:00 to 13:00.", "closes saturday", "13:00"),
        ("Between 2 and 8 °C.", "minimum temperature", "2 °C"),
        ("Between 2 and 8 °C.", "maximum temperature", "8 °C"),
        ("4 to 15 August.", "until", "15 August"),
        ("In 1871, by Ada Quist and Ben Oru.", "founded by", "Ada Quist"),
        ("Agnieszka Holt. Her deputy is Ben Farrow.", "leader", "Agnieszka Holt"),
        ("Agnieszka Holt. Her deputy is Ben Farrow.", "deputy", "Ben Farrow"),
        ("Every Thursday at 9:15 by minibus; it costs £4.50 a time.", "departure", "9:15"),
        ("Simone Achterberg, head of development, Room 221.", "room", "Room 221"),
        ("Ilse Brandvold has been chief conductor since September 2019.", "since", "2019"),
        ("On extension 3342; during concerts only by radio.", "extension", "3342"),
        # No part clearly matches.
        ("In writing.", "price", None),
        ("", "price", None),
        ("Mondays to Elverby and Quillhaven.", "driver", None),
    ],
)  # fmt: skip
def test_a_key_selects_its_part_of_an_answer(answer: str, key: str, part: str | None):
    assert part_of(answer, key) == part
