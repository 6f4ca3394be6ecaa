// Names and codes in a question. A passage without them is about something else, however similar it is.
import type { QuotedPassage, Unit } from './units.ts';

const german =
  /^\s*(?:wer|wie|was|wo|wann|warum|welche[rsnm]?|wem|wen|ist|sind|darf|kann|muss|gibt|kostet|hat)(?!\p{L})/iu;

/** Whether a code is missing in and around the passage, or a name in and around all found passages. */
export function lacksName(question: string, { kind, passage, text }: Unit, passages: QuotedPassage[]): boolean {
  // A heading stands for itself: the next version has another one.
  const here = kind === 'heading' ? flat(text) : textOf(passages[passage]!);
  const anywhere = passages.map(textOf).join('\n');
  return namesOf(question).some(({ name, code }) => !(code ? here : anywhere).includes(name));
}

const textOf = ({ text, title, headings, header, file }: QuotedPassage): string =>
  flat([file, title ?? '', ...headings, header ?? '', text].join('\n'));
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
    const name = !german.test(question) && /^\p{Lu}/u.test(word) && word.length > 1;
    const flatWord = flat(word.replace(/['’]s?$/, ''));
    return (code || name) && plain.includes(flatWord) ? [{ name: flatWord, code }] : [];
  });
}
