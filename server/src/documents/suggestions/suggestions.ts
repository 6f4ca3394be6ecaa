// Suggests questions that the documents answer, with their answers. Candidates come from patterns of sentences and tables, and from
// models that can write questions. Those of different forms come first, and among them those that the model answers like the passage. No
// question is returned twice: its hash is stored, not its words, since their file may be removed. Each call continues where
// the last one ended, until every passage was used.

import { embeddedText, type Passage } from '@lorekeep/reader';
import type { CallContext, ModelClient } from '../../inference/model-client.ts';
import type { Store } from '../../store/database.ts';
import { type PassageId, passageKey } from '../../vectors/vectors.ts';
import { refuseUnready } from '../answers/answers.ts';
import { neutralizeTemplateTokens, questionWithContext } from '../answers/context.ts';
import type { OwnIndex } from '../rows.ts';
import { passagesAt } from '../stored-passages.ts';
import { hashOf, isGrounded, sameAnswer } from './grounded.ts';
import { questionsOf } from './sentences.ts';
import type { Suggestion } from './suggestion.ts';
import { formOf, varied } from './variety.ts';

const maxSuggestions = 5;
/** Maximum number of candidates per call. */
const maxTried = 10;
/** Passages read at once, and questions taken from each per round over the documents. */
const readAtOnce = 64;
const maxRounds = 6;
/** Passages per call that are given to a model that can write questions. */
const maxShownToModel = 8;
/** Time limit, shorter than callers wait. The questions found by then are returned. */
const timeoutSeconds = 40;
const outputShape = { question: 'str', answer: 'str' };

interface Candidate extends Suggestion {
  passage: Passage;
}

export class Suggestions {
  readonly #store: Store;
  readonly #modelClient: ModelClient;

  constructor(store: Store, modelClient: ModelClient) {
    this.#store = store;
    this.#modelClient = modelClient;
  }

  async suggest(index: OwnIndex, callContext: CallContext): Promise<Suggestion[]> {
    refuseUnready(index);
    const late = AbortSignal.timeout(timeoutSeconds * 1000);
    const patient = { ...callContext, signal: AbortSignal.any([callContext.signal, late]) };
    for (;;) {
      const { found, place } = await this.#candidates(index, patient, late);
      callContext.signal.throwIfAborted();
      const given = await this.#claim(index.id, found, place);
      // Of concurrent callers the first writer gets a question. If others got all of them, the search continues.
      if (given.length > 0 || found.length === 0) return given;
    }
  }

  async #candidates(
    index: OwnIndex,
    callContext: CallContext,
    late: AbortSignal,
  ): Promise<{ found: Suggestion[]; place: number }> {
    const [places, state, seen] = await Promise.all([
      this.#places(index.id),
      this.#state(index.id),
      this.#seen(index.id),
    ]);
    const reading = await this.#modelClient.readingOf(index.model, callContext).catch(() => undefined);
    const canAsk = reading?.characters === Number.POSITIVE_INFINITY;
    const maxCharacters = Math.min(reading?.characters ?? 0, (reading?.context ?? 0) * 2);
    const sure: Candidate[] = [];
    const others: Candidate[] = [];
    let asked = 0;
    let place = state;
    const end = places.length * maxRounds;
    const forms = new Set<string>();
    const isEnough = () => sure.length >= maxSuggestions && forms.size >= maxSuggestions;
    while (place < end && !isEnough() && sure.length + others.length < maxTried && !late.aborted) {
      const round = Math.floor(place / places.length);
      const passages = await this.#read(index.id, places, place, Math.min(readAtOnce, places.length));
      const fresh: Candidate[] = [];
      for (const passage of passages) {
        if (fresh.length >= maxSuggestions || place >= end) break;
        place++;
        const more =
          canAsk && round === 0 && asked++ < maxShownToModel ? await this.#askedOf(index, passage, callContext) : [];
        const suggestions = [...more, ...questionsOf(passage)].filter((one) => isGrounded(one, wholeOf(passage)));
        const unseen = suggestions.filter(({ question }) => !seen.has(hashOf(question)));
        const next = unseen.find(({ question }) => !forms.has(formOf(question))) ?? unseen[0];
        if (!next) continue;
        seen.add(hashOf(next.question));
        forms.add(formOf(next.question));
        fresh.push({ ...next, passage });
      }
      if (passages.length === 0) place += readAtOnce;
      const answered = await Promise.all(fresh.map((one) => this.#isAnswered(index, one, maxCharacters, callContext)));
      for (const [at, one] of fresh.entries()) (answered[at] ? sure : others).push(one);
    }
    return { found: varied([...sure, ...others]).slice(0, maxSuggestions), place };
  }

  /** Filters out suggestions that were returned before. */
  async #claim(indexId: number, found: Suggestion[], place: number): Promise<Suggestion[]> {
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

  /** Passages in an order that spreads consecutive ones over all documents. */
  async #places(indexId: number): Promise<PassageId[]> {
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

  async #read(indexId: number, places: PassageId[], from: number, count: number): Promise<Passage[]> {
    const selected = Array.from({ length: count }, (_, at) => places[(from + at) % places.length]!);
    const passages = await passagesAt(this.#store, indexId, selected);
    return selected.flatMap((place) => passages.get(passageKey(place)) ?? []);
  }

  /** The model's questions about a passage. */
  async #askedOf(index: OwnIndex, { text }: Passage, callContext: CallContext): Promise<Suggestion[]> {
    const content =
      `Context: ${neutralizeTemplateTokens(text.slice(0, 1200))}\n` +
      'Write one question that the context answers, and the answer in the exact words of the context. Answer as JSON.';
    const asked = await this.#complete(
      index,
      content,
      callContext,
      { max_tokens: 160, output_type: outputShape },
      (output) => {
        const { question, answer } = JSON.parse(output) as Suggestion;
        return { question: question.trim(), answer: answer.trim() };
      },
    );
    return asked ? [asked] : [];
  }

  /** Whether the model gives the expected answer from the passage. */
  async #isAnswered(
    index: OwnIndex,
    { question, answer, passage }: Candidate,
    maxCharacters: number,
    callContext: CallContext,
  ): Promise<boolean> {
    if (maxCharacters === 0) return false;
    const { text, title = null, headings, header = null } = passage;
    const above = { title, heading: headings.at(-1) ?? null, header };
    const content = questionWithContext(question, [{ text, ...above }], maxCharacters);
    const same = (output: string) => sameAnswer(output, answer);
    return (await this.#complete(index, content, callContext, { max_tokens: 48 }, same)) ?? false;
  }

  /** The parsed answer of the model; undefined if it fails or takes too long, so that the others continue. */
  async #complete<Made>(
    index: OwnIndex,
    content: string,
    callContext: CallContext,
    more: object,
    parse: (output: string) => Made,
  ): Promise<Made | undefined> {
    try {
      const { text } = await this.#modelClient.answer(
        index.model,
        { messages: [{ role: 'user', content }], answer_from: 'all', ...more },
        callContext,
      );
      return parse(text);
    } catch {
      return undefined;
    }
  }
}

const wholeOf = ({ headings, header, text }: Passage) => embeddedText({ context: headings.join('\n'), header, text });

/** Step of a golden-ratio sequence (about .618 of the length) that visits every index once. */
function strideOf(count: number): number {
  const divides = (one: number, other: number): number => (other === 0 ? one : divides(other, one % other));
  let step = Math.max(1, Math.round(count * 0.618));
  while (divides(step, count) > 1) step++;
  return step;
}
