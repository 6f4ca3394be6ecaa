// A fact extracted from a document: a question, the answer in the document's own words, and the quote that contains it.
import type { StoredPassage } from '../stored-passages.ts';
import type { Language } from './language.ts';

export interface FoundFact {
  input: string;
  output: string;
  subject: string;
  quote: string;
  page: number | null;
  /** Confidence: expected share of right facts of this form, set by hand. */
  confidence: number;
  /** Paraphrases of the question, under which a memory may hold the fact. */
  asked?: string[];
}

/** A passage with the topic of its document. */
export interface Stated {
  passage: StoredPassage;
  topic: string | undefined;
  /** Words that occur in lower case somewhere in the document. */
  common: Set<string>;
  /** Questions are in English; for a document in another language they consist of its own words. */
  language: Language;
  /** The currency that the document states for its prices. */
  currency: string | undefined;
}

export const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A name or a value without footnote marks. "m²" and "m³" are units. */
export const withoutFootnoteMarks = (text: string): string =>
  /(?<!\p{L})(?:[kcdm]?m|in|ft)[²³]$/u.test(text)
    ? text
    : text.replace(/(?<=\S)\s?(?:[¹²³⁴-⁹]+|\*{1,3}|[†‡]|\[\d{1,2}\])$/u, '');

const genericHeading =
  /^(?:an? |the )?(?:overview|introduction|usage|notes?|examples?|options?|api|installation|install|details|summary|general|contents|table of contents|features|background|readme|index|about|description|parameters?|arguments?|properties|see also|references?|appendix|misc(?:ellaneous)?|other|more|getting started|quick start|faq|changelog|license|support|methods?|functions?|types?|syntax|basics?|home|main|start|advanced|todo|authors?|credits|links|resources|requirements|configuration|settings|name|synopsis|data|information|specifications?|specs?|technical data|facts|key facts|at a glance|profile|data ?sheet|(?:general|main|key|product|technical) (?:data|specifications?)|minutes)$/i;

export const isNameless = (heading: string): boolean => genericHeading.test(heading);

/** Number before a heading, such as "2.1) " or "§ 3 ". */
export const numbered = /^(?:chapter |section |part |§ ?)?\d+(?:\.\d+)*[.):]?\s+/i;

