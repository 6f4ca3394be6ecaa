"""Questions about a world: each skill makes questions whose answers the world's facts give, or do not give."""

from collections.abc import Callable

from .answer_shapes import answer_json, as_json, brief, sentence, short_text
from .asker import Asked, Asker
from .follow_ups import follow_up
from .questions import compare, direct, hop, listing, reversed_, reworded, three, two, whether
from .refusals import refused, refused_follow_up, refused_hop

SKILLS: dict[str, tuple[float, Callable[[Asker, str], Asked | None]]] = {
    "direct": (1.6, direct),
    "reworded": (2.4, reworded),
    "reversed": (1.8, reversed_),
    "two": (1.5, two),
    "three": (0.4, three),
    "hop": (1.6, hop),
    "compare": (0.7, compare),
    "list": (0.6, listing),
    "yes_no": (1.6, whether),
    "follow_up": (2.0, follow_up),
    "sentence": (0.8, sentence),
    "brief": (0.3, brief),
    "json": (1.0, as_json),
    "answer_json": (0.2, answer_json),
    "short_text": (0.5, short_text),
    "refused": (1.6, refused),
    "refused_follow_up": (0.3, refused_follow_up),
    "refused_hop": (0.25, refused_hop),
}
