// Client of the engine for a caller. It finds the model, waits briefly while the engine or the model gets ready, translates failures into
// refusals, and counts usage. Every generation and every embedding goes through here.
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerKind, type Citation, type Outcome, Refusal, type Retrieval } from '@lorekeep/contract';
import { type Engine, EngineFailure } from '../engine/engine.ts';
import { last } from '../engine/last.ts';
import type { Delta, Embedding, End, Generation, LoadProgress, Vectors } from '../engine/protocol.ts';
import { defaultEmbedder, type Model, type Models } from '../models/models.ts';
import { passageCharacters } from '../models/passage-characters.ts';
import { readsProse } from '../models/reads-prose.ts';
import type { Usage, User } from '../usage/usage.ts';
import { refusalOf } from './engine-errors.ts';

export interface CallContext extends User {
  signal: AbortSignal;
  /** Maximum wait for an engine that starts or a model that loads. Without it, the call waits indefinitely. */
  timeoutMs?: number;
  /** Queues the request apart from the account's interactive requests, so that background work does not delay them. */
  queue?: 'later';
  /** Index of the prompt in a call with several. */
  place?: number;
  /** The model of the call, if it was looked up before. */
  model?: Model;
  /** Outcome that is counted instead of the one that the engine reports. */
  outcome?: Outcome;
}

/** The end of an answer, with its passages if documents answered. */
export interface DocumentedEnd extends End {
  documents?: { citations: Citation[]; retrieval: Retrieval; answer_kind: AnswerKind };
}

/** Maximum wait of a request. After that the caller gets the loading progress as a refusal. */
export const defaultTimeoutMs = 10_000;

/** `index`: the document index, by name or ID, that answers questions without a fact of the tuned model. */
export type ModelRequest<Request> = Omit<Request, 'model' | 'account' | 'scope' | 'wait'> & {
  index?: string | number | undefined;
};
type Kind = 'generate' | 'embed';

export class ModelClient {
  readonly #engine: Engine;
  readonly #models: Models;
  readonly #usage: Usage;

  constructor(engine: Engine, models: Models, usage: Usage) {
    this.#engine = engine;
    this.#models = models;
    this.#usage = usage;
  }

  /** Returns the model, or throws a refusal with the reason why it cannot be asked. */
  async find(name: string, kind: Kind, accountId: number): Promise<Model> {
    const model = await this.#models.find(name, accountId);
    if ((model.kind === 'embedding') === (kind === 'embed')) return model;
    throw new Refusal('model_of_other_kind', {
      name,
      kind: model.kind === 'embedding' ? 'embed texts' : 'generate text',
    });
  }

  /** The same after the engine has started, since the folder of the default embedder is known only then. */
  async findWhenStarted(
    name: string,
    kind: Kind,
    accountId: number,
    signal = new AbortController().signal,
  ): Promise<Model> {
    await this.#started(Number.POSITIVE_INFINITY, signal);
    return await this.find(name, kind, accountId);
  }

