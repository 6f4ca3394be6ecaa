// Names and codes in a question. A passage without them is about something else, however similar it is.
import { isCalendarWord } from './calendar.ts';
import type { QuotedPassage, Unit } from './units.ts';

const germanQuestion =
  /^\s*(?:wer|wie|was|wo|wann|warum|welche[rsnm]?|wem|wen|ist|sind|darf|kann|muss|gibt|kostet|hat)(?!\p{L})/iu;

/** Whether a code is missing in and around the passage, or a name in and around all found passages. */
export function lacksName(question: string, { kind, passage, text }: Unit, passages: QuotedPassage[]): boolean {
  // A heading is checked alone, since the next version has another one.
  const here = () => (kind === 'heading' ? flat(text) : textOf(passages[passage]!));
  return namesOf(question).some(
    ({ name, code }) => !(code ? hasCode(here(), name) : passages.some((one) => textOf(one).includes(name))),
  );
}

/** Matches whole codes only: 4.4 is not 4.4.3. */
function hasCode(text: string, code: string): boolean {
  for (let at = text.indexOf(code); at >= 0; at = text.indexOf(code, at + 1))
    if (
      !/[\p{N}]\.?$/u.test(text.slice(Math.max(0, at - 2), at)) &&
      !/^(?:\p{N}|\.\p{N})/u.test(text.slice(at + code.length, at + code.length + 2))
    )
      return true;
  return false;
}

/** Share of the names of the question that are missing in and around the unit. */
export function namesMissing(question: string, unit: Unit, { headings, file, title }: QuotedPassage): number {
  const names = namesOf(question);
  if (names.length === 0) return 0;
  const here = flat([file, title ?? '', ...headings, unit.text, unit.before.join(' ')].join('\n'));
  return names.filter(({ name }) => !here.includes(name)).length / names.length;
}

const flatTexts = new WeakMap<QuotedPassage, string>();

/** Kept for each passage, since all its units are checked for all readings of a question. */
function textOf(passage: QuotedPassage): string {
  const known = flatTexts.get(passage);
  if (known !== undefined) return known;
  const { text, title, headings, header, file } = passage;
  const made = flat([file, title ?? '', ...headings, header ?? '', text].join('\n'));
  flatTexts.set(passage, made);
  return made;
}
const flat = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}|(?<=\d)[,.'’\s](?=\d{3}(?!\d))/gu, '')
    .toLowerCase();

/** Words with digits, and capitalized words that do not begin a sentence. In German every noun is capitalized. */
function namesOf(question: string): { name: string; code: boolean }[] {
  const plain = flat(question.slice(0, 1_000));
  const words = [
    ...question
      .slice(0, 1_000)
      .matchAll(/(?<!^[^\p{L}\p{N}]*|[.!?:]["'”»)]*\s+)[\p{L}\p{N}]+(?:[-_.'’][\p{L}\p{N}]+)*/gu),
  ];
  return words.flatMap(({ 0: word }) => {
    const code = /\d/.test(word);
    const name = !germanQuestion.test(question) && /^\p{Lu}/u.test(word) && word.length > 1;
    const flatWord = flat(word.replace(/['’]s?$/, ''));
    return (code || name) && !isCalendarWord(flatWord) && plain.includes(flatWord) ? [{ name: flatWord, code }] : [];
  });
}
