"""Invented worlds whose facts fit together, and questions that use them in twelve ways. The wordings that the product was developed on and
those that a report is made with share no relation, no kind of subject and no form of question."""

import random
from dataclasses import dataclass, field

SETS = (
    "recall", "reworded", "follow-up", "reversed", "two in one", "two hops", "one sentence", "JSON", "yes or no", "unanswerable", "near miss",
    "unrelated",
)  # fmt: skip
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Relation:
    kind: str  # of the subject
    value: str
    taught: str
    noun: str
    reworded: tuple[str, ...]
    claimed: str
    turned: tuple[str, ...]
    follows: tuple[str, ...]
    key: str


def _relations(text: str) -> tuple[Relation, ...]:
    found = []
    for line in text.strip().splitlines():
        kind, value, taught, noun, reworded, claimed, turned, follows, key = (
            part.strip() for part in line.split("|")
        )
        several = [
            tuple(one.strip() for one in part.split(";") if one.strip())
            for part in (reworded, turned, follows)
        ]
        found.append(Relation(kind, value, taught, noun, several[0], claimed, several[1], several[2], key))
    return tuple(found)


RELATIONS = {
    "develop": _relations("""
firm|person|Who founded {s}?|founder|Who is the founder of {s}?; {s} was set up by whom?|Was {s} founded by {v}?|Which company did {v} found?; What was founded by {v}?|And who founded it?; And the founder?|founder
firm|year|In which year was {s} founded?|founding year|When was {s} founded?; What year did {s} start?|Was {s} founded in {v}?||And when was it founded?; In which year was it founded?|year_founded
firm|town|Where is {s} based?|headquarters|In which town is {s} located?; Where are the headquarters of {s}?|Is {s} based in {v}?|Which company is based in {v}?|Where is it based?; And the headquarters?|headquarters
firm|person|Who leads {s}?|head|Who is the head of {s}?; Who runs {s}?|Is {v} the head of {s}?|Which company does {v} lead?|Who leads it?; And who runs it?|head
firm|count|How many employees does {s} have?|number of employees|How many people work at {s}?; What is the headcount of {s}?|Does {s} have {v} employees?||How many employees does it have?|employees
firm|product|What is the main product of {s}?|main product|Which product is {s} known for?; What does {s} mainly make?|Is {v} the main product of {s}?|Whose main product is {v}?|What is its main product?; And its main product?|main_product
person|town|Where was {s} born?|birthplace|In which town was {s} born?; What is the birthplace of {s}?|Was {s} born in {v}?|Who was born in {v}?|Where was she born?; And where was he born?|birthplace
person|study|What did {s} study?|field of study|Which subject did {s} study?; What was the field of study of {s}?|Did {s} study {v}?||What did he study?; What did she study?|studied
person|person|Who is {s} married to?|spouse|Who is the spouse of {s}?; What is the name of {s}'s spouse?|Is {s} married to {v}?||Who is she married to?; Who is his spouse?|spouse
product|price|How much does {s} cost?|price|What is the price of {s}?; What do I pay for {s}?|Does {s} cost {v}?||How much does it cost?; And the price?|price
product|person|Who designed {s}?|designer|Who is the designer of {s}?; By whom was {s} designed?|Was {s} designed by {v}?|Which product did {v} design?|Who designed it?; And the designer?|designer
"""),
    "report": _relations("""
school|person|Who is the principal of {s}?|principal|Who heads {s}?; Name the principal of {s}.|Is {v} the principal of {s}?|Of which school is {v} the principal?; At which school is {v} principal?|Who is its principal?; What about the principal?|principal
school|year|When did {s} open?|opening year|In what year was {s} opened?; Since when has {s} been open?|Did {s} open in {v}?||When did it open?; And when did it open?|opened
school|town|In which city is {s}?|city|Where is {s} located?; What city is {s} in?|Is {s} in {v}?|Which school is in {v}?|Which city is it in?; And in which city is it?|city
school|count|How many pupils attend {s}?|number of pupils|How many students does {s} have?; What is the number of pupils at {s}?|Do {v} pupils attend {s}?||How many pupils attend it?|pupils
ship|person|Who commands {s}?|captain|Who is the captain of {s}?; Under whose command is {s}?|Is {s} commanded by {v}?|Which ship does {v} command?; What ship is commanded by {v}?|Who commands it?; How about the captain?|captain
ship|year|In which year was {s} launched?|year of launch|When was {s} launched?; What year was {s} put to sea?|Was {s} launched in {v}?||When was it launched?; And in which year was it launched?|year_of_launch
ship|town|What is the home port of {s}?|home port|Which port is home to {s}?; Where is the home port of {s}?|Is {v} the home port of {s}?|Whose home port is {v}?|What is its home port?; And its home port?|home_port
ship|price|How long is {s}?|length|What is the length of {s}?; How many metres long is {s}?|Is {s} {v} long?||How long is it?; And the length?|length
person|town|In which town does {s} live?|home town|Where does {s} live?; What town does {s} live in?|Does {s} live in {v}?|Who lives in {v}?|Where does he live?; And where does she live?|home_town
person|study|Which instrument does {s} play?|instrument|What instrument does {s} play?; What does {s} play?|Does {s} play {v}?||Which instrument does she play?; What instrument does he play?|instrument
person|person|Who taught {s}?|teacher|Who was the teacher of {s}?; By whom was {s} taught?|Was {s} taught by {v}?|Whom did {v} teach?|Who taught him?; And who taught her?|teacher
"""),
}  # fmt: skip
KINDS = {"develop": ("firm", "person", "product"), "report": ("school", "person", "ship")}
# Forms of questions of each side.
FORMS = {
    "develop": {
        "two": ("What is the {a} and the {b} of {s}?", "Tell me the {a} and the {b} of {s}.", "{qa} And {qb_it}", "{qa_bare}, and {qb_it}"),
        "hop": ("What is the {b} of the {a} of {s}?", "Tell me the {b} of {s}'s {a}.", "What is the {b} of {s}'s {a}?"),
        "sentence": ("Answer in one sentence: {q}", "{q} Reply in a full sentence.", "In one sentence, {q_low}"),
        "json": ("Give the {a}, the {b} and the {c} of {s} as JSON with the keys \"{ka}\", \"{kb}\" and \"{kc}\".", "Describe {s} as JSON: {{\"{ka}\": ..., \"{kb}\": ..., \"{kc}\": ...}}"),
        "yes": ("{q} Answer yes or no.", "{q}"),
        "unasked": {"firm": ("What is the share price of {s}?", "Who audits {s}?", "What colour is the logo of {s}?"), "person": ("How tall is {s}?", "What is the shoe size of {s}?"), "product": ("How heavy is {s}?", "What colour is {s}?")},
    },
    "report": {
        "two": ("Could you give me both the {a} and the {b} of {s}?", "{s}: what is the {a}, and what is the {b}?", "{qa_bare} and {qb_it}", "{qa} {qb_it_cap}"),
        "hop": ("Which {b} does the {a} of {s} have?", "What is the {b} of the {a} of {s}?", "I would like to know the {b} of {s}'s {a}."),
        "sentence": ("{q} Please answer in a complete sentence.", "Write one sentence that says {q_ind}", "{q} Use a single full sentence."),
        "json": ("Return a JSON object with the keys {ka}, {kb} and {kc} for {s}.", "As JSON with the fields {ka}, {kb}, {kc}: what do you know about {s}?"),
        "yes": ("Yes or no: {q_low}", "{q} Reply with yes or no only."),
        "unasked": {"school": ("Who built {s}?", "What does lunch cost at {s}?", "Which language is taught at {s}?"), "person": ("How old is {s}?", "What is the phone number of {s}?"), "ship": ("How fast is {s}?", "What flag does {s} fly?")},
    },
}  # fmt: skip
UNRELATED = {
    "develop": ("Hello!", "Write a poem about the sea.", "Thank you.", "What is two plus two?", "List three fruits.", "Why is the sky blue?"),
    "report": ("Good morning!", "Tell me a joke.", "Translate cat into German.", "How do plants grow?", "Name a colour.", "What can you do?"),
}  # fmt: skip
_HEADS = (
    "Bri",
    "Zor",
    "Qui",
    "Tar",
    "Ulm",
    "Dre",
    "Pel",
    "Wix",
    "Kav",
    "Mo",
    "Nal",
    "Osk",
    "Fen",
    "Gru",
    "Hal",
    "Jor",
    "Lun",
    "Rav",
    "Sib",
    "Vel",
)
_MIDS = ("ba", "do", "ke", "li", "mo", "na", "pi", "ru", "so", "ta", "ve", "zi", "")
_TAILS = (
    "x",
    "nor",
    "by",
    "moor",
    "wick",
    "tis",
    "lan",
    "dra",
    "fell",
    "gate",
    "mar",
    "quist",
    "stad",
    "vane",
    "zel",
)
_FORENAMES = (
    "Ada",
    "Ben",
    "Cleo",
    "Dov",
    "Eri",
    "Finn",
    "Gwen",
    "Hana",
    "Ivo",
    "Jana",
    "Kai",
    "Lena",
    "Milo",
    "Nora",
    "Otto",
    "Pia",
    "Remy",
    "Sara",
    "Tom",
    "Uma",
)
_STUDIES = {
    "develop": ("botany", "law", "geology", "music", "medicine", "physics", "history"),
    "report": ("the cello", "the flute", "the organ", "the harp", "the drums", "the viola", "the oboe"),
}
_FIRMS = ("", " Labs", " Foods", " Group", " Systems")


