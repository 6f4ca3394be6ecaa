// Finds the text of erased facts in stored texts of every format, and redacts it.
import type { FactSource } from '@lorekeep/contract';

import { searchForm } from '../files/search-form.ts';

export interface ErasedFact {
  input: string;
  output: string;
  subject: string | null;
  /** The name by which it was found: texts of sources that hold it are erased as well. */
  about?: string | undefined;
}

/** Placeholder for an erased text. */
export const erasedMark = '[erased]';

export const normal = (text: string): string => searchForm(text).replace(/\s+/gu, ' ').trim();
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

/** Answers that are specific enough to be recognised without their question. A short one ("Oslo") may belong to another fact. */
const isSpecific = (answer: string) => answer.length >= 16 || answer.split(' ').length >= 3;

export class ErasedText {
  readonly #questions: string[];
  readonly #specific: string[];
  readonly #answers: string[];
  readonly #names: string[];

  constructor(facts: ErasedFact[]) {
    this.#questions = [...new Set(facts.map(({ input }) => normal(input)))];
    this.#answers = [...new Set(facts.map(({ output }) => normal(output)))];
    this.#specific = this.#answers.filter(isSpecific);
    this.#names = [...new Set(facts.flatMap(({ about }) => (about === undefined ? [] : normal(about))))];
  }

  /** `ours`: the text comes from the memory itself, so that short answers count too. */
  isIn(text: string, ours: boolean): boolean {
    const found = normal(text);
    return [...this.#questions, ...(ours ? this.#answers : this.#specific)].some((wanted) => holdsWord(found, wanted));
  }

  /** Whether a text of a source holds an erased text, or the name that the erasure is about. */
  isInSource(text: string): boolean {
    const found = normal(text);
    return this.#names.some((name) => holdsWord(found, name)) || this.isIn(text, false);
  }

  /** A source of a fact with the affected texts replaced; undefined if there is none. */
  withoutInSource(source: FactSource | null | undefined): FactSource | undefined {
    const { kind, ...texts } = source ?? { kind: null };
    const left = this.#replaced(texts, (text) => this.isInSource(text));
    return left === undefined ? undefined : ({ kind, ...left } as FactSource);
  }

  /** The value with the affected texts replaced; undefined if there is none. */
  without(value: unknown, ours: boolean): unknown {
    return this.#replaced(value, (text) => this.isIn(text, ours));
  }

  #replaced(value: unknown, isErased: (text: string) => boolean): object | undefined {
    let found = false;
    const walk = (one: unknown): unknown => {
      if (typeof one === 'string') {
        if (!isErased(one)) return one;
        found = true;
        return erasedMark;
      }
      if (Array.isArray(one)) return one.map(walk);
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]));
    };
    const left = walk(value);
    return found ? (left as object) : undefined;
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
    const words = [...this.#questions, ...this.#answers, ...this.#names].map(
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
  // A stored U+FFFD may stand for a NUL, which earlier versions accepted.
  if (text.includes('\ufffd')) forms.push(...formsOf(text.replaceAll('\ufffd', '\0')).map(String));
  return [...new Set(forms)].map((form) => Buffer.from(form));
}
