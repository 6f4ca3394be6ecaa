"""Rewords questions by rule, for evaluation. Names stay. Some of the other content words are replaced by a
synonym, or dropped where the table has none. The share that stays is set so that the accuracy is near that on
hand-written paraphrases (docs/experiments/2026-11-23-rewordings-by-rule.md)."""

import random
import re
from collections.abc import Iterable

from lorekeep.routing.words import STOP, Word, words

# Range of the share of content words that stay, drawn for each question.
_KEPT_SHARES = (0.33, 0.5, 0.67, 0.67, 0.8, 1.0, 1.0, 1.0)
_SEARCH_SHARE, _LOWER_SHARE, _TYPO_SHARE, _MOVED_SHARE = 0.2, 0.3, 0.1, 0.35
# Minimum length of a word that may be misspelt and remain readable.
_LONG = 6

_DANGLING = re.compile(r"(?:\s(?:a|an|the|my|your|our|of|for|in|on|at|to|with|by|from))+\s*$", re.IGNORECASE)
# Beginnings of questions and their equivalents. The first match is used, so longer ones come first.
_BEGINNINGS = (
    ("how do i ", ("what are the steps to ", "can you explain to me how to ", "i am trying to ")),
    ("how do you ", ("what are the steps to ", "i wonder how people ")),
    ("how can i ", ("is there some way to ", "i am trying to ")),
    ("how long ", ("what length of time ", "roughly how many hours or days ")),
    ("how much is ", ("what would i pay for ", "what do you charge for ")),
    ("how much does ", ("what would i pay if ", "can you say what ")),
    ("how much ", ("what amount ", "what sum ")),
    ("how many ", ("what is the count of ", "tell me the quantity of ")),
    ("how often ", ("how regularly ", "with which frequency ")),
    ("how old ", ("of what age ", "how many years old ")),
    ("how ", ("i wonder how ", "do you happen to know how ")),
    ("where do i ", ("which spot should i go to, to ", "i am looking for a place to ")),
    ("where can i ", ("is there somewhere to ", "i am looking for a place to ")),
    ("where is ", ("i cannot find ", "what is the location of ")),
    ("where ", ("in what location ", "i wonder where ")),
    ("when is ", ("do you have the date or the hour of ", "what is the schedule of ")),
    ("when does ", ("can you tell me what day or hour ", "i wonder when ")),
    ("when ", ("around what date ", "i wonder when ")),
    ("who is ", ("can you name ", "i need the name of ", "whose name goes with ")),
    ("who ", ("what was the name of the person who ", "do you happen to know who ", "what person ")),
    ("why ", ("what is the reason that ", "how come ")),
    ("what is the ", ("can you give me the ", "i need to find out the ", "do you happen to know the ")),
    ("what is ", ("i need to find out about ", "could you describe ")),
    ("what are ", ("could you list ", "i need to find out about ")),
    ("what does ", ("do you happen to know what ", "i wonder what ")),
    ("what do i ", ("i need to find out what to ", "is there something i have to ")),
    ("what ", ("do you happen to know what ", "i would like to hear what ")),
    ("which ", ("do you happen to know which ", "can you name the ")),
    ("can i ", ("is there a problem if i ", "are people permitted to ")),
    ("may i ", ("is it okay to ", "are people permitted to ")),
    ("may ", ("is it okay for ", "is there a problem with ")),
    ("do i have to ", ("am i obliged to ", "is it mandatory to ")),
    ("do i ", ("is it the case that i ", "i am not sure if i ")),
    ("does ", ("is it the case that ", "i am not sure if ")),
    ("do ", ("is it the case that ", "i am not sure if ")),
    ("is there ", ("have you got ", "does this place have ")),
    ("is ", ("somebody asked me about ", "can you confirm something about ")),
    ("are ", ("somebody asked me about ", "can you confirm something about ")),
)  # fmt: skip
_FRAMES = (
    "hi, quick question: ", "sorry to bother you, ", "a colleague asked me this: ", "not sure who to ask, but ",
    "one more thing, ", "help: ", "maybe you can say, ",
)  # fmt: skip
# Synonyms of the same form: a word may be replaced by another of its group.
_GROUPS = """
buy purchase|bought purchased|cost charge|costs charges|price rate|pay spend|paid settled|fee charge|fees charges|refund reimbursement|refunded reimbursed
cancel terminate|cancelled terminated|end stop finish|ends stops finishes|ended stopped finished|begin start commence|begins starts commences|began started
open accessible|opens unlocks|opened unlocked|close shut|closes shuts|closed shut|change alter modify|changed altered modified|replace swap|replaced swapped
send ship mail|sent shipped mailed|deliver bring|delivered brought|delivery shipment|return hand.back|returned handed.back|receive obtain|received obtained
find locate|found located|use employ|used employed|apply sign.up|register enrol|registered enrolled|book reserve|booked reserved|visit come.to|visitors guests
call phone ring|contact reach|write compose|wrote authored penned|written authored|invented devised|founded established set.up|designed drafted|built constructed
made produced|created produced|discovered identified|led headed|leads heads|runs manages|owns possesses|owned possessed|sold marketed|sells markets
lives resides|lived resided|works is.employed|worked was.employed|job profession|occupation profession|studied was.educated|born given.birth|died passed.away
married wed|wife spouse|husband spouse|child kid|children kids|people persons|guests visitors|customer client|customers clients|employee staff.member
employees staff|staff employees|boss manager|manager supervisor|doctor physician|teacher instructor|student pupil|students pupils|driver chauffeur|owner holder
company firm|business firm|shop store|office bureau|building house|room chamber|house home|home house|town place|city place|country nation|street road
car vehicle|cars vehicles|bicycle bike|bike bicycle|plane aircraft|ship vessel|train rail|parking car.space|lift elevator|entrance way.in|exit way.out|door doorway
bag sack|box container|bin container|key opener|card pass|ticket pass|tickets passes|passport identity.document|invoice bill|bill invoice|receipt proof.of.payment
form sheet|document paper|documents papers|letter mail|password passcode|account profile|app application|computer machine|laptop notebook
phone mobile|screen display|data information|file document|backup spare.copy|meeting gathering|appointment slot|course class|lesson class|exam test|test check
holiday vacation|illness sickness|sick ill|medicine drug|hospital clinic|injury wound|insurance cover|damage harm|damaged broken|broken defective
lost missing|stolen taken|theft stealing|fine penalty|penalty fine|contract agreement|notice warning|deadline latest.date|period time|duration length
salary wages|wage pay|bonus extra.pay|discount reduction|deposit down.payment|rent hire|loan credit|tax duty|budget funds|free without.charge|cheap inexpensive
big large|large big|small little|fast quick|quickly fast|slow sluggish|hot warm|cold chilly|old aged|new recent|young junior|early ahead.of.time|late overdue
first initial|last final|daily every.day|weekly every.week|monthly every.month|annual yearly|yearly annual|morning a.m|day date|days dates
hours times|minutes mins|year twelve.months|month four.weeks|week seven.days|weekend saturday.or.sunday|height tallness|tall high|weight heaviness|heavy weighty
length extent|wide broad|depth deepness|deep far.down|speed pace|colour shade|color shade|size dimensions|number figure|amount quantity|maximum highest|minimum lowest
allowed permitted|required needed|valid good|available on.offer|possible feasible|responsible in.charge|approve sign.off|approves signs.off|approved signed.off
food meals|eat consume|drink beverage|breakfast morning.meal|lunch midday.meal|dinner evening.meal|coffee espresso|kitchen pantry|dog pet|dogs pets|cat pet|animal creature
animals creatures|plant grow|plants greenery|water moisten|tree trunk|garden yard|clean wash|wash clean|dry drain|repair mend|fix mend|check inspect|clothes garments
shoes footwear|wear have.on|photos pictures|photography taking.pictures|smoke have.a.cigarette|park leave.the.car|drive travel.by.car|travel trips|trip journey
capital main.city|population inhabitants|language tongue|name title|called named|address whereabouts|located situated|headquarters head.office|kept stored
stored kept|put place|carry transport|pick.up collect|collect pick.up|move shift|rule regulation|rules regulations|policy rule|happens occurs
meaning sense|mean stand.for|reason cause|help support|support assistance|join become.part.of|member participant|members participants|membership subscription
subscription plan|plan package|plans packages|upgrade move.up|update refresh|install set.up|delete erase|remove erase|reset restore|login sign-in|log.in sign.in
"""  # fmt: skip
_SYNONYMS: dict[str, list[str]] = {}
for _group in re.split(r"[|\n]", _GROUPS.strip()):
    _own, *_others = (each.replace(".", " ") for each in _group.split())
    _SYNONYMS.setdefault(_own, []).extend(_others)


