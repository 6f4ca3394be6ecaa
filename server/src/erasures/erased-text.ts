// Finds the text of erased facts in stored texts of every format, and redacts it.

import { storable } from '../files/question-key.ts';

export interface ErasedFact {
  input: string;
  output: string;
  subject: string | null;
}

/** Placeholder for an erased text. */
export const erasedMark = '[erased]';

const normal = (text: string) => storable(text).normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
const letter = /[\p{L}\p{N}]/u;

/** Whether a text contains another one at word boundaries. Both are in normal form. */
function holdsWord(text: string, wanted: string): boolean {
  if (wanted === '') return false;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + wanted.length] ?? ' '];
    const open =
      !(letter.test(before) && letter.test(wanted[0]!)) && !(letter.test(after) && letter.test(wanted.at(-1)!));
    if (open) return true;
  }
  return false;
}

export const holdsText = (text: string, wanted: string): boolean => holdsWord(normal(text), normal(wanted));

/** Answers that are specific enough to be recognised without their question. A short one ("Oslo") may come from anywhere. */
const isTelling = (answer: string) => answer.length >= 16 || answer.split(' ').length >= 3;

export class ErasedText {
  readonly #questions: string[];
  readonly #telling: string[];
  readonly #answers: string[];

  constructor(facts: ErasedFact[]) {
    this.#questions = [...new Set(facts.map(({ input }) => normal(input)))];
    this.#answers = [...new Set(facts.map(({ output }) => normal(output)))];
    this.#telling = this.#answers.filter(isTelling);
  }

  /** `ours`: the text comes from the memory itself, so that short answers count too. */
  isIn(text: string, ours: boolean): boolean {
    const found = normal(text);
    return [...this.#questions, ...(ours ? this.#answers : this.#telling)].some((wanted) => holdsWord(found, wanted));
  }

  /** The value with the affected texts replaced; undefined if there is none. */
  without(value: unknown, ours: boolean): unknown {
    let found = false;
    const walk = (one: unknown): unknown => {
      if (typeof one === 'string') {
        if (!this.isIn(one, ours)) return one;
        found = true;
        return erasedMark;
      }
      if (Array.isArray(one)) return one.map(walk);
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]));
    };
    const left = walk(value);
    return found ? left : undefined;
  }

  /** The same for a column that holds JSON or plain text. */
  withoutIn(column: string, ours: boolean): string | undefined {
    let value: unknown;
    try {
      value = JSON.parse(column);
    } catch {
      return this.isIn(column, ours) ? erasedMark : undefined;
    }
    const left = this.without(value, ours);
    return left === undefined ? undefined : JSON.stringify(left);
  }

  /** One word of each text, by which the database preselects rows; undefined if a text has no word. */
  get words(): string[] | undefined {
    const words = [...this.#questions, ...this.#answers].map(
      (text) =>
        (text.match(/(?<![\p{L}\p{N}])[a-z0-9]{3,}(?![\p{L}\p{N}])/gu) ?? []).sort((a, b) => b.length - a.length)[0],
    );
    return words.every((word) => word !== undefined) && words.length <= 40
      ? [...new Set(words as string[])]
      : undefined;
  }
}

/** Spellings of a text in files: plain, and as a JSON string with and without escaped non-ASCII characters. */
export function formsOf(text: string): Buffer[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const forms = [text, json, ascii];
  // A stored U+FFFD may stand for a NUL, which earlier versions took.
  if (text.includes('\ufffd')) forms.push(...formsOf(text.replaceAll('\ufffd', '\0')).map(String));
  return [...new Set(forms)].map((form) => Buffer.from(form));
}
