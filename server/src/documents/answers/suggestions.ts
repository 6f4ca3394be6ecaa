// Questions that the documents answer, with their answers: asked of the model passage by passage, and kept only where the answer stands in the passage. What
// the model cannot ask is asked by the forms of sentences. No question is given twice: its hash is kept, not its words, which may be those of a file
// that is removed later.
import { createHash } from 'node:crypto';
import type { Asker, Asking } from '../../completions/asking.ts';
import type { Store } from '../../store/database.ts';
import type { OwnIndex } from '../indexes.ts';
import type { Passage } from '../passages/passage.ts';
import { contentWords, stem } from '../search/words.ts';
import { refuseUnready } from './answers.ts';
import { harmless } from './context.ts';
import { questionsOf } from './sentences.ts';

const most = 5;
/** So many passages are looked at for one call, and so many are shown to the model. */
const looked = 60;
const shownToModel = 8;
const shape = { question: 'str', answer: 'str' };

export interface Suggestion {
  question: string;
  answer: string;
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
    const given = new Set(
      (
        await this.#store.db
          .selectFrom('index_suggestions')
          .select('question')
          .where('index_id', '=', index.id)
          .execute()
      ).map(({ question }) => question),
    );
    const found: Suggestion[] = [];
    const take = async (suggestion: Suggestion | undefined) => {
      if (!suggestion || found.length >= most) return;
      const question = hashOf(suggestion.question);
      if (given.has(question)) return;
      given.add(question);
      // Whoever writes it first gives it.
      const { numInsertedOrUpdatedRows } = await this.#store.db
        .insertInto('index_suggestions')
        .values({ index_id: index.id, question })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows) found.push(suggestion);
    };
    const passages = await this.#spread(index, given.size);
    for (const [place, passage] of passages.entries()) {
      if (found.length >= most) break;
      if (place < shownToModel) await take(await this.#asked(index, passage, asker));
    }
    // One of each passage in turn, so that they come from all over the documents.
    const formed = passages.map((passage) => questionsOf(passage));
    for (let turn = 0; turn < 10 && found.length < most; turn++)
      for (const questions of formed) await take(questions[turn]);
    return found;
  }

  /** Passages from all over the index, others than the last time. */
  async #spread(index: OwnIndex, given: number): Promise<Passage[]> {
    const rows = await this.#store.db
      .selectFrom('index_passages')
      .innerJoin('index_files', 'index_files.id', 'index_passages.file_id')
      .select(['index_passages.file_id', 'index_passages.number'])
      .where('index_passages.index_id', '=', index.id)
      .where('index_files.state', '=', 'done')
      .orderBy('index_passages.file_id')
      .orderBy('index_passages.number')
      .limit(100_000)
      .execute();
    const step = Math.max(1, Math.floor(rows.length / looked));
    const chosen = rows.filter((_, at) => at % step === given % step).slice(0, looked);
    const passages: Passage[] = [];
    for (const { file_id, number } of chosen) {
      const row = await this.#store.db
        .selectFrom('index_passages')
        .select('passage')
        .where('file_id', '=', file_id)
        .where('number', '=', number)
        .executeTakeFirst();
      if (row) passages.push(JSON.parse(row.passage) as Passage);
    }
    return passages;
  }

  /** What the model asks of a passage, where it is a question that the passage answers. */
  async #asked(index: OwnIndex, { text, headings }: Passage, asker: Asker): Promise<Suggestion | undefined> {
    const content =
      `Context: ${harmless(text.slice(0, 1200))}\n` +
      'Write one question that the context answers, and the answer in the exact words of the context. Answer as JSON.';
    try {
      const { text: said } = await this.#asking.answer(
        index.model,
        { messages: [{ role: 'user', content }], max_tokens: 160, output_type: shape },
        asker,
      );
      const { question, answer } = JSON.parse(said) as Suggestion;
      const suggestion = { question: question.trim(), answer: answer.trim() };
      return isGrounded(suggestion, [...headings, text].join('\n')) ? suggestion : undefined;
    } catch {
      asker.signal.throwIfAborted();
      // A model that cannot do it is not in the way of the others.
      return undefined;
    }
  }
}

const hashOf = (question: string) => createHash('sha256').update(question).digest('base64url').slice(0, 22);

/** The answer stands in the passage; the question is one, speaks of the passage, and does not hold the answer itself. */
export function isGrounded({ question, answer }: Suggestion, passage: string): boolean {
  const flat = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
  const words = contentWords(question).map(stem);
  const said = new Set(contentWords(passage).map(stem));
  return (
    /^\p{Lu}.{8,300}\?$/su.test(question) &&
    answer.length > 0 &&
    answer.length <= 600 &&
    flat(passage).includes(flat(answer)) &&
    !flat(question).includes(flat(answer)) &&
    words.length >= 2 &&
    words.filter((word) => said.has(word)).length >= words.length * 0.6
  );
}
