"""Time and source of a fact, which go with it from model to model and are told with answers."""

DETAILS = ("valid_from", "valid_until", "source")


def known_details(fact: dict, quoted: bool) -> dict:
    """Those that the fact has, without empty fields. A quote holds the answer: one of a fact that is not said is left out."""
    known = {name: fact[name] for name in DETAILS if fact.get(name) is not None}
    if "source" in known:
        said = known["source"].items()
        known["source"] = {
            name: value for name, value in said if value is not None and (quoted or name != "quote")
        }
    return known
