"""Detects instructions that ask for a text (write a poem, translate this, act as a pirate) instead of a fact,
by their first words in the languages listed here. Texts in other languages are never classified as
instructions."""

import re
import unicodedata

from lorekeep.routing.words import any_case

WRITE, TRANSLATE, SUMMARISE, REWRITE, ROLE, EXPLAIN, WORKS = (
    "write",
    "translate",
    "summarise",
    "rewrite",
    "role",
    "explain",
    "works",
)


MADE_UP = (
    r"poems?|haikus?|limericks?|sonnets?|rhymes?|verses?|stor(?:y|ies)|tales?|fables?|essays?|jokes?|riddles?|puns?|songs?|lyrics|raps?"
    r"|speech|toast|slogans?|taglines?|jingle|dialogues?|monologue|screenplay|tongue[- ]twisters?|synonyms?|antonyms?|metaphors?|analogy"
    r"|(?:python|javascript|typescript|java|rust|sql|bash|shell|c\+\+|go|ruby|php|html|css) \w+|functions?|snippets?|regex|regular expression"
)
_PRODUCT = (
    rf"{MADE_UP}|e-?mails?|letters?|memo|lists?|tables?|charts?|diagrams?|timelines?|agenda|itinerary|schedule|plans?|checklists?|templates?"
    r"|summary|outline|paragraphs?|sentences?|articles?|blog|posts?|tweets?|headlines?|captions?|quiz|puzzles?|script|program(?:me)?|code"
    r"|class|algorithm|quer(?:y|ies)|macro|formula|parser|website|web ?page|app|logo|posters?|flyers?|adverti[sz]ement|advert|press release"
    r"|recipes?|menu|names?|titles?|ideas?|holiday|character|biography|mnemonic|acronym|component|scripts|descriptions?|texts?|tests?|unit tests?"
)
_ONE = r"(?:an?|some|another|one|two|three|four|five|six|seven|eight|nine|ten|several|a few|\d+)"
_THE = rf"(?:{_ONE}|the|this|these|that|those|my|our|your|his|her|its|it|all|every)"
_FOR_ME = r"(?:(?:me|us|him|her|them) )?"
_STRONG = r"(?:write|compose|draft|pen|craft|implement|code|invent|brainstorm|devise|improvise|recite)"
_WEAK = r"(?:make|create|generate|build|design|develop|prepare|produce|plan|sketch|draw|put together|come up with|think up|program)"
_GIVE = r"(?:give|tell|show|suggest|propose|provide|offer|sing)"
_TEXT = (
    r"(?:sentence|text|paragraph|passage|word|words|phrase|spelling|grammar|punctuation|mistakes?|errors?|typos?|essay|e-?mail|letter|story"
    r"|poem|proverb|lyrics|song|code|bug|function|list|quote|verse|article|message)"
)
# Polite phrases before the instruction.
_BEFORE = (
    r"^\W*(?:(?:hi|hello|hey|ok|okay|now|so|then|thanks|well|first|next|also|and|good (?:morning|day|evening))\b[,!. ]*)*"
    r"(?:(?:in|as|using|with|without|for|from|based on) [^,.?!]{1,60}, )?(?:please,? |kindly |just )*"
    r"(?:(?:can|could|would|will) (?:you|u) (?:please |kindly |perhaps |maybe |also )*|(?:i|we)(?:'d| would| want| need|'m asking| am asking)?"
    r"(?: like| love)? ?you to |(?:i|we) (?:want|need|would like|'d like) to have you |(?:can you |could you |please )?help (?:me|us) (?:to )?"
    r"|your (?:task|job) is to |let'?s |go ahead and |try to )?(?:please,? |kindly |just |now )*(?:quickly |briefly )?"
)
# The first matching pattern decides.
_ENGLISH = (
    (ROLE, any_case(
        _BEFORE + r"(?:(?:act|behave|respond|speak|talk|answer|reply) (?:as|like) (?:an?|the|my|if|though)\b|pretend\b|role-?play\b"
        r"|play the (?:role|part)\b|imagine (?:that )?(?:you|i)\b|impersonate\b)"
    )),
    (TRANSLATE, any_case(_BEFORE + r"(?:translat(?:e|ing)\b(?=.{2})|transcribe\b(?=.{2}))")),
    (SUMMARISE, any_case(
        _BEFORE + rf"(?:summari[sz]e\b *(?:[:\"“'(]|(?:{_THE})\b|what\b|in\b|\w+ (?:in|for|into|as)\b)"
        rf"|(?:condense|shorten)\b *(?:[:\"“'(]|(?:the |this |these |my |following )+(?:\w+ )?{_TEXT}\b))"
    )),
    (REWRITE, any_case(
        _BEFORE + rf"(?:(?:rewrite|paraphrase|rephrase|reword|proofread|refactor|debug|simplify)\b *(?:[:\"“]|(?:{_THE})\b|in\b|as\b)"
        rf"|(?:correct|edit|polish|fix|improve|check|finish|complete|continue|extend|sort|reverse|punctuate) (?:the |this |these |my |following )+(?:\w+ )?{_TEXT}\b"
        rf"|(?:correct|fix|finish|complete|continue) (?:this|these|the following)\b"
        r"|(?:turn|convert|change|put|make|transform|sort|classify|format) (?:this|these|the following)\b(?! (?:work|go|possible|happen))"
        r"|(?:convert|add|subtract|multiply|divide|round) -?\d|(?:solve|differentiate|integrate) \S+|classify \w+ as\b|classify as\b|repeat (?:the|after|this)\b|count (?:from|back\w*|up)\b|put an? \w+ where\b"
        r"|(?:turn|convert|format|transform)\b.* (?:in)?to (?:json|yaml|xml|csv|html|markdown|prose|verse|bullet points)\b)"
    )),
    (EXPLAIN, any_case(
        _BEFORE + r"(?:(?:explain|describe|teach)\b.*\b(?:like i\b|like i'?m\b|like (?:a|to an?)\b|as if\b|as though\b|as an? (?:\w+ )?(?:poem|pirate|story|child)"
        r"|to an? [\w -]*(?:child|kid|year[- ]old|toddler|grandma|grandmother|robot|alien|beginner|pupil|dog|somebody|someone)\b"
        r"|to (?:somebody|someone) who)|describe (?:me )?an?\b|eli5\b)"
    )),
    (WORKS, any_case(_BEFORE + r"(?:explain|describe|tell me)\b.*\bhow an? [\w -]+ works?\W*$")),
    (WRITE, any_case(
        _BEFORE
        + rf"(?:{_STRONG} {_FOR_ME}(?:up )?(?:(?:{_THE})\b|[\"“]|(?:(?:[\w+#-]+ ){{0,3}}(?:{_PRODUCT})\b))(?! ?(?:down|out)\b)"
        rf"|(?!(?:code|draft|pen) (?:for|to|on|about) ){_STRONG} (?:about|on|for|to|in|as|like) |writing {_FOR_ME}{_ONE} (?!.*,\s(?:what|which|who|how|when|where)\b)"
        rf"|{_WEAK} {_FOR_ME}(?:up )?(?:{_ONE} )?(?:[\w'+#-]+ ){{0,3}}?(?:{_PRODUCT})\b"
        rf"|plan {_FOR_ME}(?:an?|my|our) |(?:suggest|propose|think of) {_FOR_ME}{_ONE} (?:[\w'-]+ ){{0,3}}?(?:{_PRODUCT})\b"
        rf"|give {_FOR_ME}(?:two|three|four|five|six|seven|eight|nine|ten|some|several|\d+) (?:[\w'-]+ ){{0,2}}?(?:names?|ideas?|titles?|examples?|sentences?)\b"
        rf"|{_GIVE} {_FOR_ME}{_ONE} (?:[\w'-]+ ){{0,3}}?(?:{MADE_UP})\b)"
    )),
    (WRITE, any_case(
        rf"^\W*(?:please )?(?:i|we)(?:'d like| would like| want| need| would love|'d love) {_ONE} (?:[\w'-]+ ){{0,3}}?(?:{MADE_UP})\b"
    )),
)  # fmt: skip
# Patterns match text without accents.
_ROMANCE = r"(?:-?(?:moi|nous|me|nos|mi|ci))? (?:un|une|una|uno|unos|unas|um|uma|le|la|les|el|los|las|il|lo|i|gli|o|os|as|ce|cet|cette|ces|este|esta|esto|isto|questo|questa|mon|ma|mes|mi|al|en|em|in|des|de|du|\W|\d+|deux|trois|dos|tres|due|tre|dois|codigo|code)(?:\b|\W)"
_GERMANIC = r" (?:sie |mir |uns |bitte |me |mij |ons |meg |mig |mi )*(?:einen?|einem|eine?|das|den|die|der|diesen|dieses|diese|ins|auf|een|het|de|dit|deze|en|et|ett|den|det|ei|\W|\d+|zwei|drei|twee|drie|tva|to|tre|\w+code)(?:\b|\W)"
_PLEASE = r"^\W*(?:(?:hallo|bonjour|hola|ciao|ola|hej|bitte|s'il (?:te|vous) plait|por favor|per favore|alsjeblieft|alstublieft|prosze|pozhaluysta|пожалуиста|привет)\b[,!. ]*)*"
_OTHER_LANGUAGES = (
    (TRANSLATE, any_case(
        _PLEASE + rf"(?:(?:traduis|traduisez|traduce(?:me)?|traduzca|traduci(?:mi)?|traduca|traduz|traduza)(?:{_ROMANCE}| \w)|(?:ubersetz(?:e|en|t)?|vertaal|oversatt|oversaet|oversett|oversæt)\b"
        r"|(?:kannst du|konn?test du|konnen sie)\b.*\bubersetzen\W*$|(?:peux-tu|pouvez-vous|puedes|podrias)\b.*\b(?:traduire|traducir)|przetlumacz|preloz|переведи|переклади)"
        r"|(?:翻訳|訳)して|^(?:请|請|帮我|幫我|麻烦)*(?:把.*)?翻[译譯]|번역해|번역하|^\W*ترجم|अनुवाद (?:कर|करें|कीजिए)|\bcevir(?:in|iniz|ir misin)?\W*$"
    )),
    (SUMMARISE, any_case(
        _PLEASE + rf"(?:(?:resume[zr]?|resuma|riassumi|riassuma|resuma){_ROMANCE}|fass(?:e|en sie)?\b.*\bzusammen|vat\b.*\bsamen|sammanfatta|opsummer|oppsummer"
        r"|stresc|podsumuj|shrn|перескажи|резюмируи|кратко изложи|(?:kannst du|konn?test du|konnen sie)\b.*\bzusammenfassen)"
        r"|(?:要約して|まとめて)|^(?:请|請|帮我|幫我|麻烦)*(?:总结|總結|概括)|요약해|^\W*لخص|सारांश|\bozetle(?:yin|yiniz|r misin)?\W*$"
    )),
    (WRITE, any_case(
        _PLEASE + rf"(?:(?:ecris|ecrivez|redige[zr]?|compose[zr]?|cree[zr]?|genere[zr]?|invente[zr]?|imagine[zr]?|fais|faites|escribe|escriba|escribeme|redacta|redacte|crea|cree"
        r"|genera|genere|inventa|invente|implementa|hazme|haz|scrivi|scriva|scrivimi|componi|redigi|inventa|creami|escreve|escreva|redige|redija|cria|crie|gera|gere|faca|faz|inventame"
        rf"){_ROMANCE}|(?:schreib(?:e|en)?|verfass(?:e|en)?|dichte|formulier(?:e|en)?|erstell(?:e|en)?|generier(?:e|en)?|programmier(?:e|en)?|implementier(?:e|en)?|entwirf|erfinde|erfinden"
        rf"|schrijf|maak|genereer|verzin|bedenk|skriv|skapa|hitta pa|lag){_GERMANIC}|(?:kannst du|konn?test du|konnen sie|konnten sie)\b.*\b(?:mir|uns|bitte|ein\w*)\b.*\b(?:schreiben|verfassen|dichten|erstellen)\W*$"
        r"|(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|puedes|podrias|puede|puoi|potresti|pode|podes|poderia)\b.*\b(?:ecrire|rediger|composer|escribir\w*|redactar\w*|scriver\w*|escrever)\b"
        r"|(?:napisz|stworz|wymysl|wygeneruj|uloz|zredaguj|napis|vytvor|vymysli|napiste)\b|(?:напиши|напишите|сочини|сочините|составь|составьте|придумаи|придумаите|создаи|создаите|сгенерируи|склади|створи)\b)"
        r"|(?:書いて|作って|作成して|考えて|生成して)(?:ください|下さい|くれ|ほしい|欲しい|\W|$)|^(?:请|請|帮我|幫我|给我|麻烦|用\w{1,12}?)*(?:写|寫|撰写|创作|編寫|编写|起草|生成|作一|编一)"
        r"|(?:써|작성해|만들어|지어)\s?(?:줘|주세요|주십시오|라|봐)|^\W*(?:اكتب|انشئ|الف)\b|(?:लिखो|लिखें|लिखिए|लिख दो)|\b(?:yaz|olustur|hazirla)(?:in|iniz|ın|ınız|ar misin|ar mısın)?\W*$"
    )),
)  # fmt: skip
_QUESTION = any_case(
    r"\?|？|^\W*(?:and |so |but )?(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|might|must|will|would|should|am|have|has|shall)\b"
)
# Questions about how something works, besides instructions to explain it.
_HOW_IT_WORKS = any_case(r"\bhow\b.*\bworks?\b")
# "Write down who founded it" is a question.
_INDIRECT_QUESTION = any_case(
    _BEFORE
    + r"\w+ (?:me |us |down |out |up )*(?:who|whom|whose|what|which|when|where|why|whether|if|down|out)\b"
)
_MAX_LENGTH = 4000  # examined characters; an instruction comes early
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})


