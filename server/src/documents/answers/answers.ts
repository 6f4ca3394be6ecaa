// Retrieval-augmented answers from an index: the question is searched for, the passages go into the user's turn, and the model's answer
// comes with its citations. If nothing relevant is found, the model is not asked, since it would invent an answer. A base that cannot
// read prose is not asked either: the answering words are quoted.
import { type AnswerKind, type Citation, Refusal, type Retrieval } from '@lorekeep/contract';
import type { Delta, End, Generation } from '../../engine/protocol.ts';
import { type GenerationOptions, generationRequest } from '../../inference/generation-request.ts';
import type { CallContext, ModelClient } from '../../inference/model-client.ts';
import type { Quote } from '../quoting/excerpt.ts';
import type { Quoter } from '../quoting/quoter.ts';
import type { OwnIndex } from '../rows.ts';
import { isAbout, type Search, type SearchFilter, type SearchResult } from '../search/search.ts';
import { questionWithContext } from './context.ts';
import { fitting, type Part, type ReadingLimits, roomFor, shrinkPassageBudget } from './context-budget.ts';
import { Finder, type Found } from './find.ts';
import { emptyValue, notFound } from './no-answer.ts';
import { userTurn } from './user-turn.ts';

export const defaultPassages = 3;
export interface Question {
  text: string;
  /** Earlier messages of the user in the conversation, the oldest first. */
  earlier?: string[] | undefined;
  size?: number | undefined;
  filter?: SearchFilter | undefined;
  rerank?: boolean | undefined;
  /** The model that answers. */
  model: string;
  /** Size of the prompt without the passages, in bytes. */
  around: number;
  maxTokens: number;
  /** Overrides the choice by the measurement of the base. */
  answer?: 'quote' | 'generate' | undefined;
  /** The answer has to be JSON. */
  shaped?: boolean;
}

/**
 * Grounds of an answer: the passages and the prompt made of them. `turn` replaces the question in the prompt; `room` is the number of
 * tokens to leave for the answer.
 */
export interface Grounds {
  turn: string;
  room: number;
  citations: Citation[];
  retrieval: Retrieval;
  kind: AnswerKind;
  /** The whole answer, if no model is asked. */
  said?: string;
}

export type Piece =
  | { grounds: Grounds; delta?: never; end?: never }
  | { delta: Pick<Delta, 'text'>; grounds?: never; end?: never }
  | { end: Pick<End, 'text' | 'finish_reason'>; grounds?: never; delta?: never };

export class Answers {
  readonly #finder: Finder;
  readonly #modelClient: ModelClient;

  constructor(search: Search, quoter: Quoter, modelClient: ModelClient) {
    this.#finder = new Finder(search, quoter);
    this.#modelClient = modelClient;
  }

