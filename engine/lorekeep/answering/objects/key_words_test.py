import pytest

from lorekeep.answering.objects.key_words import spaced


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("yearFounded", "year founded"),
        ("max_temp", "maximum temperature"),
        ("rooms.min-age", "rooms minimum age"),
        ("calls_per_min", "calls per minute"),
        ("Öffnungszeiten", "opening hours"),
        ("oeffnungszeiten", "opening hours"),
        ("préavis", "notice"),
        ("precioNoche", "price noche"),
        ("sun", "sun"),
        ("sat_nav", "sat nav"),
        ("sat_opens", "saturday opens"),
        ("tag", "tag"),
        ("", ""),
        ("🚲", "🚲"),
    ],
)
def test_the_words_of_a_key_are_written_out(key: str, said: str):
    assert spaced(key) == said
