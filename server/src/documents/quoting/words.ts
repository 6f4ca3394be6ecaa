// Tokenizes texts for the comparison of question and sentence: without case, accents, endings and stop words, in several languages;
// scripts without spaces as pairs of characters. Words for the same measure count as synonyms.
import { contentWords, stem } from '../search/content-words.ts';
import { isWithin, withRanges } from './calendar.ts';

const stopWords = new Set(
  (
    'der die das den dem des ein eine einen einem einer eines und oder ist sind war wird werden kann konnen darf durfen muss mussen soll hat haben von zu zum zur im ' +
    'mit fur auf aus bei nach uber unter nicht auch es er sie ich man wer wie wo wann warum welche welcher welches welchen wem wen sich gibt ' +
    'le la les un une des du de et ou est sont dans par pour sur avec qui que quoi quel quelle quels quelles comment pourquoi quand combien ce cette il elle on ' +
    'el los las una unos y o es son en por para con quien cual cuales como cuando cuanto cuanta cuantos cuantas donde se su del al ' +
    'there much many long often old get may must shall need needs mean means happen happens'
  ).split(' '),
);

/** Synonyms: a question uses an adjective or a verb, and the text a noun. */
const synonymGroups = [
  'heavy weigh weight mass schwer gewicht wiegt',
  'long length lang lange',
  'high tall height hoch hohe',
  'wide width breite breit',
  'deep depth',
  'hot warm cold temperature temperatur',
  'fast speed',
  'old age',
  'cost costs price prices fee fees charge charges fare tariff rate kostet kosten preis gebuhr prix coute tarif precio cuesta',
  'guarantee warranty garantie garantia',
  'phone telephone tel telefon telefono call',
  'big large size dimensions',
  'wattage watt power',
  'holiday leave vacation urlaub',
  'forbidden prohibited banned allowed permitted may',
  'chairman chairwoman chair president',
  'begin begins start starts',
  'annual annually year yearly',
  'monthly month',
  'daily day',
  'loud noise noisy sound',
  'total sum altogether overall subtotal',
  'unit each per piece single',
  'bike bicycle',
  'trip journey travel',
  'deadline due',
  'salary wage wages pay',
  'refund refunded reimbursed reimbursement',
  'rubbish garbage waste trash',
  'bill invoice',
  'doctor physician',
  'lift elevator',
  'manager boss supervisor',
  'employee employees staff workers personnel',
  'customer client',
  'contract agreement',
  'child children kid kids',
  'display screen monitor',
  'laptop notebook computer',
  'button buttons key keys',
  'hold keep kept stored store',
  'buy bought purchase purchased',
  'mean meaning',
  'allow allows permit permits',
  'use used uses',
  'material made',
  'repair repairs mend fix',
  'person people persons head guest',
  'incoming inlet feed',
  'broken defective faulty damaged',
  'replace replaced change changed exchange renew',
  'discard throw',
  'choose select pick',
  'release released publish published',
  'end ends finish stop',
  'minimum least min',
  'maximum most max',
];
const groupOf = new Map(
  synonymGroups.flatMap((group, at) => group.split(' ').map((word) => [stem(word), `group ${at}`] as const)),
);
/** Measures of "how long" and "how old", whose words are stop words. */
const measureQuestion = /\bhow (long|old|heavy|high|tall|wide|deep|hot|warm|cold|fast|big|large|loud)\b/i;

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const maxWords = 400;
/** Maximum number of words of a question, since each is compared with every word of the passages. */
const maxQuestionWords = 64;

export function wordsOf(text: string, limit = maxWords): string[] {
  const words = contentWords(withRanges(text))
    .filter((word) => !stopWords.has(word))
    .flatMap((word) => (spaceless.test(word) ? pairsOf(word) : [stem(word)]));
  return [...new Set(words)].slice(0, limit);
}

/** Words of a question, with the measure that "how heavy" asks for. */
export function questionWords(question: string): string[] {
  const measure = measureQuestion.exec(question)?.[1]?.toLowerCase();
  const one = /\bhow much (?:is|are|does|for) (?:a|an|one|each)\b/i.test(question) ? [stem('unit')] : [];
  const named = measure && measure !== 'long' && measure !== 'old' ? [stem(measure)] : [];
  return [...new Set([...named, ...one, ...wordsOf(question)])].slice(0, maxQuestionWords);
}

function pairsOf(word: string): string[] {
  const signs = [...word];
  return signs.length < 2 ? signs : signs.slice(1).map((sign, at) => signs[at]! + sign);
}

/** Degree to which one word stands for another, from 0 to 1. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const group = groupOf.get(one);
  if (group !== undefined && group === groupOf.get(other)) return 0.9;
  const within = isWithin(one, other);
  if (within !== undefined) return within ? 0.9 : 0;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < 4 || /\d/.test(short)) return 0;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared++;
  if (shared >= Math.max(4, long.length * 0.6)) return 0.8;
  // Compound words: "Gebühr" in "Parkgebühr".
  return short.length >= 5 && long.includes(short) ? 0.6 : 0;
}

export const bestLikeness = (word: string, among: string[]): number =>
  among.reduce((highest, other) => (highest === 1 ? 1 : Math.max(highest, likeness(word, other))), 0);

/** Inverse document frequency of the words over these texts. */
export function weightsOf(words: string[], texts: string[][]): number[] {
  return words.map((word) => {
    const holding = texts.filter((text) => bestLikeness(word, text) >= 0.6).length;
    return Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5));
  });
}
