"""Forms composed from parts, for training only. A fixed list of forms is memorised; combinations generalise.

Each function returns a form as those of forms/ are written. The exam's forms stand in forms/ alone.
"""

from functools import partial

from .values import Voice, capital

OPENINGS = [
    "Hi, ", "Hello! ", "Hey, ", "Good morning. ", "Good afternoon, ", "Hi there, ", "Dear team, ", "Hello again. ", "Hi! A customer asks: ", "Excuse me, ", "Sorry to bother you, ",
    "Please, ", "Quick one: ", "A short one: ", "Just a question: ", "One question: ", "I have a question. ", "Here is my question: ", "My question is this: ", "For my records: ", "For a report: ",
    "For an order: ", "Urgent: ", "I was asked this today: ", "A colleague wants to know: ", "My boss wants to know: ", "We need to know: ", "I need to know this: ", "Tell me, ", "Remind me, ",
    "Out of curiosity, ", "So, ", "Well, ", "Okay, ", "Now then: ", "Right. ", "Let me ask: ", "Let me see. ", "Question: ", "Q: ", "Could you help? ", "Can you help me? ", "I forgot. ", "Going by the facts, ",
]  # fmt: skip
CLOSINGS = [
    " Thanks!", " Thank you.", " Many thanks.", " Thanks in advance.", " Cheers.", " Please.", " I need it for a letter.", " I could not find it.", " It is for a form.", " It's urgent.",
    " I forgot.", " Please be exact.", " Please look it up.", " I have to know today.", " The customer is waiting.", " Kind regards, Tom", " Best wishes, Ana", " Any help is welcome.",
    " I would be grateful.", " That is all I need.", " I looked everywhere.", " It must be somewhere.", " Let me know.", " Just asking.",
]  # fmt: skip
BOTH_OPENINGS = [
    "Two questions: ", "Two things. ", "Two things, please: ", "I have two questions. ", "There are two things I need. ", "Both of these, please. ", "Can you answer both? ", "A double question: ",
    "I need to know two things: ", "Two facts, please: ", "A question in two parts: ", "Please answer each: ", "Here are two questions. ", "A pair of questions: ", "Two at once: ",
]  # fmt: skip
BOTH_CLOSINGS = [
    " Both, please.", " I need both.", " Please answer both.", " Please give both.", " Two answers, please.", " Don't leave one out.", " One after the other, please.",
]  # fmt: skip
# Between two questions. The first has lost its mark before a small letter; {A} and {B} are whole questions.
RUNNING = [
    ", and ", " and ", ", and then ", " and then ", " and besides ", ", plus ", " plus ", " & ", "; and ", "; ", ", next ", " - and ", ", further ", ", and furthermore ", ", and again, ",
    ", and on the same subject, ", ", and while I'm asking, ", ", and if possible ", ", and finally ", ", but first, or after that, ", ", and connected with that, ", ", likewise ", ", and lastly ",
    "? And ", "? Plus, ", "? Then: ", "? And then ", "? Besides, ", "? Next, ", "? Further, ", "? Moreover, ", "? Additionally, ", "? In addition, ", "? And besides that, ", "? Likewise, ",
    "? Second: ", "? And second, ", "? Another thing: ", "? Then again, ", "? And lastly, ", "? Finally, ", "? After that, ", "? Furthermore, ", "? Oh, and ", "? And one last thing: ", "? And while we are at it, ",
]  # fmt: skip
APART = [
    " ", " ", "\n", "\n\n", "\n- ", " / ", " | ", " Then: ", " Next: ", " And: ", " Second question: ", " Second, ", " (2) ", "\n2. ", " And now: ", " Another question: ", " Part two: ", " B: ",
]  # fmt: skip
VERBS = [
    "List", "Name", "Give me", "Show me", "Tell me", "Write down", "Recite", "Itemise", "Set out", "Spell out", "Run through", "Note down", "State", "Quote", "Provide", "Send me", "Read out",
    "Recall", "Count off", "Lay out", "Say", "Find", "Look up", "Get me", "Bring up", "Fetch", "Pick out", "Present", "Report", "Write out", "Put down", "Go over", "Repeat", "Check", "Return", "Print", "Display",
]  # fmt: skip
POLITE = [
    "{v} {x}.", "Please {w} {x}.", "{v} {x}, please.", "Could you {w} {x}?", "Would you {w} {x}?", "Can you {w} {x}?", "Kindly {w} {x}.", "I'd like you to {w} {x}.", "You can {w} {x}, I hope?", "{v} {x} for me.", "Try to {w} {x}.",
]  # fmt: skip
WISHES = [
    "I need {x}.", "I want {x}.", "I'm looking for {x}.", "We are after {x}.", "I have to know {x}.", "I'd like to have {x}.", "{x}, please.", "{x}?", "{x}", "What about {x}?", "Any word on {x}?",
    "I forgot {x}.", "We are missing {x}.", "I was asked for {x}.", "Do you have {x}?", "Have you got {x}?", "Do you know {x}?", "Can I have {x}?", "May I have {x}?", "Where do I find {x}? I mean: just say it.",
    "I would like to hear {x}.", "The form asks for {x}.", "It is about {x}.", "My question is about {x}.", "Is there a record of {x}? If so, what does it say?", "This is what I need: {x}.",
]  # fmt: skip
ALL = [
    "{s} {ns}", "the {ns} of {e}", "all {ns} of {e}", "all the {ns} of {e}", "all of {s} {ns}", "every {n} of {e}", "each {n} of {e}", "the {ns} that {e} has", "whatever {ns} {e} has", "each and every {n} of {e}", "every single {n} that {e} has", "the complete {ns} of {e}", "{s} various {ns}", "{s} {ns}, every one", "{s} {ns} (all)", "the {ns} listed under {e}", "the {ns} given for {e}", "the {ns} for {e}",
]  # fmt: skip
ALL_OF_VALUE = [
    "all with the {n} {v}", "all whose {n} is {v}", "those with {v} as the {n}", "those that have {v} as their {n}", "every one with the {n} {v}", "the ones with the {n} {v}", "each of those whose {n} is {v}",
    "all that share the {n} {v}", "everything that has the {n} {v}", "everyone and everything with {v} as {n}", "all entries whose {n} is {v}", "the names of those with the {n} {v}", "each one for which the {n} is {v}",
]  # fmt: skip
PAIR = [
    "{s} {n1} and {n2}", "{s} {n1} and the {n2}", "the {n1} and the {n2} of {e}", "the {n1} and {n2} of {e}", "{s} {n1}, plus the {n2}", "{s} {n1} along with the {n2}", "{s} {n1} together with the {n2}",
    "the {n1} of {e}, and the {n2}", "the {n1} of {e} and its {n2}", "first {s} {n1}, then the {n2}", "{s} {n1} and then the {n2}", "{s} {n1} & {n2}", "the {n1}, and besides that the {n2}, of {e}",
    "both {s} {n1} and the {n2}", "the {n1} for {e}, and the {n2} too", "two things about {e}: {n1} and {n2}", "{s} {n1}, followed by the {n2}", "{s} {n1} and, in addition, the {n2}", "{n1} and {n2} for {e}",
]  # fmt: skip
EACH = [
    "the {n} of {e} and of {f}", "the {n} of both {e} and {f}", "the {n} of {e} and the {n} of {f}", "{s} {n} and the {n} of {f}", "the {n} for {e} and for {f}", "the {ns} of {e} and {f}", "{s} {n}, then that of {f}", "the {n} of {e}, plus that of {f}", "the {n} of each of {e} and {f}", "the {n} of {e}, followed by the {n} of {f}",
]  # fmt: skip
TRIPLE = [
    "{s} {n1}, {n2} and {n3}", "the {n1}, the {n2} and the {n3} of {e}", "the {n1}, {n2} and {n3} of {e}", "three things about {e}: {n1}, {n2}, {n3}", "{s} {n1} and {n2}, plus the {n3}", "{s} {n1}, then the {n2}, then the {n3}", "{n1}, {n2}, {n3} of {e}", "{s} {n1} along with the {n2} and the {n3}",
]  # fmt: skip
INNER = [
    "the {n1} of {e}",
    "{s} {n1}",
    "the {n1} of {e}",
    "{s} {n1}",
    "the {n1} that {e} has",
    "the {n1} given for {e}",
    "the {n1} listed for {e}",
]
JSON_WISHES = [
    "Give {e} as JSON", "Write {e} as JSON", "Return JSON for {e}", "I need JSON for {e}", "Describe {e} in JSON", "Make a JSON object for {e}", "Make JSON of {e}", "Turn {e} into JSON", "JSON about {e}", "Send {e} as a JSON object",
    "Put {e} into JSON", "Build a JSON record of {e}", "Reply in JSON about {e}", "Answer with JSON about {e}", "Export {e} as JSON", "Write a record of {e} as JSON", "Prepare JSON that describes {e}", "Serialise {e} to JSON", "Create an object for {e}",
    "Write an object that describes {e}", "Reply with an object about {e}", "Read {e} into a JSON object", "Take {e} and write JSON", "{e} in JSON",
]  # fmt: skip
JSON_KEYS = [
    " with the keys {ks}", " with {ks}", ", keys {ks}", " with the fields {ks}", " and use the keys {ks}", " whose keys are {ks}", " having the fields {ks}", " (keys: {ks})", ": {ks}", ", fields: {ks}", " under the keys {ks}", " like this: {shape}",
    " of the form {shape}", ": {shape}", " as in {shape}", " with the properties {ks}", " that has {ks}", ". Keys: {ks}", ". Fields: {ks}", ". Use {shape}", ". It has the keys {ks}", ". Nothing but {ks}", " holding {ks}", ", with members {ks}", " after the pattern {shape}",
]  # fmt: skip
JSON_ENDS = [".", "", ", please.", ". No other text.", ". JSON only.", ". Thanks!", "."]