  /** Streams the pieces of an answer and its end. If the caller stops listening, the engine cancels, and the tokens used are counted. */
  async *generate(
    name: string,
    { index: _, ...request }: ModelRequest<Generation>,
    callContext: CallContext,
  ): AsyncGenerator<Delta, DocumentedEnd> {
    const stop = new AbortController();
    const signal = AbortSignal.any([callContext.signal, stop.signal]);
    const pieces = await this.#whenReady(
      name,
      'generate',
      callContext,
      async ({ folder, base, upstream, policy = {} }) => {
        const { index_id, ...answerPolicy } = policy;
        // A tuned model always reports how it answered, since outcomes are counted. Callers receive the report only on request.
        const tuned = base && { base, explain: true };
        const known = {
          model: upstream ?? folder,
          ...tuned,
          account: queueNameOf(callContext),
          scope: scopeOf(callContext),
        };
        const started = this.#engine.generate({ ...answerPolicy, ...request, ...known, wait: false }, signal);
        return { started, first: await started.next() };
      },
    );
    let end: End | undefined;
    try {
      let { first: step } = pieces;
      while (!step.done) {
        yield step.value;
        step = await this.#asRefusal(pieces.started.next(), name, callContext);
      }
      end = step.value;
      return end;
    } finally {
      // The caller has left: the tokens generated so far are counted.
      if (!end) {
        stop.abort();
        end = await last(pieces.started).catch(() => undefined);
      }
      // A deferred question is counted with the answer that follows.
      if (end && !end.memory?.deferred) {
        this.#usage.note(callContext, name, end.usage);
        if (end.memory) this.#usage.noteOutcome(callContext.outcome ?? end.memory.outcome);
      }
    }
  }

  /** The whole answer. Throws if the caller's signal cut it short. */
  async answer(name: string, request: ModelRequest<Generation>, callContext: CallContext): Promise<DocumentedEnd> {
    const end = await this.answerSoFar(name, request, callContext);
    if (end.finish_reason === 'cancelled') callContext.signal.throwIfAborted();
    return end;
  }

  /** The answer, or its part so far when the caller's signal aborts. */
  async answerSoFar(name: string, request: ModelRequest<Generation>, callContext: CallContext): Promise<DocumentedEnd> {
    return await last(this.generate(name, request, callContext));
  }

  /** Context length in tokens (answer included), and the number of characters of passages that the model can use. */
  async readingOf(name: string, callContext: CallContext): Promise<{ context: number; characters: number }> {
    return await this.#whenReady(name, 'generate', callContext, async (model) => {
      const { context } = await this.#engine.load(loading(model, 'generate'));
      return { context, characters: await passageCharacters(model.base ?? model.folder) };
    });
  }

  /** Whether the model's base reads prose well enough to answer from documents. Loads nothing. */
  async readsProse(name: string, { accountId }: CallContext): Promise<boolean> {
    const { base, folder } = await this.find(name, 'generate', accountId);
    return await readsProse(base ?? folder);
  }

  async embed(name: string, request: ModelRequest<Embedding>, callContext: CallContext): Promise<Vectors> {
    const vectors = await this.#whenReady(name, 'embed', callContext, async ({ folder }) => {
      return await this.#engine.embed(
        { ...request, model: folder, account: queueNameOf(callContext), wait: false },
        callContext.signal,
      );
    });
    this.#usage.note(callContext, name, { prompt_tokens: vectors.tokens, completion_tokens: 0 }, request.texts.length);
    return vectors;
  }

  /** Sends the request and retries while the engine starts or loads the model, within the caller's maximum wait. */
  async #whenReady<Result>(
    name: string,
    kind: Kind,
    callContext: CallContext,
    ask: (model: Model) => Promise<Result>,
  ): Promise<Result> {
    const until = performance.now() + (callContext.timeoutMs ?? Number.POSITIVE_INFINITY);
    // The model is looked up while the engine starts. The folder of the default embedder is known only afterwards.
    const lookUp = async () => await this.find(name, kind, callContext.accountId);
    const found = callContext.model ?? (name === defaultEmbedder ? undefined : await lookUp());
    await this.#started(until, callContext.signal);
    const model = found ?? (await lookUp());
    for (;;) {
      try {
        return await ask(model);
      } catch (error) {
        callContext.signal.throwIfAborted();
        if (!(error instanceof EngineFailure && error.code === 'model_loading'))
          throw refusalOf(error, name, callContext.place);
        await this.#loaded(name, model, kind, until, callContext);
      }
    }
  }

  async #started(until: number, signal: AbortSignal): Promise<void> {
    for (let reason = this.#engine.unready(); reason !== undefined; reason = this.#engine.unready()) {
      // Background work waits for the engine, even across a restart.
      const hopeless = this.#engine.isLost() && until < Number.POSITIVE_INFINITY;
      if (hopeless || performance.now() >= until) throw refusalOf(new EngineFailure('stopped', `it is ${reason}`), '');
      await pause(100, signal);
    }
  }

  async #loaded(name: string, model: Model, kind: Kind, until: number, callContext: CallContext): Promise<void> {
    let progress: LoadProgress | undefined;
    const waiting = new AbortController();
    const late = pause(
      Math.min(until - performance.now(), 2 ** 31 - 1),
      AbortSignal.any([callContext.signal, waiting.signal]),
    ).then(() => {
      throw new Refusal(
        'model_loading',
        { name, progress: progressText(progress) },
        { headers: { 'Retry-After': '5' } },
      );
    });
    const loaded = this.#engine.load(loading(model, kind), (update) => {
      progress = update;
    });
    try {
      await this.#asRefusal(Promise.race([loaded, late]), name, callContext);
    } finally {
      waiting.abort();
      late.catch(() => {});
      loaded.catch(() => {});
    }
  }

  async #asRefusal<Result>(asked: Promise<Result>, name: string, { place, signal }: CallContext): Promise<Result> {
    try {
      return await asked;
    } catch (error) {
      signal.throwIfAborted();
      throw refusalOf(error, name, place);
    }
  }
}

const loading = ({ folder, base, upstream }: Model, kind: Kind) => ({
  model: upstream ?? folder,
  kind,
  ...(base && { base }),
});
/**
 * The engine's prefix cache is scoped by account, so that reading speed tells nothing about other accounts' prompts.
 */
const scopeOf = ({ accountId }: CallContext) => String(accountId);
const queueNameOf = ({ accountId, queue }: CallContext) => (queue ? `${accountId} ${queue}` : String(accountId));

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { signal, ref: false }).catch(() => signal.throwIfAborted());
}

/** Share of each stage in the loading progress, in percent, so that progress never decreases. */
const stages: Record<LoadProgress['stage'], { words: string; from: number; to: number }> = {
  waiting: { words: 'it waits for its turn', from: 0, to: 0 },
  checking: { words: 'its files are checked', from: 0, to: 10 },
  reading: { words: 'its weights are read', from: 10, to: 90 },
  preparing: { words: 'it is made ready', from: 90, to: 100 },
};

export function progressText(progress: LoadProgress | undefined): string {
  const { stage, done, total } = progress ?? { stage: 'waiting' as const, done: 0, total: 1 };
  const { words, from, to } = stages[stage];
  return `${words} (${Math.round(from + ((to - from) * done) / Math.max(1, total))}%)`;
}