@dataclass
class Fact:
    subject: str
    relation: Relation
    value: str

    @property
    def question(self) -> str:
        return self.relation.taught.format(s=self.subject)


@dataclass
class Row:
    set: str
    question: str
    wanted: str
    before: list[tuple[str, str]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    holds: tuple[str, ...] = ()  # parts that a sentence has to contain


class World:
    def __init__(self, side: str, seed: int, subjects: int = 24):
        self.side, self.choose = side, random.Random(f"{side} {seed}")
        self.used: set[str] = set()
        self.relations = RELATIONS[side]
        kinds = KINDS[side]
        self.names = {kind: [self._name(kind) for _ in range(subjects)] for kind in kinds}
        self.facts: list[Fact] = []
        for kind in kinds:
            mine = [one for one in self.relations if one.kind == kind]
            for name in self.names[kind]:
                for relation in self.choose.sample(mine, max(2, len(mine) - 1)):
                    self.facts.append(Fact(name, relation, self._value(relation.value, name)))
        self.choose.shuffle(self.facts)
        self.by_subject: dict[str, list[Fact]] = {}
        for fact in self.facts:
            self.by_subject.setdefault(fact.subject, []).append(fact)

    def _word(self) -> str:
        choose = self.choose
        while True:
            word = choose.choice(_HEADS) + choose.choice(_MIDS) + choose.choice(_TAILS)
            if word not in self.used and len(word) > 4:
                self.used.add(word)
                return word

    def _name(self, kind: str) -> str:
        word = self._word()
        return {
            "firm": word + self.choose.choice(_FIRMS), "school": f"{word} {self.choose.choice(('Academy', 'College', 'School'))}", "ship": f"the {word}",
            "person": f"{self.choose.choice(_FORENAMES)} {word}", "product": f"{word} {self.choose.randint(2, 90)}",
        }[kind].removeprefix("the ")  # fmt: skip

    def _value(self, kind: str, subject: str) -> str:
        choose = self.choose
        if kind in ("person", "product"):
            return choose.choice([name for name in self.names[kind] if name != subject])
        return {
            "year": lambda: str(choose.randint(1850, 2019)), "town": self._word, "count": lambda: str(choose.randint(12, 4800)),
            "study": lambda: choose.choice(_STUDIES[self.side]), "price": lambda: f"{choose.randint(11, 480)} {'euros' if self.side == 'develop' else 'metres'}",
        }[kind]()  # fmt: skip

    def rows(self, each: int) -> list[Row]:
        makers = {
            "recall": self._recall, "reworded": self._reworded, "follow-up": self._follow, "reversed": self._reversed, "two in one": self._two,
            "two hops": self._hops, "one sentence": self._sentence, "JSON": self._json, "yes or no": self._yes, "unanswerable": self._unasked,
            "near miss": self._missed, "unrelated": self._unrelated,
        }  # fmt: skip
        found = []
        for name in SETS:
            made: list[Row] = []
            for _ in range(200 * each):
                if len(made) == each:
                    break
                if (row := makers[name]()) is not None:
                    made.append(row)
            found += made
        return found

    def _fact(self) -> Fact:
        return self.choose.choice(self.facts)

    def _recall(self) -> Row:
        fact = self._fact()
        return Row("recall", fact.question, fact.value, facts=[fact])

    def _reworded(self) -> Row:
        fact = self._fact()
        return Row(
            "reworded",
            self.choose.choice(fact.relation.reworded).format(s=fact.subject),
            fact.value,
            facts=[fact],
        )

    def _follow(self) -> Row | None:
        first = self._fact()
        rest = [fact for fact in self.by_subject[first.subject] if fact is not first]
        second = self.choose.choice(rest)
        # "He" or "she" would refer to the person in the first answer.
        if second.relation.kind == "person" and first.relation.value == "person":
            return None
        before = [("user", first.question), ("assistant", first.value)]
        return Row(
            "follow-up", self.choose.choice(second.relation.follows), second.value, before, [first, second]
        )

    def _reversed(self) -> Row | None:
        fact = self._fact()
        same = [
            other for other in self.facts if other.relation is fact.relation and other.value == fact.value
        ]
        if not fact.relation.turned or len(same) > 1:
            return None
        return Row(
            "reversed",
            self.choose.choice(fact.relation.turned).format(v=fact.value),
            fact.subject,
            facts=[fact],
        )

    def _two(self) -> Row:
        fact = self._fact()
        other = self.choose.choice([one for one in self.by_subject[fact.subject] if one is not fact])
        asked, further = fact.question, other.relation.follows[0]
        further = further.removeprefix("And ").removeprefix("and ")
        low = further[0].lower() + further[1:]
        text = self.choose.choice(FORMS[self.side]["two"]).format(
            a=fact.relation.noun,
            b=other.relation.noun,
            s=fact.subject,
            qa=asked,
            qa_bare=asked.rstrip("?"),
            qb_it=low,
            qb_it_cap=further[0].upper() + further[1:],
        )
        return Row("two in one", text, f"{fact.value} and {other.value}", facts=[fact, other])

    def _hops(self) -> Row | None:
        fact = self._fact()
        if fact.value not in self.by_subject:
            return None
        other = self.choose.choice(self.by_subject[fact.value])
        text = self.choose.choice(FORMS[self.side]["hop"]).format(
            a=fact.relation.noun, b=other.relation.noun, s=fact.subject
        )
        return Row("two hops", text, other.value, facts=[fact, other])

    def _sentence(self) -> Row:
        fact = self._fact()
        asked = fact.question
        indirect = asked[0].lower() + asked[1:].rstrip("?") + "."
        text = self.choose.choice(FORMS[self.side]["sentence"]).format(
            q=asked, q_low=asked[0].lower() + asked[1:], q_ind=indirect
        )
        return Row("one sentence", text, fact.value, facts=[fact], holds=(fact.subject, fact.value))

    def _json(self) -> Row | None:
        subject = self.choose.choice(
            [one for one, facts in self.by_subject.items() if len(facts) >= 3] or [""]
        )
        if not subject:
            return None
        facts = self.choose.sample(self.by_subject[subject], 3)
        names = dict(zip("abc", (one.relation.noun for one in facts), strict=True))
        keys = {f"k{letter}": one.relation.key for letter, one in zip("abc", facts, strict=True)}
        text = self.choose.choice(FORMS[self.side]["json"]).format(s=subject, **names, **keys)
        wanted = "{" + ",".join(f'"{one.relation.key}":"{one.value}"' for one in facts) + "}"
        return Row("JSON", text, wanted, facts=facts)

    def _yes(self) -> Row:
        fact, true = self._fact(), self.choose.random() < 0.5
        others = [
            one.value
            for one in self.facts
            if one.relation is fact.relation and one.value not in (fact.value, fact.subject)
        ]
        claimed = fact.value if true else self.choose.choice(others)
        asked = fact.relation.claimed.format(s=fact.subject, v=claimed)
        text = self.choose.choice(FORMS[self.side]["yes"]).format(q=asked, q_low=asked[0].lower() + asked[1:])
        return Row("yes or no", text, "Yes" if true else "No", facts=[fact])

    def _unasked(self) -> Row:
        kind = self.choose.choice(KINDS[self.side])
        subject = self.choose.choice(self.names[kind])
        text = self.choose.choice(FORMS[self.side]["unasked"][kind]).format(s=subject)
        return Row("unanswerable", text, UNKNOWN, facts=self.by_subject[subject])

    def _missed(self) -> Row:
        fact = self._fact()
        name = self._name(fact.relation.kind)
        return Row(
            "near miss", fact.relation.taught.format(s=name), UNKNOWN, facts=self.choose.sample(self.facts, 4)
        )

    def _unrelated(self) -> Row:
        return Row(
            "unrelated",
            self.choose.choice(UNRELATED[self.side]),
            UNKNOWN,
            facts=self.choose.sample(self.facts, 4),
        )


def right(row: Row, said: str, base: str, answers: set[str]) -> bool:
    """Whether an answer is right. `base` is the answer of the base to the same prompt, `answers` are all taught answers."""
    bare = said.strip()
    if row.set == "unrelated":
        return said == base
    if row.wanted == UNKNOWN:
        low = f" {bare.lower()} "
        return bare.rstrip(".").lower() not in answers and not any(
            f" {one.value.lower()}" in low for one in row.facts if len(one.value) > 3
        )
    if row.set == "one sentence":
        return (
            all(part.lower() in bare.lower() for part in row.holds)
            and bare.endswith(".")
            and bare[:1].isupper()
            and len(bare) < 200
        )
    if row.set == "yes or no":
        return bare.rstrip(".").lower() == row.wanted.lower()
    if row.set == "JSON":
        return "".join(bare.split()) == "".join(row.wanted.split())
    return bare.rstrip(".").lower() == row.wanted.rstrip(".").lower()


def holds(row: Row, said: str) -> bool:
    """Whether an answer in whole sentences contains the expected parts, or no taught value if nothing is known."""
    low = said.lower()
    if row.set in ("unrelated", "unanswerable", "near miss", "yes or no", "JSON") or row.wanted == UNKNOWN:
        return right(row, said, "", set())
    parts = row.holds or ([fact.value for fact in row.facts] if row.set == "two in one" else [row.wanted])
    return all(part.rstrip(".").lower() in low for part in parts)
