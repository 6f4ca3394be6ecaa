// Names and codes of a question. A passage that says nothing of them is about something else, however alike it sounds.
import type { QuotedPassage } from './units.ts';

const german =
  /^\s*(?:wer|wie|was|wo|wann|warum|welche[rsnm]?|wem|wen|ist|sind|darf|kann|muss|gibt|kostet|hat)(?!\p{L})/iu;

/** A code that does not stand around the passage, or a name that stands around none of those that were found. */
export function lacksName(question: string, passage: QuotedPassage, passages: QuotedPassage[]): boolean {
  const here = textOf(passage);
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

/** Words with digits, and words with a capital that do not begin a sentence; in German every noun has one. */
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