def instruction_of(text: str) -> str | None:
    """The kind of requested text, or None. The first sentence with an instruction or a question decides; earlier ones are
    context."""
    text = " ".join(text[:_MAX_LENGTH].translate(_APOSTROPHES).split())
    parts = [part for part in re.split(r"(?<=[.!?。！？])\s*(?=\S)", text) if part.strip(" .!?")]
    role = None
    for part in parts:
        kind = _kind_of(part)
        if kind == ROLE:
            role = kind  # a question may follow: "Act as a guide. Where can visitors park?"
        elif kind or _QUESTION.search(part):
            return kind
    return role


def instructions_differ(text: str, taught: str) -> bool:
    """Whether a text is requested that the taught question does not ask for. "How a VPN works" in general differs from how to use
    the VPN of the facts."""
    instruction = instruction_of(text)
    if instruction is None or instruction == instruction_of(taught):
        return False
    return not (instruction == WORKS and _HOW_IT_WORKS.search(taught))


def _kind_of(sentence: str) -> str | None:
    if len(sentence.split()) < 3 and sentence.isascii():
        return None  # "write review" is a search query
    if not _INDIRECT_QUESTION.match(sentence):
        for kind, pattern in _ENGLISH:
            if pattern.search(sentence):
                return kind
    bare = _without_accents(sentence)
    return next((kind for kind, pattern in _OTHER_LANGUAGES if pattern.search(bare)), None)


def _without_accents(text: str) -> str:
    """Removes accents from letters of Latin, Greek and Cyrillic scripts."""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not "\u0300" <= c <= "\u036f"))
