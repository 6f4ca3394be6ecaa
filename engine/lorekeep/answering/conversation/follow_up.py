"""Resolves a follow-up: the questions that it may mean after the earlier messages, and the fact that it asks for within
their topic."""

from dataclasses import dataclass

from lorekeep.answering.compose import Composed, Composer
from lorekeep.answering.conversation.context import Context
from lorekeep.answering.judge import Judge
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.questions import is_fragment
from lorekeep.routing.words import words

# Maximum characters of a question that are read for its topic.
TOPIC = 300
# Maximum earlier messages that are searched for the subject of a follow-up.
EARLIER = 12
# Maximum words of a follow-up without a pronoun, and the minimum likeness to a fact that it needs.
FRAGMENT, _THRESHOLD = 12, 0.45


@dataclass(frozen=True)
class Turn:
    role: str
    text: str


class FollowUps:
    def __init__(self, knowledge: Knowledge):
        self.knowledge = knowledge

    def in_context(self, asked: str, earlier: list[Turn], judge: Judge, again: bool) -> Composed | None:
        """The answer to a follow-up from facts about the topic of the last question."""
        users = [turn.text for turn in earlier if turn.role == "user"]
        if not users or len(asked.split()) > FRAGMENT:
            return None
        if self.knowledge.about(asked) and standalone.is_clause(asked):
            return None
        answer = next((turn.text for turn in reversed(earlier) if turn.role == "assistant"), "")
        step = Context(judge, users[-1][:TOPIC], answer).find(asked, again)
        return step and Composed(
            "fact", step.facts, step.text, step.likeness, f"{asked} (after: {users[-1]})"
        )

    def possible_questions(self, asked: str, earlier: list[Turn], composer: Composer) -> list[str]:
        """Questions that a follow-up may mean, most likely first."""
        recent = earlier[-EARLIER:]
        if self.only_names(asked):
            users = [turn.text for turn in recent if turn.role == "user"]
            said = self.of_another(self.knowledge.subjects(asked)[0], users)
            return [said] if said is not None else []
        names = self.names_before(asked, recent)
        said = [one for name in names for one in standalone.with_name_in(asked, name)]
        if said:
            return said
        found = composer.judge.router_match(asked)
        if found is not None and found.passed:
            return []
        if not names:
            return self._about_topic(asked, recent, composer)
        if len(asked.split()) > FRAGMENT or not is_fragment(asked):
            return []
        if standalone.is_clause(asked) and not standalone.ASKS_FOR_PART.match(standalone.without_lead(asked)):
            return []
        frame = next((turn.text for turn in reversed(recent) if turn.role == "user"), "")
        for name in names[:2]:
            sure = [
                (step.likeness, one)
                for one in standalone.complete_fragment(
                    asked, name, frame if name.lower() in frame.lower() else ""
                )
                if (step := composer.judge.question_answer(one)) is not None and step.likeness >= _THRESHOLD
            ]
            if sure:
                return [max(sure, key=lambda one: one[0])[1]]
        return []

    def of_another(self, name: str, users: list[str]) -> str | None:
        """The last question about a name, with the name replaced by another. Messages that consist only of names are skipped: "same
        for Wixby?" """
        for before in reversed(users):
            own = self.knowledge.subjects(before)
            if own and not self.only_names(before):
                said = standalone.renamed(before, own[0], name)
                return said if said != before or own[0] == name else None
        return None

    def _about_topic(self, asked: str, recent: list[Turn], composer: Composer) -> list[str]:
        """A follow-up to a question without a name: "And how much is a meal there?" """
        before = next((turn.text for turn in reversed(recent) if turn.role == "user"), "")
        found = composer.judge.router_match(before[:TOPIC])
        if found is None or not found.passed or len(asked.split()) > FRAGMENT:
            return []
        topics = standalone.topics(self.knowledge.entries[found.fact].input)
        return [one for topic in topics for one in standalone.about_topic(asked, topic)]

    def names_before(self, asked: str, recent: list[Turn]) -> list[str]:
        """Known names of the earlier messages, latest first. For "he" and "she", names in answers precede those in questions."""
        users, answers = [], []
        for turn in reversed(recent):
            names = self.knowledge.subjects(turn.text[:2000])
            (answers if turn.role == "assistant" else users).extend(reversed(names))
        ordered = [*answers, *users] if standalone.PERSON.search(asked) else [*users, *answers]
        return list(dict.fromkeys(ordered))[:4]

    def only_names(self, asked: str) -> bool:
        names = {word.plain for name in self.knowledge.subjects(asked) for word in words(name)}
        return standalone.asks_nothing(asked, names)
