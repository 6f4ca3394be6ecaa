// Streams answers of a model or an index for the playground, with their sources.
import { type Citation, ConnectionError, type Lorekeep, UnavailableError } from '@lorekeep/client';
import { untilEngine } from '../engine.ts';
import type { Memory } from './answer-source.tsx';
import { sourceOf } from './passage.tsx';
import type { Voted } from './vote.tsx';

export interface Output {
  text: string;
  state: 'speaking' | 'done' | 'failed' | 'stopped';
  error?: Error;
  memory?: Memory;
  citations?: Citation[];
  /** Whether the answer is a quotation, and its place in the document. */
  quotedFrom?: string;
  /** The index that the passages are of. */
  index?: number;
  /** Id of the answer for votes. */
  answer?: Voted;
  /** Reason why the documents give no answer. */
  nothing?: string;
  /** Reason why the question waits: the state of the engine, or the server's message. It is retried automatically. */
  waits?: string | null | undefined;
}

/** Streams pieces; the last piece with a value for a field counts. */
export type Piece = Partial<
  Pick<Output, 'text' | 'memory' | 'citations' | 'quotedFrom' | 'index' | 'answer' | 'nothing' | 'waits'>
>;

const pauseMs = 2000;

/** Waits for the engine and asks; retries until the model is loaded and the engine runs, or the signal aborts. */
export async function* whenReady(ask: () => AsyncGenerator<Piece>, signal: AbortSignal): AsyncGenerator<Piece> {
  for (;;) {
    const { promise: waits, resolve } = Promise.withResolvers<'waits'>();
    const ready = untilEngine(signal, () => resolve('waits'));
    if ((await Promise.race([ready, waits])) === 'waits') yield { waits: 'engine' };
    await ready;
    yield { waits: null };
    let begun = false;
    try {
      for await (const piece of ask()) {
        begun ||= piece.text !== '';
        yield piece;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const later =
        error instanceof UnavailableError || (error instanceof ConnectionError && error.code === 'unreachable');
      if (begun || !later) throw error;
      yield { waits: error.message };
      await pause(signal);
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export async function* modelSays(
  lorekeep: Lorekeep,
  model: string,
  messages: { role: 'user' | 'assistant'; content: string }[],
  signal: AbortSignal,
  asOf: string,
): AsyncGenerator<Piece> {
  for await (const { id, choices } of lorekeep.openaiChatEvents(
    { model, messages, explain: true, max_tokens: 256, ...(asOf && { as_of: asOf }) },
    { signal, retries: 0 },
  )) {
    const [choice] = choices;
    if (!choice) continue;
    const answer = { id, model, input: messages.at(-1)?.content ?? '' };
    yield { text: choice.delta.content ?? '', answer, ...(choice.memory && sourcesOf(choice.memory)) };
  }
}

/** Facts behind an answer, or the passages of the model's index. */
function sourcesOf(memory: Memory): Piece {
  const { citations = [], index_id: index, way } = memory;
  const [best] = citations;
  return {
    ...{ memory, citations },
    ...(index !== undefined && { index }),
    ...(best && way === 'quote' && { quotedFrom: sourceOf(best) }),
  };
}

export async function* indexSays(
  lorekeep: Lorekeep,
  index: number,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  for await (const event of lorekeep.askIndexEvents(
    { job_id: index, prompt: question, max_tokens: 256 },
    { signal, retries: 0 },
  )) {
    if ('delta' in event) yield { text: event.delta };
    else if ('citations' in event)
      yield {
        citations: event.citations,
        index,
        ...(event.answer_kind === 'quote' && event.citations[0] && { quotedFrom: sourceOf(event.citations[0]) }),
        ...(event.answer_kind === 'none' && {
          nothing: event.retrieval.found
            ? 'No sentence of these passages answers this question.'
            : 'The documents hold nothing that is near enough to this question.',
        }),
      };
  }
}