def around(voice: Voice, question: str, small: str) -> str:
    """A question with usual words before and after it; `small` is its form after other words."""
    before = voice.pick(OPENINGS) if voice.chance(0.6) else ""
    after = voice.pick(CLOSINGS) if not before or voice.chance(0.3) else ""
    return (
        before + (small if before and before.rstrip()[-1] in ",:" and voice.chance(0.7) else question) + after
    )


def joined(voice: Voice) -> str:
    """Two whole questions: {a} and {b} are the questions behind other words, {A} and {B} as they are alone."""
    running = voice.chance(0.65)
    between = voice.pick(RUNNING if running else APART)
    opening = (
        voice.pick(BOTH_OPENINGS) if voice.chance(0.2) else voice.pick(OPENINGS) if voice.chance(0.12) else ""
    )
    closing = (
        voice.pick(BOTH_CLOSINGS)
        if voice.chance(0.15)
        else voice.pick(CLOSINGS)
        if voice.chance(0.08)
        else ""
    )
    if running:
        return opening + "{a}" + between + "{b}" + closing
    number = {"\n- ": "- ", " (2) ": "(1) ", "\n2. ": "1. ", " B: ": "A: "}.get(between, "")
    return opening + number + "{A}" + between + "{B}" + closing


def asked_for(voice: Voice, things: list[str]) -> str:
    """A request for something with a name: `List X's products.`"""
    x, verb = voice.pick(things), voice.pick(VERBS)
    form = voice.pick(POLITE if voice.chance(0.6) else WISHES)
    return form.replace("{v}", verb).replace("{w}", verb[0].lower() + verb[1:]).replace("{x}", x)