/** A heading that names a thing, in the form for a question. */
export function asName(heading: string | undefined): string | undefined {
  const name = spaced(heading ?? '')
    .replace(numbered, '')
    .replace(/(?:[ _](?:readme|build status|ci browser|npm version|ci|documentation|manual|user guide))+$/i, '')
    .replace(/ (?:npm|codecov|build|coverage|ci)\b.*$/i, '')
    .replace(/[:.]$/, '');
  if (name.length < 2 || name.length > 60 || genericHeading.test(name) || !/^[\p{Lu}\p{N}@]|\p{Lu}/u.test(name))
    return undefined;
  if (/["?!()[\]{}|<>=#;,:$`*\\/]|\.\s|https?/u.test(name) || name.split(' ').length > 6) return undefined;
  // Instructions and questions name no thing: "Using the tool", "How it works", "Install from source".
  if (
    /^(?:\p{L}+ing|how|what|why|when|where|who|if|is|are|can|do|does|to|use|add|set|make|run|install|create|get|build|write|read|with|without|for|in|on|from|by|and|or|no|not)\b/iu.test(
      name,
    )
  )
    return undefined;
  return name;
}

/** A property inside of a question: "Warranty" in lower case, unless it is a name or an abbreviation. */
export const within = (words: string): string =>
  words
    .split(' ')
    .map((word) => (/^\p{Lu}\p{Ll}+(?:-\p{Ll}+)*$/u.test(word) ? word.toLowerCase() : word))
    .join(' ')
    .replace(/^pack$/, 'pack size');

export function verbFor(words: string): string {
  const noun = words.replace(/ (?:of|for|in|on|at|to|per|with|from) .*/, '');
  const single = /(?:status|address|radius|basis|class|access|bus|series|lens|gas|process|progress)$/i.test(noun);
  return /[^su]s$/i.test(noun) && !single ? 'are' : 'is';
}

/** Words that are no property by themselves, or that stand for a text instead of a value. */
const noAttribute =
  /^(?:note|notes|nb|warning|caution|important|tip|hint|example|examples|see|see also|usage|default|todo|fixme|returns?|return value|throws|parameters?|params?|arguments?|args|description|summary|result|results|output|input|where|when|why|how|what|who|which|if|is|are|has|have|can|could|will|would|must|should|does|do|did|not|no|yes|true|false|the|an?|this|that|these|those|it|we|you|they|i|also|but|and|or|then|else|for|in|on|at|to|from|with|without|by|of|as|so|now|here|there|remember|question|answer|q|a|problem|solution|reason|motivation|comments?|remarks?|syntax|synopsis|side effects?|limitations?|advantages?|disadvantages?|pros|cons|good|bad|first|second|third|next|finally|step|steps|option|options|or|meaning|explanation|details|purpose|effect|notes on|reference|references|link|links|source|more|other|others|misc|value|values|name|key|field|item|thing|feature|features|tests?|fix|fixed|changed|added|removed|new|old|before|after|update|edit|changes?|changelog|history|discussion|installation|install|installing|benchmarks?|usage|build|tests?|testing|running|contributing|contributors|acknowledge?ments?|badges?|support|demo|credits|status|use \p{L}+|api|compatibility|dependencies|requirements|due|work|task|action|min|max|typ|nom|avg|minimum|maximum|typical|nominal|average|total|sum|metric|imperial|american|new|next|previous|last|this|valid|built|reset \p{L}+|quantity per .*|serves|supersedes|replaces|fits|makes|yields|takes|needs|contains|includes|covers|costs|applies|expires|opens|closes|starts|ends|present|absent|excused|apologies)$/iu;

/** Participles that form a property with the noun after them, unlike an activity ("Installing packages"). */
const attributiveParticiple =
  /^(?:operating|working|melting|boiling|freezing|cooling|heating|opening|closing|mounting|cutting|charging|filling|running|starting|resting|rating|bearing|building|parking|landing|sailing|shipping|lighting|holding|breaking|switching|breathing|baking|cooking|drying|firing|annealing|storing|serving|fitting|housing|seating|sleeping|floating|lifting|hoisting|printing|spinning|sampling|setting|supporting|catering|reporting|licensing|registering|governing|managing|acting) \p{Ll}/iu;
/** A participle at the end, as in "sampled" or "Replaced by", in contrast to "speed" and "bed". */
const finalParticiple = /(?:^|\s)\p{L}*[aeiouy]\p{L}*[^e\s]ed(?: as| by| in)?$/iu;

export const isNoAttribute = (words: string): boolean => noAttribute.test(words);

/** Whether a column, key or heading is the name of a property: one or two nouns. */
export function isAttribute(words: string): boolean {
  return (
    /^\p{L}[\p{L}\p{N}]*(?:[ -]\p{L}[\p{L}\p{N}]*){0,2}$/u.test(words) &&
    words.length <= 40 &&
    !noAttribute.test(words) &&
    !/^(?:slower|faster|better|worse|larger|smaller)$/i.test(words) &&
    !finalParticiple.test(words) &&
    (attributiveParticiple.test(words) ||
      !/^(?:\p{L}+ing|is|are|has|have|can|does|do|not|no|why|how|what|when|where|who|if|in|on|at|for|by|to|per|of|from|under|over|until|with|without|the|an?|please|see|note)\b/iu.test(
        words,
      ))
  );
}

/** Units that are no property by themselves, such as "days". */
const measure =
  /^(?:days?|hours?|hrs?|minutes?|mins?|weeks?|months?|years?|pcs|pieces?|kg|g|km|m|cm|mm|l|ml|eur|usd|gbp|chf|from|until)$/i;
/** Columns of a calendar, whose values belong to a day instead of a property. */
const calendar =
  /^(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:days?|sdays?|nesdays?|ursdays?|urdays?)?$|^(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*$|^(?:q[1-4]|h[12])$/i;

/** Statements without a noun to ask for, such as "lines open". */
const statementEnding = / (?:open|closed|available|included|allowed|required|due|valid|paid|free)$/i;

/** Whether a text is the name of a column: a property, optionally with its unit ("Height (cm)") or abbreviated ("Order no."). */
export function isColumn(words: string): boolean {
  const name = words.replace(/ \([^()]{1,12}\)$/, '').replace(/ n[or]\.$/, '');
  return isAttribute(name) && !measure.test(name) && !calendar.test(name) && !statementEnding.test(name);
}

/** Whether a text before a colon is a key. */
export const isKey = (words: string): boolean => isColumn(words) || isCode(words);

/** Whether a text is a value: a figure, a name, a few words; not a sentence, not a piece of a program. */
export function isValue(text: string, longest = 80): boolean {
  return (
    text.length <= longest &&
    /[\p{L}\p{N}]/u.test(text) &&
    !/^(?:n\/?a|none|null|undefined|tbd|todo|unknown|yes|no|true|false|various|see .*|same.*|ditto.*|as above|poa|on request|on application|(?:please )?ask|by arrangement|to be agreed|pending|[-–—*†]+|optional|required|x|-+)\.?$/i.test(
      text,
    ) &&
    !/^\$ |^(?:npm|npx|yarn|pnpm|pip|sudo|apt|git|cd|curl|import|require|const|let|var) |^Added in|[{}[\]<>=;`\\|]|=>|\(\)|\.\.\.|…|^[,.:;)]|[,:(]$|https?:|^["'].*["'],?$/u.test(
      text,
    ) &&
    balanced(text)
  );
}

const balanced = (text: string) => text.split('(').length === text.split(')').length;

/** Whether a text is a code, such as "DEP0117" or "RB". A code is a subject by itself. */
export const isCode = (key: string): boolean => /^\p{Lu}[\p{Lu}\p{N}_-]*\p{Ll}?$/u.test(key) && /^.{2,12}$/.test(key);

const person =
  /^(?:(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau|Mme)\.? )?(?:\p{Lu}\p{Ll}+|\p{Lu}\.)(?:[ -]\p{Lu}\.)*(?: (?:de|van|von|da) )?(?:[ -]\p{Lu}\p{Ll}+){1,3}$/u;
const role =
  /(?:^|\s|\p{Ll})(?:officer|manager|director|chair|chairman|chairwoman|chairperson|secretary|president|treasurer|contact|leader|head|author|editor|owner|operator|caretaker|principal|captain|coach|conductor|clerk|engineer|technician|inspector|supervisor|landlord|tenant|warden|teacher|doctor|nurse|representative|keeper|minutes taker|host)$/iu;

/** "What is" or "What are" before a property, "Who is" before a role that a person has. */
const openingOf = (property: string, value: string): string =>
  isRole(property, value) ? 'Who is' : `What ${verbFor(property)}`;

export const isRole = (property: string, value: string): boolean => role.test(property) && person.test(value);
export const isPerson = (text: string): boolean => person.test(text);
/** Whether a text ends like a role. A person's name may do so, too. */
export const isOffice = (text: string): boolean => role.test(text);

/** The question for a property with a phrase for its place ("of Zorbex 40"); about a document in another language, the words alone. */
export function questionFor(property: string, value: string, place: string, language: Language): string {
  if (language === 'english') {
    const isContact = /^(?:\+|00?|\(0)\d[\d ()/-]{5,}|^\S+@\S+$/.test(value) && !contactProperty.test(property);
    return `${isContact ? 'What is the contact for' : `${openingOf(property, value)} the`} ${within(property)} ${place}?`;
  }
  return `${place.replace(/^under (.*) in (.*)$/, '$2, $1').replace(/^(?:of|in|according to(?: the)?) /, '')}: ${property}?`;
}

const contactProperty = /phone|tel\b|telephone|fax|mail|mobile|number|contact|hotline|line$|address/i;

/** Words before a time or a list of days, and days of the week in four languages. */
const day =
  '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch';
const days = new RegExp(`^(?:${day})\\.?(?:(?:,| and| to| ?[–-]| ?[+/&]) ?(?:${day})\\.?)*$`, 'i');

export const isDays = (text: string): boolean => days.test(text);
