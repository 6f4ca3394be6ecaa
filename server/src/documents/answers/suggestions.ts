// Questions that the documents answer, with their answers. Candidates come from the forms of sentences and tables, and of models that can ask, from the model;
// those are given first that the model answers as the passage does. No question is given twice: its hash is kept, not its words, which may be those of a
// file that is removed later. Every call goes on where the last one ended, until every passage was looked at.
import type { Asker, Asking } from '../../completions/asking.ts';
import type { Store } from '../../store/database.ts';
import type { OwnIndex } from '../indexes.ts';
import { embeddedText, type Passage } from '../passages/passage.ts';
import { passagesAt } from '../passages/stored.ts';
import { type Place, placeOf } from '../vectors/vectors.ts';
import { refuseUnready } from './answers.ts';
import { harmless, questionWithContext } from './context.ts';
import { hashOf, isGrounded, sameAnswer } from './grounded.ts';
import { questionsOf, type Suggestion } from './sentences.ts';

const most = 5;
/** So many are tried at most for one call. */
const mostTried = 10;
/** So many passages are read at once, and of each so many questions are asked in the end, one with every round over the documents. */
const readAtOnce = 64;
const rounds = 6;
/** So many passages of each call are shown to a model that can ask. */
const shownToModel = 8;
/** Callers wait for longer than this; what there is by then is given. */
const seconds = 40;
const shape = { question: 'str', answer: 'str' };

interface Candidate extends Suggestion {
  passage: Passage;
}

export class Suggestions {
  readonly #store: Store;
  readonly #asking: Asking;

  constructor(store: Store, asking: Asking) {
    this.#store = store;
    this.#asking = asking;
  }

  async suggest(index: OwnIndex, asker: Asker): Promise<Suggestion[]> {
    refuseUnready(index);
    const late = AbortSignal.timeout(seconds * 1000);
    const patient = { ...asker, signal: AbortSignal.any([asker.signal, late]) };
    for (;;) {
      const { found, place } = await this.#found(index, patient, late);
      asker.signal.throwIfAborted();
      const given = await this.#give(index.id, found, place);
      // Whoever writes a question first gives it; where others were faster with all of them, it goes on.
      if (given.length > 0 || found.length === 0) return given;
    }
  }

  async #found(index: OwnIndex, asker: Asker, late: AbortSignal): Promise<{ found: Suggestion[]; place: number }> {
    const [places, state, seen] = await Promise.all([
      this.#places(index.id),
      this.#state(index.id),
      this.#seen(index.id),
    ]);
    const reading = await this.#asking.readingOf(index.model, asker).catch(() => undefined);
    const canAsk = reading?.characters === Number.POSITIVE_INFINITY;
    const shown = Math.min(reading?.characters ?? 0, (reading?.context ?? 0) * 2);
    const sure: Candidate[] = [];
    const others: Candidate[] = [];
    let asked = 0;
    let place = state;
    const end = places.length * rounds;
    while (place < end && sure.length < most && sure.length + others.length < mostTried && !late.aborted) {
      const round = Math.floor(place / places.length);
      const passages = await this.#read(index.id, places, place, Math.min(readAtOnce, places.length));
      const fresh: Candidate[] = [];
      for (const passage of passages) {
        if (fresh.length >= most || place >= end) break;
        place++;
        const more = canAsk && round === 0 && asked++ < shownToModel ? await this.#askedOf(index, passage, asker) : [];
        const made = [...more, ...questionsOf(passage)].filter((one) => isGrounded(one, wholeOf(passage)));
        const next = made.find(({ question }) => !seen.has(hashOf(question)));
        if (!next) continue;
        seen.add(hashOf(next.question));
        fresh.push({ ...next, passage });
      }
      if (passages.length === 0) place += readAtOnce;
      const answered = await Promise.all(fresh.map((one) => this.#isAnswered(index, one, shown, asker)));
      for (const [at, one] of fresh.entries()) (answered[at] ? sure : others).push(one);
    }
    return { found: [...sure, ...others].slice(0, most), place };
  }

  /** Those that nobody was given before. */
  async #give(indexId: number, found: Suggestion[], place: number): Promise<Suggestion[]> {
    return await this.#store.db.transaction().execute(async (db) => {
      await db
        .updateTable('indexes')
        .set({ suggested: place })
        .where('id', '=', indexId)
        .where('suggested', '<', place)
        .execute();
      if (found.length === 0) return [];
      const written = await db
        .insertInto('index_suggestions')
        .values(found.map(({ question }) => ({ index_id: indexId, question: hashOf(question) })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('question')
        .execute();
      const ours = new Set(written.map(({ question }) => question));
      return found
        .filter(({ question }) => ours.has(hashOf(question)))
        .map(({ question, answer }) => ({ question, answer }));
    });
  }