def hop(voice: Voice, noun_form: str) -> str:
    """A form of questions for a noun of a subject, asked of what one of the subject's own facts names."""
    inner = voice.pick(INNER)
    genitive = inner + ("'" if inner.endswith("s") else "'s")
    return noun_form.replace("{n}", "{n2}").replace("{s}", genitive).replace("{e}", inner)


def json_wish(voice: Voice) -> str:
    return capital(voice.pick(JSON_WISHES) + voice.pick(JSON_KEYS) + voice.pick(JSON_ENDS))


ONE = [
    "{s} {n}", "the {n} of {e}", "the {n} for {e}", "the {n} that {e} has", "{s} {n}", "the {n} of {e}", "the {n} given for {e}", "what the {n} of {e} is", "what {s} {n} is", "which {n} {e} has",
]  # fmt: skip
WHOSE = [
    "the {t} whose {n} is {v}", "the {t} with the {n} {v}", "the {t} that has {v} as its {n}", "which {t} has the {n} {v}", "what has {v} as the {n}", "the one whose {n} is {v}", "the {t} for which the {n} is {v}",
    "the {t} to which the {n} {v} belongs", "whose {n} is {v}", "the name of the {t} with {v} as {n}", "who or what {v} is the {n} of", "the {t} with {v} for a {n}", "the {t} that {v} is the {n} of",
]  # fmt: skip
CLAIMS = [
    "{v} is the {n} of {e}", "{s} {n} is {v}", "the {n} of {e} is {v}", "{e} has {v} as the {n}", "{e} has the {n} {v}", "{v} is {s} {n}", "{v} is the {n} that {e} has", "the {n} that {e} has is {v}", "for {e} the {n} is {v}",
]  # fmt: skip
DOUBTS = [  # before a claim that a mark of question ends
    "Can you vouch that ", "Could somebody confirm that ", "Can I rely on it that ", "Is there any truth in it that ", "Do the records say that ", "Do your facts agree that ", "Would it be true to say that ", "Can it be confirmed that ",
    "Do you also find that ", "Is it known that ", "Do we know for sure that ", "Is it written anywhere that ", "Have I understood correctly that ", "Would you say that ", "Did you know that ", "Will you confirm that ", "Can we state that ",
    "Does the list say that ", "Do the facts bear out that ", "Is it established that ", "Is it certain that ", "Shall I write that ", "Should I believe that ", "Is it wrong that ", "Do you find it true that ", "Is the rumour true that ",
    "Are they right that ", "Is he right that ", "Is she right to say that ", "Was I right to write that ", "Does it check out that ", "Would the facts support it that ", "Do you see that ", "Has it been recorded that ",
]  # fmt: skip
HEARSAY = [
    "I was told ", "I was told that ", "They say ", "They told me ", "People say that ", "A customer says ", "A customer insists that ", "My colleague thinks ", "My colleague is sure that ", "Our website says ", "The old list says that ", "An email says ",
    "I remember that ", "I seem to recall that ", "If I remember well, ", "As far as I know, ", "I assume ", "I suppose that ", "I guess ", "It seems that ", "It looks as if ", "The label says ", "The letter says that ", "The report claims that ", "She said ", "He told us that ",
    "We always thought ", "I wrote down that ", "Wikipedia says ", "Word has it that ", "Rumour has it that ", "Supposedly, ", "Apparently, ", "I'm fairly sure that ", "I would bet that ", "One of us says ", "Claim: ", "To check: ", "",
]  # fmt: skip
CHECKS = [
    ". Right?", ". True?", ". Is it?", ". Is it true?", ". Correct?", ". Is he right?", ". Are they right?", ". Yes?", ". Right or wrong?", ". True or false?", ". Does this agree with the facts?", ". Is this what the facts say?", ", true?", ", yes or no?", ", doesn't it?", ", or not?",
    ", am I wrong?", ". Can that be?", ". Is this so?", ". Can you confirm it?", ". Please check.", ". Is there any truth in it?", ". Is that a fact?", ". Do the facts say so?", ". Would you say so too?", ". Yes or no.", "?", ". Do you have the same?", ". Is it accurate?", " - is it so?", " - right?", ". Can I trust that?",
]  # fmt: skip
AGAIN = [
    "And ", "What about ", "Now ", "Also ", "How about ", "Next, ", "Okay, ", "And what is ", "And do you know ", "And tell me ", "Thanks. And ", "Good. And ", "Fine. What about ", "I also need ", "And finally ", "Plus ", "I see. And ", "Right, and ", "Great, and ", "Now I need ", "And could you give me ", "Is there also ", "Then I want ", "",
]  # fmt: skip
OWN = [
    "the {n}",
    "{p} {n}",
    "the {n}",
    "{p} {n}",
    "the {n} too",
    "{p} {n} as well",
    "the {n} again",
    "just the {n}",
]


def whether(voice: Voice, claim: str) -> str:
    """A claim and the doubt about it."""
    if voice.chance(0.45):
        return voice.pick(DOUBTS) + claim + "?"
    before = voice.pick(HEARSAY)
    return before + claim + voice.pick(CHECKS)


def ellipsis(voice: Voice) -> str:
    """A follow-up that names only the next attribute."""
    return (
        voice.pick(AGAIN) + voice.pick(OWN) + voice.pick(["?", "?", "?", ", please.", ".", "", "? Thanks."])
    )


noun_question = partial(asked_for, things=ONE)
two = partial(asked_for, things=PAIR)
both = partial(asked_for, things=EACH)
three = partial(asked_for, things=TRIPLE)
listing = partial(asked_for, things=ALL)
list_of = partial(asked_for, things=ALL_OF_VALUE)
reversed_ = partial(asked_for, things=WHOSE)


def whether_noun(voice: Voice) -> str:
    return whether(voice, voice.pick(CLAIMS))


def whether_said(voice: Voice) -> str:
    return whether(voice, "{s}")
