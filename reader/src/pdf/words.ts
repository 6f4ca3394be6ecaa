// Dehyphenation: joins words that were split at the end of a line. The document itself shows whether the hyphen belongs to the word: by
// the spelling elsewhere, and by the earlier decisions.

const maxWords = 200_000;

export class Words {
  readonly #known = new Set<string>();
  /** Counts of split words that occur elsewhere without and with the hyphen. */
  #divided = 0;
  #hyphenated = 0;

  /** Collects the words of a line except the last, which may be split. */
  learn(line: string): void {
    if (this.#known.size > maxWords) return;
    for (const [word] of line.matchAll(/\p{L}+(?:-\p{L}+)*(?=[^\p{L}-])/gu))
      if (word.length > 3) this.#known.add(word.toLowerCase());
  }

  join(lines: string[]): string {
    let text = '';
    for (const line of lines) {
      const before = /(\p{L}[\p{L}-]*)[-\u2010\u00ad]$/u.exec(text)?.[1];
      const after = /^\p{L}+(?:-\p{L}+)*/u.exec(line)?.[0];
      if (text === '') text = line;
      else if (before && after) text = (this.#isDivided(before, after, text) ? text.slice(0, -1) : text) + line;
      else text += isDense(text.at(-1), line[0]) ? line : ` ${line}`;
    }
    return text.replace(/(?:\s?\.){5,}\s?/g, ' ... ');
  }

  #isDivided(before: string, after: string, text: string): boolean {
    if (text.endsWith('\u00ad')) return true;
    if (!/^\p{Ll}/u.test(after) || !/\p{Ll}$/u.test(before)) return false;
    const whole = this.#known.has((before + after).toLowerCase());
    const hyphenated = this.#known.has(`${before}-${after}`.toLowerCase());
    if (whole !== hyphenated) {
      if (whole) this.#divided++;
      else this.#hyphenated++;
      return whole;
    }
    return this.#divided >= this.#hyphenated;
  }
}

/** Scripts without spaces between words. */
const denseScript = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]/;
const isDense = (before: string | undefined, after: string | undefined) =>
  before !== undefined && after !== undefined && denseScript.test(before) && denseScript.test(after);
