// Generates questions from sentences by patterns, each with its answer, such as a price, a time, a person or a
// name. The answer is chosen first, and used only if the rest of the sentence makes sense without it.
import type { Passage } from '@lorekeep/reader';
import type { Suggestion } from './suggestion.ts';
import { rowQuestionsOf } from './table-questions.ts';

/** Questions that a passage answers, the most reliable first. */
export function questionsOf(passage: Passage): Suggestion[] {
  const { text, headings, title, header } = passage;
  const { sentences, known } = sentencesOf(passage);
  const definitions = sentences.flatMap((sentence) => definitionOf(sentence, known));
  const facts = sentenceQuestionsOf(passage);
  return [
    ...facts,
    ...rowQuestionsOf(text.split('\n'), header),
    ...definitions,
    ...underHeading(headings, title, sentences),
  ];
}

/** Questions by patterns that determine the answer reliably. */
export function sentenceQuestionsOf(passage: Passage): Suggestion[] {
  const { sentences, known } = sentencesOf(passage);
  return sentences.flatMap((sentence) => factsOf(sentence, known));
}

function sentencesOf({ text, headings, title }: Passage): { sentences: string[]; known: string } {
  const sentences = text
    .split('\n')
    .filter((line) => !line.includes(' | '))
    .flatMap((line) => line.split(/(?<=[.!?])\s+(?=\p{Lu})/u))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => /^\p{Lu}.*[.!]$/u.test(sentence) && sentence.length <= maxSentenceLength)
    .map((sentence) => sentence.slice(0, -1));
  return {
    sentences,
    known: [title, ...headings, ...sentences.map((sentence) => sentence.replace(/^\S+/, ''))].join('\n'),
  };
}

const maxSentenceLength = 300;
const name = String.raw`\p{Lu}[\p{L}\p{N}'’.-]*[\p{L}\p{N}]`;
const person = String.raw`\p{Lu}\p{Ll}+(?:[- ]\p{Lu}\.?)? \p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?`;
const month = '(?:January|February|March|April|May|June|July|August|September|October|November|December)';
const day = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?';
const year = String.raw`(?:1[5-9]|20)\d\d`;
const date = String.raw`(?:\d{1,2} )?${month} ${year}|${month} \d{1,2}(?:, ${year})?|\d{1,2} ${month}|${month}|${year}`;
const time = String.raw`\d{1,2}[:.]\d\d(?: ?(?:am|pm))?|\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.|o'clock)|noon|midnight|${day}|${date}`;
const amount = String.raw`(?:[$€£] ?)?\d[\d.,]*(?: [\p{L}%€$£]+){0,5}`;
const participle =
  '(?:\\p{Ll}+ed|built|written|made|held|found|kept|sold|born|sent|led|drawn|given|taken|taught|brought|bought|paid|won)';
const role =
  '(?:director|manager|treasurer|president|captain|lifeguard|nurse|clerk|chair|chairwoman|chairman|secretary|assistant|agent|mayor|author|editor|founder|owner|' +
  'maintainer|inventor|designer|architect|engineer|doctor|teacher|librarian|cook|caretaker|gardener|accountant|head|chief|leader|coach|keeper|warden|host)';
const eventVerbs = 'opens|closes|starts|begins|ends|leaves|departs|arrives|expires';
const actionVerbs =
  'runs|approves|owns|manages|leads|maintains|signs|keeps|teaches|heads|repairs|cleans|checks|handles|answers|orders|organises|organizes|wrote|founded|' +
  'designed|built|invented|created|discovered|painted|directed|edited|developed';

const form = (pattern: string) => new RegExp(`^${pattern}$`, 'u');
type Ask = (found: string[], known: string) => Suggestion[];

