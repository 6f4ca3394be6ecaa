"""Validity and source of a fact, which are kept from model to model and reported with answers."""

DETAILS = ("valid_from", "valid_until", "source")


def known_details(fact: dict, quoted: bool) -> dict:
    """Details of a fact without empty fields. The quote contains the answer, so it is left out unless the answer uses the fact."""
    known = {name: fact[name] for name in DETAILS if fact.get(name) is not None}
    if "source" in known:
        said = known["source"].items()
        known["source"] = {
            name: value for name, value in said if value is not None and (quoted or name != "quote")
        }
    return known