  /** Streams the grounds, the answer in pieces, then its end. */
  async *answer(
    index: OwnIndex,
    {
      prompt,
      stream,
      ...asked
    }: { prompt: string; stream?: boolean } & GenerationOptions &
      Pick<Question, 'size' | 'filter' | 'rerank' | 'answer'> & { model?: string | undefined },
    callContext: CallContext,
  ): AsyncGenerator<Piece, void> {
    const turn = userTurn(prompt);
    const model = asked.model ?? index.model;
    const plain = generationRequest(prompt, asked);
    const question: Question = {
      ...asked,
      text: turn.question,
      earlier: turn.earlier,
      model,
      around: Buffer.byteLength(prompt),
      maxTokens: plain.max_tokens ?? 0,
      shaped: Boolean(asked.output_type),
    };
    const pieces = this.#grounded(index, question, callContext, (grounds) =>
      this.#modelClient.generate(
        model,
        {
          // The base has to read the passages, whatever the policy of a tuned model.
          answer_from: 'all',
          ...plain,
          room: grounds.room,
          ...(stream && { stream }),
          ...(turn.templated
            ? { prompt: turn.with(grounds.turn) }
            : // A bare question gets the model's own template.
              { prompt: undefined, messages: [{ role: 'user', content: grounds.turn }] }),
        } as Omit<Generation, 'model'>,
        callContext,
      ),
    );
    for await (const { grounds, step } of pieces) {
      if (grounds) yield { grounds };
      if (grounds?.said !== undefined) {
        const text = asked.output_type ? emptyValue(asked.output_type) : grounds.said;
        if (!asked.output_type) yield { delta: { text } };
        yield { end: { text, finish_reason: 'stop' } };
        return;
      }
      if (step?.done) yield { end: step.value };
      else if (step) yield { delta: step.value };
    }
  }

  /**
   * Starts the answer with as many passages as should fit, and retries with fewer while the engine refuses the length. Nothing is sent
   * before the answer has begun, so that a failure is an ordinary error.
   */
  async *#grounded(
    index: OwnIndex,
    question: Question,
    callContext: CallContext,
    begin: (grounds: Grounds) => AsyncGenerator<Delta, End>,
  ): AsyncGenerator<{ grounds?: Grounds; step?: IteratorResult<Delta, End> }, void> {
    const { grounds, value: answer } = await this.whileItFits(index, question, callContext, async (grounds) => {
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
   * Searches and calls `work` with the passages, with fewer while it is refused for its length. It is not called if nothing was found or
   * the answer is a quotation. The engine counts tokens in every attempt, so the estimates need not be exact for every script.
   */
  async whileItFits<Value>(
    index: OwnIndex,
    question: Question,
    callContext: CallContext,
    work: (grounds: Grounds) => Promise<Value>,
  ): Promise<{ grounds: Grounds; value?: Value }> {
    refuseUnready(index);
    const quotes = await this.#quotes(question, callContext);
    const { size: limit = defaultPassages } = question;
    let found = await this.#finder.find(index, { ...question, limit, quotes }, callContext);
    let quotedPassages: SearchResult['passages'] | undefined;
    // A sentence may answer although its passage is about other things, too.
    if (!found.relevant && !found.quote) return { grounds: noGrounds(question, found) };
    if (quotes) {
      const { quote } = found;
      if (!quote || !question.shaped) return { grounds: quotedGrounds(question, found) };
      // For a schema, the model fills it from the quoted words alone.
      found = { ...found, passages: [quotedPassage(found, quote)] };
      quotedPassages = [{ ...found.passages[0]!, text: quote.text, header: null }];
    }
    const reading = await this.#modelClient.readingOf(question.model, callContext);
    let part = fitting(found.passages, question, reading);
    for (;;) {
      const grounds = groundsOf(question, found, part, reading, quotedPassages);
      try {
        return { grounds, value: await work(grounds) };
      } catch (error) {
        const less =
          error instanceof Refusal && error.code === 'context_exceeded' && shrinkPassageBudget(part, found.passages);
        if (!less) throw error;
        part = less;
      }
    }
  }

  /** Whether the answer is a quotation: by the request, else by the measurement of the model's base. */
  async #quotes({ answer, model }: Question, callContext: CallContext): Promise<boolean> {
    return answer ? answer === 'quote' : !(await this.#modelClient.readsProse(model, callContext));
  }
}

export function refuseUnready({ id, status, error, ready_at }: OwnIndex): void {
  if (ready_at !== null) return;
  const advice =
    status === 'FAILED'
      ? `None of its files could be read: ${error}.`
      : status === 'CANCELLED'
        ? 'It was cancelled before any file was read. Add files to it.'
        : 'Ask for its status until it is.';
  throw new Refusal('index_not_ready', { id, status, advice });
}

/** `quotedPassages` replace the cited passages in the prompt. */
function groundsOf(
  question: Question,
  found: Found,
  { used, characters }: Part,
  { context }: ReadingLimits,
  quotedPassages?: SearchResult['passages'],
): Grounds {
  const { text, size = defaultPassages } = question;
  const chosen = found.passages.slice(0, used);
  const reasons = [
    ...(used < found.passages.length ? [`the model reads ${context} tokens, and more would not fit`] : []),
    ...(found.passages.length < size ? ['no more are about the question'] : []),
    ...(chosen.some((passage) => passage.text.length > characters / used)
      ? ['of each the model was shown the part that the question is about']
      : []),
  ];
  return {
    turn: questionWithContext(text, quotedPassages ?? chosen, characters, found.searched),
    room: roomFor(question, context),
    citations: cited(chosen),
    retrieval: retrievalOf(question, found, used, reasons.join('; ') || null),
    kind: 'generated',
  };
}

const cited = (passages: (SearchResult['passages'][number] & Pick<Citation, 'quoted'>)[]): Citation[] =>
  passages.map(({ context, header, ...citation }) => citation);

/** The quoted passage comes first. If nothing is quoted, the searched passages are cited, since a person may find more in them. */
function quotedGrounds(question: Question, found: Found): Grounds {
  const { quote, furtherQuotes = [], searched } = found;
  const { size = defaultPassages } = question;
  const quotes = [quote, ...furtherQuotes].filter((one) => one !== undefined);
  const places = [...new Set(quotes.map(({ passage }) => passage))];
  const quoted = places.map((place) => quotedPassage(found, quotes.find(({ passage }) => passage === place)!));
  const others = found.passages.filter(
    (passage, at) => !places.includes(at) && isAbout(searched, passage, found.threshold),
  );
  const passages = [...quoted, ...others].slice(0, size);
  const reasons = [
    ...(passages.length < size ? ['no more are about the question'] : []),
    ...(quote ? [] : ['no sentence of the passages answers the question']),
  ];
  return {
    turn: '',
    room: 0,
    citations: cited(passages),
    retrieval: retrievalOf(question, { ...found, relevant: true }, passages.length, reasons.join('; ') || null),
    kind: quote ? 'quote' : 'none',
    said: quote?.text ?? notFound,
  };
}

function quotedPassage({ passages }: SearchResult, { passage, start, end }: Quote) {
  const chosen = passages[passage]!;
  const text = chosen.text.slice(start, end);
  return { ...chosen, quoted: { text, start: chosen.start + start, end: chosen.start + end } };
}

/** Grounds for an answer in a schema although nothing was found. */
const noGrounds = (question: Question, found: Found): Grounds => ({
  turn: `Context: ${notFound}\nQuestion: ${question.text}`,
  room: 1,
  citations: [],
  retrieval: retrievalOf(question, found, 0, 'nothing in the documents is about this question'),
  kind: 'none',
  said: notFound,
});

const retrievalOf = (
  { size = defaultPassages }: Question,
  { relevant, best, threshold, searched }: Found,
  used: number,
  reason: string | null,
): Retrieval => ({ question: searched, found: relevant, asked: size, used, reason, best, threshold });
