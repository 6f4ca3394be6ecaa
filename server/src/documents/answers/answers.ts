// Answers from an index: the question is searched for, what is found goes into the user's turn, and the model's answer comes with what it was made
// from. Where nothing relevant is found, the model is not asked: it would make something up.
import { type Citation, Refusal, type Retrieval } from '@lorekeep/contract';
import type { Asker, Asking } from '../../completions/asking.ts';
import { type Asked, questionOf } from '../../completions/request.ts';
import type { Delta, End, Generation } from '../../engine/protocol.ts';
import type { OwnIndex } from '../indexes.ts';
import { aboutIt, type Filter, type Found, type Search } from '../search/search.ts';
import { questionWithContext } from './context.ts';
import { userTurn } from './turn.ts';

export const usualSize = 3;
/** What the model that ships was taught to say. */
export const notFound = 'The documents do not say.';
/** Few tokens are shorter: an estimate on the safe side, before the engine counts. */
const charactersPerToken = 3;
/** A small model loses its way in a long text: it is shown the part of each passage that the question is about. */
const smallContext = 2048;
const charactersForSmall = 900;

export interface Question {
  text: string;
  size?: number | undefined;
  filter?: Filter | undefined;
  rerank?: boolean | undefined;
  /** The model that answers. */
  model: string;
  /** How much else there is beside the passages, in characters. */
  around: number;
  maxTokens: number;
}

/** What an answer is made from. `turn` is what stands in the place of the question. */
export interface Grounds {
  turn: string;
  citations: Citation[];
  retrieval: Retrieval;
}

export type Piece =
  | { grounds: Grounds; delta?: never; end?: never }
  | { delta: Delta; grounds?: never; end?: never }
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
      around: prompt.length,
      maxTokens: plain.max_tokens ?? 0,
    };
    const pieces = this.#grounded(index, question, asker, (grounds) =>
      this.#asking.generate(
        model,
        {
          ...plain,
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
        const text = asked.output_type ? emptyOf(asked.output_type) : notFound;
        yield { end: { text, finish_reason: 'stop' } };
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

  /** Searches, and does the work with what was found; with fewer passages as long as it is refused for its length. No work where nothing was found. */
  async whileItFits<Value>(
    index: OwnIndex,
    question: Question,
    asker: Asker,
    work: (grounds: Grounds) => Promise<Value>,
  ): Promise<{ grounds: Grounds; value?: Value }> {
    refuseUnready(index);
    const asked = question.size ?? usualSize;
    const result: Found =
      question.text === ''
        ? { passages: [], best: null, threshold: null, relevant: false }
        : await this.#search.search(
            index,
            { text: question.text, limit: asked, filter: question.filter, rerank: question.rerank },
            asker,
          );
    if (!result.relevant) return { grounds: groundsOf(question, result, 0, null) };
    const found: Found = { ...result, passages: aboutIt(question.text, result) };
    const context = await this.#asking.contextOf(question.model, asker);
    const most = context <= smallContext ? charactersForSmall : Number.POSITIVE_INFINITY;
    let used = fitting(found.passages, question, context, most);
    for (;;) {
      const reason =
        used < found.passages.length
          ? `the model reads ${context} tokens, and more would not fit`
          : used < asked
            ? 'no more are about the question'
            : null;
      const grounds = groundsOf(question, found, used, reason, most);
      try {
        return { grounds, value: await work(grounds) };
      } catch (error) {
        if (!(error instanceof Refusal && error.code === 'context_exceeded') || used === 0) throw error;
        used = Math.floor(used * 0.7);
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

/** How many of the passages ought to fit, with room for an answer. One is always tried. */
function fitting(passages: Found['passages'], { around, maxTokens }: Question, context: number, most: number): number {
  const forAnswer = Math.min(maxTokens, Math.max(64, Math.floor(context / 4)));
  let room = Math.min((context - forAnswer) * charactersPerToken - around, Number.MAX_SAFE_INTEGER);
  const shown = Math.ceil(most / Math.max(1, passages.length));
  let count = 0;
  for (const { text, context: above } of passages) {
    room -= Math.min(text.length, shown) + above.length + 4;
    if (room < 0) break;
    count++;
  }
  return Math.max(1, count);
}

function groundsOf(
  question: Question,
  { passages, best, threshold, relevant }: Found,
  used: number,
  reason: string | null,
  most = Number.POSITIVE_INFINITY,
): Grounds {
  const chosen = passages.slice(0, used);
  const citations = chosen.map(({ context, header, ...citation }) => citation);
  const turn = used > 0 ? questionWithContext(question.text, chosen, most) : question.text;
  return {
    turn,
    citations,
    retrieval: {
      question: question.text,
      found: relevant,
      asked: question.size ?? usualSize,
      used,
      reason: relevant ? reason : 'nothing in the documents is about this question',
      best,
      threshold,
    },
  };
}

/** The shape that was asked for, with nothing in it. */
const emptyOf = (outputType: object) =>
  JSON.stringify(Object.fromEntries(Object.keys(outputType).map((key) => [key, null])));
