// Splits a passage into sentences with their offsets. Lines are never joined, since paragraphs and list items of a passage are separate
// lines.

export interface Sentence {
  text: string;
  /** Offset in the text of its passage, in UTF-16 units. */
  start: number;
  end: number;
  /** Line number in the passage. */
  line: number;
}

/** Maximum length of a line that is analysed, so that hostile text has bounded cost. */
const maxLineLength = 4_000;

const abbreviations = new Set(
  (
    'mr mrs ms dr prof st ave fig figs sec vol vols ch pp ed eds inc ltd co corp jr sr vs approx dept gen gov rev hon messrs tel incl excl max min ' +
    'bzw ca usw bspw evtl ggf inkl exkl str abs art nr zzgl mind tägl mme mlle env av bd núm pág sra srta ud uds avda dpto'
  ).split(' '),
);
/** Abbreviations only before a number ("No. 5"); elsewhere the word ends a sentence. */
const beforeNumbers = new Set(['no', 'nos', 'p', 'art', 'par', 'para', 'n', 'sect', 'tab', 'app']);
const months =
  /^(?:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec|janv|févr|avr|juin|juil|août|ener|enero|abril|agosto)/i;

const endMark = /[.!?…]+["'”’»)\]]*(?=\s)|[。！？｡]+["'”’」』）]*/gu;

export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  let at = 0;
  for (const [line, whole] of text.split('\n').entries()) {
    for (let from = 0; from < whole.length; from += maxLineLength)
      found.push(...sentencesInLine(whole.slice(from, from + maxLineLength), at + from, line));
    at += whole.length + 1;
  }
  return found;
}

function sentencesInLine(line: string, offset: number, number: number): Sentence[] {
  const found: Sentence[] = [];
  let from = 0;
  const take = (until: number) => {
    const part = line.slice(from, until);
    const text = part.trim();
    const start = offset + from + (part.length - part.trimStart().length);
    if (/[\p{L}\p{N}]/u.test(text)) found.push({ text, start, end: start + text.length, line: number });
    from = until;
  };
  for (const mark of line.matchAll(endMark)) {
    const until = mark.index + mark[0].length;
    if (mark.index >= from && isSentenceEnd(line, from, mark.index, until, mark[0])) take(until);
  }
  take(line.length);
  return found;
}

/** Whether the mark at this place ends a sentence. */
function isSentenceEnd(line: string, from: number, at: number, until: number, mark: string): boolean {
  if (!mark.startsWith('.') || mark.startsWith('..')) return !/^\s+\p{Ll}/u.test(line.slice(until, until + 8));
  const next = /^\s+["'“„«([]*([\p{L}\p{N}]*)/u.exec(line.slice(until, until + 40))?.[1] ?? '';
  if (/^\p{Ll}/u.test(next)) return false;
  const word = /[\p{L}\p{N}.]+$/u.exec(line.slice(Math.max(from, at - 24), at))?.[0] ?? '';
  const plain = word.toLowerCase();
  if (abbreviations.has(plain)) return false;
  if (beforeNumbers.has(plain) && /^\d/.test(next)) return false;
  // Initials and single-letter abbreviations: "J. Smith", "e.g. Spain", "z. B. Köln".
  if (/^(?:\p{L}\.)*\p{L}$/u.test(word) && !/^(?:[ap]\.m|u\.s)$/i.test(word))
    return /^\p{Lu}$/u.test(word) && next === '';
  // Ordinals like "15. Mai", and numbers of list items.
  if (/^\d{1,3}$/.test(word)) return !months.test(next) && line.slice(from, at).trim() !== word;
  return true;
}