  async #state(indexId: number): Promise<number> {
    const row = await this.#store.db
      .selectFrom('indexes')
      .select('suggested')
      .where('id', '=', indexId)
      .executeTakeFirstOrThrow();
    return row.suggested;
  }

  async #seen(indexId: number): Promise<Set<string>> {
    const rows = await this.#store.db
      .selectFrom('index_suggestions')
      .select('question')
      .where('index_id', '=', indexId)
      .execute();
    return new Set(rows.map(({ question }) => question));
  }

  /** Where passages stand, in an order in which those that follow each other come from all over the documents. */
  async #places(indexId: number): Promise<Place[]> {
    const rows = await this.#store.db
      .selectFrom('index_passages')
      .innerJoin('index_files', 'index_files.id', 'index_passages.file_id')
      .select(['index_passages.file_id as file', 'index_passages.number'])
      .where('index_passages.index_id', '=', indexId)
      .where('index_files.state', '=', 'done')
      .orderBy('index_passages.file_id')
      .orderBy('index_passages.number')
      .limit(100_000)
      .execute();
    const step = strideOf(rows.length);
    return rows.map((_, at) => rows[(at * step) % rows.length]!);
  }

  async #read(indexId: number, places: Place[], from: number, count: number): Promise<Passage[]> {
    const wanted = Array.from({ length: count }, (_, at) => places[(from + at) % places.length]!);
    const passages = await passagesAt(this.#store, indexId, wanted);
    return wanted.flatMap((place) => passages.get(placeOf(place)) ?? []);
  }

  /** What the model asks of a passage. */
  async #askedOf(index: OwnIndex, { text }: Passage, asker: Asker): Promise<Suggestion[]> {
    const content =
      `Context: ${harmless(text.slice(0, 1200))}\n` +
      'Write one question that the context answers, and the answer in the exact words of the context. Answer as JSON.';
    const asked = await this.#said(index, content, asker, { max_tokens: 160, output_type: shape }, (said) => {
      const { question, answer } = JSON.parse(said) as Suggestion;
      return { question: question.trim(), answer: answer.trim() };
    });
    return asked ? [asked] : [];
  }

  /** Whether the model says of the passage what the answer is. */
  async #isAnswered(
    index: OwnIndex,
    { question, answer, passage }: Candidate,
    shown: number,
    asker: Asker,
  ): Promise<boolean> {
    if (shown === 0) return false;
    const { text, title = null, headings, header = null } = passage;
    const above = { title, heading: headings.at(-1) ?? null, header };
    const content = questionWithContext(question, [{ text, ...above }], shown);
    const same = (said: string) => sameAnswer(said, answer);
    return (await this.#said(index, content, asker, { max_tokens: 48 }, same)) ?? false;
  }

  /** What is made of the model's words; nothing where it cannot do it, or not in time: that is not in the way of the others. */
  async #said<Made>(
    index: OwnIndex,
    content: string,
    asker: Asker,
    more: object,
    made: (said: string) => Made,
  ): Promise<Made | undefined> {
    try {
      const { text } = await this.#asking.answer(
        index.model,
        { messages: [{ role: 'user', content }], ...more },
        asker,
      );
      return made(text);
    } catch {
      return undefined;
    }
  }
}

const wholeOf = ({ headings, header, text }: Passage) => embeddedText({ context: headings.join('\n'), header, text });

/** About .618 of the way, and meeting every one once. */
function strideOf(count: number): number {
  const divides = (one: number, other: number): number => (other === 0 ? one : divides(other, one % other));
  let step = Math.max(1, Math.round(count * 0.618));
  while (divides(step, count) > 1) step++;
  return step;
}
