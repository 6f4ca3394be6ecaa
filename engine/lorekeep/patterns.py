import re


def any_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
