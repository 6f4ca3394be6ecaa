// Answers from an index: the question is searched for, what is found goes into the user's turn, and the model's answer comes with what it was made
// from. Where nothing relevant is found, the model is not asked: it would make something up.
import { type Citation, Refusal, type Retrieval } from '@lorekeep/contract';
import type { Asker, Asking } from '../../completions/asking.ts';
import { type Asked, questionOf } from '../../completions/request.ts';
import type { Delta, End, Generation } from '../../engine/protocol.ts';
import type { OwnIndex } from '../indexes.ts';
import type { Filter, Found, Search } from '../search/search.ts';
import { questionWithContext } from './context.ts';
import { fitting, lessThan, type Part, type Reading, roomFor } from './fit.ts';
import { notFound, nothingIn } from './nothing.ts';
import { userTurn } from './turn.ts';

export const usualSize = 3;
export interface Question {
  text: string;
  size?: number | undefined;
  filter?: Filter | undefined;
  rerank?: boolean | undefined;
  /** The model that answers. */
  model: string;
  /** How much else there is beside the passages, in bytes. */
  around: number;
  maxTokens: number;
}

/** What an answer is made from. `turn` is what stands in the place of the question, `room` what it has to leave for the answer. */
export interface Grounds {
  turn: string;
  room: number;
  citations: Citation[];
  retrieval: Retrieval;
}

export type Piece =
  | { grounds: Grounds; delta?: never; end?: never }
  | { delta: Pick<Delta, 'text'>; grounds?: never; end?: never }
  | { end: Pick<End, 'text' | 'finish_reason'>; grounds?: never; delta?: never };

export class Answers {
  readonly #search: Search;
  readonly #asking: Asking;

  constructor(search: Search, asking: Asking) {
    this.#search = search;
    this.#asking = asking;
  }

  /** First the grounds, then the answer as it grows, then its end. */
  async *answer(
    index: OwnIndex,
    {
      prompt,
      stream,
      ...asked
    }: { prompt: string; stream?: boolean } & Asked &
      Pick<Question, 'size' | 'filter' | 'rerank'> & { model?: string | undefined },
    asker: Asker,
  ): AsyncGenerator<Piece, void> {
    const turn = userTurn(prompt);
    const model = asked.model ?? index.model;
    const plain = questionOf(prompt, asked);
    const question: Question = {
      ...asked,
      text: turn.question,
      model,
      around: Buffer.byteLength(prompt),
      maxTokens: plain.max_tokens ?? 0,
    };
    const pieces = this.#grounded(index, question, asker, (grounds) =>
      this.#asking.generate(
        model,
        {
          ...plain,
          room: grounds.room,
          ...(stream && { stream }),
          ...(turn.templated
            ? { prompt: turn.with(grounds.turn) }
            : // A bare question has no template yet: the model's own is put around it.
              { prompt: undefined, messages: [{ role: 'user', content: grounds.turn }] }),
        } as Omit<Generation, 'model'>,
        asker,
      ),
    );
    for await (const { grounds, step } of pieces) {
      if (grounds) yield { grounds };
      if (grounds && !grounds.retrieval.found) {
        if (!asked.output_type) yield { delta: { text: notFound } };
        yield { end: { text: asked.output_type ? nothingIn(asked.output_type) : notFound, finish_reason: 'stop' } };
        return;
      }
      if (step?.done) yield { end: step.value };
      else if (step) yield { delta: step.value };
    }
  }

  /**
   * Begins with as many passages as ought to fit, and with fewer while the engine says that it is too much. Nothing is told before the answer has begun,
   * so what cannot be answered at all is an ordinary error.
   */
  async *#grounded(
    index: OwnIndex,
    question: Question,
    asker: Asker,
    begin: (grounds: Grounds) => AsyncGenerator<Delta, End>,
  ): AsyncGenerator<{ grounds?: Grounds; step?: IteratorResult<Delta, End> }, void> {
    const { grounds, value: answer } = await this.whileItFits(index, question, asker, async (grounds) => {
      const started = begin(grounds);
      return { started, first: await started.next() };
    });
    yield { grounds };
    if (!answer) return;
    try {
      let step = answer.first;
      for (; !step.done; step = await answer.started.next()) yield { step };
      yield { step };
    } finally {
      await answer.started.return(undefined as never).catch(() => {});
    }
  }

  /**
   * Searches, and does the work with what was found; with less of it as long as it is refused for its length. No work where nothing was found. The engine
   * counts with every try, so that estimates need not be right for every script.
   */
  async whileItFits<Value>(
    index: OwnIndex,
    question: Question,
    asker: Asker,
    work: (grounds: Grounds) => Promise<Value>,
  ): Promise<{ grounds: Grounds; value?: Value }> {
    refuseUnready(index);
    const { text, size: limit = usualSize, filter, rerank } = question;
    const found: Found =
      text === ''
        ? { passages: [], best: null, threshold: null, relevant: false }
        : await this.#search.search(index, { text, limit, filter, rerank, about: true }, asker);
    if (!found.relevant) return { grounds: noGrounds(question, found) };
    const reading = await this.#asking.readingOf(question.model, asker);
    let part = fitting(found.passages, question, reading);
    for (;;) {
      const grounds = groundsOf(question, found, part, reading);
      try {
        return { grounds, value: await work(grounds) };
      } catch (error) {
        const less = error instanceof Refusal && error.code === 'context_exceeded' && lessThan(part, found.passages);
        if (!less) throw error;
        part = less;
      }
    }
  }
}

export function refuseUnready({ id, status, error, ready_at }: OwnIndex): void {
  if (ready_at !== null) return;
  const advice =
    status === 'FAILED'
      ? `None of its files could be read: ${error}.`
      : status === 'CANCELLED'
        ? 'It was cancelled before any file was through. Add files to it.'
        : 'Ask for its status until it is.';
  throw new Refusal('index_not_ready', { id, status, advice });
}

function groundsOf(question: Question, found: Found, { used, characters }: Part, { context }: Reading): Grounds {
  const { text, size = usualSize } = question;
  const chosen = found.passages.slice(0, used);
  const reasons = [
    ...(used < found.passages.length ? [`the model reads ${context} tokens, and more would not fit`] : []),
    ...(found.passages.length < size ? ['no more are about the question'] : []),
    ...(chosen.some((passage) => passage.text.length > characters / used)
      ? ['of each the model was shown the part that the question is about']
      : []),
  ];
  return {
    turn: questionWithContext(text, chosen, characters),
    room: roomFor(question, context),
    citations: chosen.map(({ context, header, ...citation }) => citation),
    retrieval: retrievalOf(question, found, used, reasons.join('; ') || null),
  };
}

/** Where an answer has to have a shape all the same, this is what it is made from. */
const noGrounds = (question: Question, found: Found): Grounds => ({
  turn: `Context: ${notFound}\nQuestion: ${question.text}`,
  room: 1,
  citations: [],
  retrieval: retrievalOf(question, found, 0, 'nothing in the documents is about this question'),
});

const retrievalOf = (
  { text, size = usualSize }: Question,
  { relevant, best, threshold }: Found,
  used: number,
  reason: string | null,
): Retrieval => ({ question: text, found: relevant, asked: size, used, reason, best, threshold });