/** Sentence patterns with the question for each. */
const forms: [RegExp, Ask][] = [
  [
    form(`(.{3,70}?) cost(s?) (${amount})`),
    ([, about = '', one, answer = ''], known) =>
      asked(about, known, !one, (subject) => `How much ${one ? 'does' : 'do'} ${subject} cost?`, answer),
  ],
  [
    form(`(.{3,70}?) (${eventVerbs}) (?:at|on|in) (${time})(?: and (${eventVerbs}) (?:at|on|in) (${time}))?(?: .*)?`),
    ([, about = '', verb = '', answer = '', next, after], known) => {
      const when = (verb: string, answer: string) =>
        asked(about, known, false, (subject) => `When does ${subject} ${plain(verb)}?`, answer);
      return [...when(verb, answer), ...(next && after ? when(next, after) : [])];
    },
  ],
  [
    form(`(.{3,70}?) (is|was) (?:called|named) (${name}(?: ${name}){0,3})`),
    ([, about = '', verb, answer = ''], known) =>
      asked(about, known, false, (subject) => `What ${verb} ${subject} called?`, answer),
  ],
  [form(`(.{3,70}?) (is|are|was|were) (${participle})((?: .+)?)`), (found, known) => passiveFacts(found, known)],
  [
    form(`(${person}) (is|was) (the (?:\\p{L}+ ){0,2}${role}(?: (?:of|at|in) .{3,60})?)`),
    ([, answer = '', verb, what]) => [{ question: `Who ${verb} ${what}?`, answer }],
  ],
  [
    form(`(${person}) (${actionVerbs}) ((?:the|a|an|\\p{Ll}{3,})\\b.{2,80})`),
    ([, answer = '', verb, what = '']) => (unclear.test(what) ? [] : [{ question: `Who ${verb} ${what}?`, answer }]),
  ],
  [form('((?:The|A|An) .{3,70}?) (is|was) (.{1,80})'), (found, known) => valueFacts(found, known)],
];

function factsOf(sentence: string, known: string): Suggestion[] {
  for (const [form, ask] of forms) {
    const found = form.exec(sentence);
    if (found) return ask(found, known);
  }
  return [];
}

function valueFacts([, about = '', verb, answer = '']: string[], known: string): Suggestion[] {
  const whose = /\b(?:of|at|for|in)\b|\p{Lu}/u.test(about.slice(1));
  const measured = about.split(' ').length > 2 && / \p{L}/u.test(answer);
  if (!isValue(answer) || !(whose || measured)) return [];
  const who = roleFirst.test(about);
  if (who && !form(person).test(answer)) return [];
  return asked(about, known, false, (subject) => `${who ? 'Who' : 'What'} ${verb} ${subject}?`, answer);
}

const roleFirst = new RegExp(`^(?:The|A|An) (?:\\p{L}+ ){0,2}${role}(?: of| at| in|$)`, 'u');
const definitionForm = form('(.{3,60}?) (is) (an? .{6,200})');

/** Questions for a figure or a name, and for "the X of Y". */
const isValue = (text: string) =>
  form(amount).test(text) || form(`${name}(?: (?:of |the |and )?${name}){0,4}`).test(text) || /^"[^"]+"$/.test(text);

function passiveFacts([, about = '', verb, done, rest = '']: string[], known: string): Suggestion[] {
  const many = verb === 'are' || verb === 'were';
  const ask = (word: string, end: string, answer: string | undefined) =>
    answer ? asked(about, known, many, (subject) => `${word} ${verb} ${subject} ${done}${end}?`, answer) : [];
  const matchOf = (pattern: string) => new RegExp(pattern, 'u').exec(rest)?.[1];
  return [
    ...ask('When', '', matchOf(`\\b(?:in|on) (${date})(?=$|,| (?:by|in|at|for|and|near)\\b)`)),
    ...ask('Who', ' by', matchOf(`\\bby (${person}|${name}(?: ${name}){1,3})(?=$|,| (?:in|on|at|for|near)\\b)`)),
    ...ask(
      'Where',
      '',
      matchOf(`^ (?:in|at) (${name}(?: ${name}){0,3})(?=$|,| (?:by|in|on|and)\\b)`)?.replace(form(date), ''),
    ),
  ];
}