def reworded(question: str, names: Iterable[str], choose: random.Random) -> str:
    """Rewords a question. `names` holds its name words in plain form; they are never changed."""
    kept = set(names)
    bare = question.strip().rstrip("?.! ？。")
    begins, rest = _beginning(bare, choose)
    rest = _with_synonyms(rest, kept, choose)
    if choose.random() < _MOVED_SHARE:
        begins, rest = _moved(begins, rest)
    elif begins and choose.random() < _SEARCH_SHARE:
        begins, rest = "", _searched(rest, kept)
    elif choose.random() < 0.3:
        begins = choose.choice(_FRAMES) + begins
    text = re.sub(r"\s+", " ", begins + rest).strip(" ,")
    if [word.plain for word in words(text)] == [word.plain for word in words(question)]:
        text = choose.choice(_FRAMES) + text
    if choose.random() < _TYPO_SHARE:
        text = _misspelt(text, kept, choose)
    if choose.random() < _LOWER_SHARE:
        return text.lower() or question.lower()
    return (text[:1].upper() + text[1:] + "?") if text else question.lower()


def _beginning(question: str, choose: random.Random) -> tuple[str, str]:
    low = question.lower()
    for old, new in _BEGINNINGS:
        if low.startswith(old):
            return choose.choice(new), question[len(old) :]
    return "", question


