// JSON and JSON lines as text: each record (an object in a list, or a line) becomes "name: value" lines, long texts become paragraphs.
// Streams token by token, whatever the depth and size.
import { type Block, blocks, cleanText, type FileToRead, type Parsed } from '../block.ts';
import { Unreadable } from '../failures.ts';
import { decodedFile } from './encoding.ts';
import { type JsonEvent, JsonTokens } from './json-tokens.ts';
import { linesOf } from './lines.ts';

/** Length above which a value is prose in its own block. */
const longValue = 300;
const maxRecordLength = 4000;
const shownMistakes = 5;

export async function* parseJson(file: FileToRead): AsyncGenerator<Parsed> {
  const records = new Records();
  const tokens = new JsonTokens((event) => records.take(event));
  for await (const chunk of decodedFile(file)) {
    tokens.feed(chunk);
    yield* records.ready();
  }
  tokens.end();
  records.finish();
  yield* records.ready();
}

/** Skips and reports an invalid line without affecting the others. */
export async function* parseJsonLines(file: FileToRead): AsyncGenerator<Parsed> {
  let wrong = 0;
  let right = 0;
  let records = new Records();
  let tokens: JsonTokens | undefined;
  let failure: Unreadable | undefined;
  for await (const lines of linesOf(decodedFile(file))) {
    for (const line of lines) {
      tokens ??= new JsonTokens((event) => records.take(event), line.number);
      try {
        if (!failure) tokens.feed(line.text);
        if (line.goesOn) continue;
        if (!failure && line.text.trim() !== '') tokens.end();
        records.finish();
        right++;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        failure = error;
        records = new Records();
      }
      if (line.goesOn) continue;
      if (failure && ++wrong <= shownMistakes) yield { type: 'notice', text: `a line was skipped: ${failure.message}` };
      failure = undefined;
      tokens = undefined;
      yield* records.ready();
    }
  }
  if (wrong > shownMistakes)
    yield { type: 'notice', text: `${wrong} lines in all were skipped, since they are not JSON` };
  if (wrong > 0 && wrong >= right)
    throw new Unreadable('damaged', { detail: `${wrong} of its lines are not valid JSON` });
}

interface Field {
  path: string;
  values: string[];
}

interface Level {
  list: boolean;
  name: string;
}

/** Converts events to blocks. The path of a value omits list indexes: "authors.name" instead of "3.authors.0.name". */
class Records {
  #levels: Level[] = [];
  #name = '';
  #fields: Field[] = [];
  #length = 0;
  #line = 1;
  #ready: Block[] = [];

  take(event: JsonEvent): void {
    if (event.type === 'name') {
      this.#name = event.text;
      return;
    }
    if (event.type === 'open') {
      if (!event.list && this.#inOuterList()) this.#flush();
      this.#levels.push({ list: event.list, name: this.#name });
    } else if (event.type === 'close') {
      const { list } = this.#levels.pop()!;
      if (!list && this.#inOuterList()) this.#flush();
    } else this.#value(event.text, event.line);
    this.#name = '';
  }

  *ready(): Generator<Block> {
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
  }

  finish(): void {
    this.#flush();
  }

  /** An element of the outermost list is a record; nested lists belong to it. */
  #inOuterList(): boolean {
    return this.#levels.at(-1)?.list === true && this.#levels.filter(({ list }) => list).length === 1;
  }

  #value(text: string, line: number): void {
    const value = cleanText(text).trim();
    if (value === '' || value === 'null') return;
    const path = [...this.#levels.slice(-6).map(({ name }) => name), this.#name].filter(Boolean).join('.');
    if (value.length > longValue) {
      this.#flush();
      this.#ready.push(...blocks({ kind: 'paragraph', text: path ? `${path}: ${value}` : value, line }));
      return;
    }
    if (this.#length + path.length + value.length > maxRecordLength) this.#flush();
    if (this.#fields.length === 0) this.#line = line;
    const last = this.#fields.at(-1);
    const words = value.replace(/\s+/g, ' ');
    if (last && path !== '' && this.#levels.at(-1)?.list && last.path === path) last.values.push(words);
    else this.#fields.push({ path, values: [words] });
    this.#length += path.length + words.length + 2;
  }

  #flush(): void {
    if (this.#fields.length > 0)
      this.#ready.push(
        ...blocks({ kind: 'paragraph', text: this.#fields.map(fieldText).join('\n'), line: this.#line }),
      );
    this.#fields = [];
    this.#length = 0;
  }
}

const fieldText = ({ path, values }: Field) => (path ? `${path}: ${values.join(', ')}` : values.join(', '));