/** A question for a definition, if the sentence names the kind of a thing. */
function definitionOf(sentence: string, known: string): Suggestion[] {
  const [, about = '', verb, answer = ''] = definitionForm.exec(sentence) ?? [];
  // "The file" refers to something mentioned before.
  const other = /^The /.test(about) && !/\p{Lu}/u.test(about.slice(1));
  if (
    about === '' ||
    other ||
    form(person).test(about) ||
    /\b(?:it|this|that one|way|lot|few|number of|good|bad|must)\b/.test(answer.slice(0, 20))
  )
    return [];
  return asked(about, known, false, (subject) => `What ${verb} ${subject}?`, answer);
}

/** Headings with program code or quotation marks. */
const codeOrQuotes = /["?()[\]{}|<>=#@]/;

function underHeading(headings: string[], title: string | undefined, sentences: string[]): Suggestion[] {
  const heading = headings.at(-1);
  const first = sentences.find((sentence) => sentence.split(' ').length >= 4);
  if (!heading || !first || heading.length > 100 || codeOrQuotes.test(heading)) return [];
  const within = title && title !== heading && !codeOrQuotes.test(title) ? ` in "${title}"` : '';
  return [{ question: `What is said under "${heading}"${within}?`, answer: first }];
}

function asked(
  about: string,
  known: string,
  many: boolean,
  question: (subject: string) => string,
  answer: string,
): Suggestion[] {
  const subject = subjectOf(about, known, many);
  return subject === undefined ? [] : [{ question: question(subject), answer }];
}

const conjunctions =
  'and|or|but|so|if|when|while|where|because|although|though|since|unless|until|once|as|then|however|also|instead|thus|therefore|please|note';
const prepositions =
  'in|on|at|by|for|from|with|without|to|of|after|before|during|under|over|between|among|through|since|like|unlike|per|via|about|inside|within|beside|besides|despite';
const quantifiers =
  'all|some|any|each|every|most|many|few|several|both|either|neither|none|no|more|less|one|another|other|such|only|not';
const pronouns =
  'it|this|that|these|those|they|he|she|we|you|i|there|here|which|who|what|whose|its|their|our|your|my|his|her';
const unclear = new RegExp(`^(?:${conjunctions}|${prepositions}|${quantifiers}|${pronouns}|to|not)\\b`, 'i');

const noAdverb = /^(?:daily|weekly|monthly|quarterly|yearly|early|family|assembly|supply|reply)$/;

/** The subject of a sentence in the form for a question; undefined if it is ambiguous by itself. */
function subjectOf(about: string, known: string, many: boolean): string | undefined {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}'’&./ -]+$/u.test(about) || unclear.test(about)) return undefined;
  const words = about.split(' ');
  const inner = words.slice(1).map((word) => word.toLowerCase());
  const hidden =
    /^(?:that|which|who|whose|where|when|it|this|these|those|they|you|we|is|are|was|were|be|been|has|have|can|will|must|should|may|and|or|but|if|then|not|above|below|following|same|only|first|second|next|last|other|main|best)$/;
  if (inner.some((word) => hidden.test(word) || (/[a-z]{3}ly$/.test(word) && !noAdverb.test(word)))) return undefined;
  const [first = ''] = words;
  if (/^(?:The|A|An)$/.test(first))
    return /\p{L}{3}/u.test(inner.join(' ')) ? about[0]!.toLowerCase() + about.slice(1) : undefined;
  if (/(?:ing|ly)$/.test(first)) return undefined;
  if (isName(words, known)) return about;
  // Without an article only a plural is clear by itself.
  return many && words.length <= 3 && /s$/.test(words.at(-1)!) ? about[0]!.toLowerCase() + about.slice(1) : undefined;
}

/** Whether the words are a name: capitalized in the middle of a sentence, or not made of ordinary words. */
function isName(words: string[], known: string): boolean {
  if (!words.every((word) => /^[\p{Lu}\p{N}]/u.test(word) || /^(?:of|the)$/.test(word))) return false;
  const [first = '', ...more] = words;
  const odd = /\d|\p{L}\p{Lu}|\p{L}\.\p{L}/u.test(first);
  return (
    odd || more.length > 0 || new RegExp(`(?<![\\p{L}\\p{N}])${escaped(first)}(?![\\p{L}\\p{N}])`, 'u').test(known)
  );
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const plain = (verb: string) => verb.replace(/s$/, '');