def _with_synonyms(text: str, names: set[str], choose: random.Random) -> str:
    telling = [word for word in words(text) if word.plain not in STOP and word.plain not in names]
    staying = round(choose.choice(_KEPT_SHARES) * len(telling))
    gone = set(choose.sample(range(len(telling)), len(telling) - staying))
    if telling and not staying and not (names and any(telling[i].plain in _SYNONYMS for i in gone)):
        # At least one word must state the relation; beside a name a synonym suffices.
        gone.discard(choose.randrange(len(telling)))
    for i in sorted(gone, reverse=True):
        word = telling[i]
        text = text[: word.start] + choose.choice(_SYNONYMS.get(word.plain, [""])) + text[word.end :]
    return _DANGLING.sub("", re.sub(r"\s+", " ", text))


def _moved(begins: str, text: str) -> tuple[str, str]:
    """Moves the last clause to the front: "For annual plans, how long is the refund period"."""
    found = re.search(
        r"^(.{8,}?),?\s((?:for|in|on|at|if|when|after|before|with|during|from|without)\s.{4,})$", text
    )
    return (f"{found[2]}, {begins}", found[1]) if found else (begins, text)


def _searched(text: str, names: set[str]) -> str:
    """The question as typed into a search field."""
    return " ".join(word.text for word in words(text) if word.plain not in STOP or word.plain in names)


def _misspelt(text: str, names: set[str], choose: random.Random) -> str:
    """Swaps two letters."""
    long: list[Word] = [word for word in words(text) if len(word.text) >= _LONG and word.plain not in names]
    if not long:
        return text
    word = choose.choice(long)
    at = word.start + choose.randrange(1, len(word.text) - 2)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
