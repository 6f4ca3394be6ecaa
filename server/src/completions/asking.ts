// Asks the engine for a caller: finds the model, waits a moment for what is just being made ready, says in our words what went wrong, and
// counts what was used. Every generation and every embedding goes through here.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';
import { type Engine, EngineFailure } from '../engine/engine.ts';
import type { Delta, Embedding, End, Generation, LoadProgress, Vectors } from '../engine/protocol.ts';
import { defaultEmbedder, type Model, type Models } from '../models/models.ts';
import { passageCharacters } from '../models/reading.ts';
import type { Usage, User } from '../usage/usage.ts';
import { refusalOf } from './failures.ts';

export interface Asker extends User {
  signal: AbortSignal;
  /** How long to wait for an engine that starts and a model that is being read; without it as long as it takes. */
  patience?: number;
  /** Another place in turns than what the account asks at once. */
  queue?: 'later';
  /** Which of several prompts this is. */
  place?: number;
}

/** What people wait for without a word; what takes longer is answered with how far it is. */
export const usualPatience = 10_000;

type Asked<Request> = Omit<Request, 'model' | 'account' | 'wait'>;
type Kind = 'generate' | 'embed';

export class Asking {
  readonly #engine: Engine;
  readonly #models: Models;
  readonly #usage: Usage;

  constructor(engine: Engine, models: Models, usage: Usage) {
    this.#engine = engine;
    this.#models = models;
    this.#usage = usage;
  }

  /** The model, or the refusal that says why there is none to ask. */
  async find(name: string, kind: Kind, accountId: number): Promise<Model> {
    const model = await this.#models.find(name, accountId);
    if ((model.kind === 'embedding') === (kind === 'embed')) return model;
    throw new Refusal('model_of_other_kind', {
      name,
      kind: model.kind === 'embedding' ? 'embed texts' : 'generate text',
    });
  }

  /** The same, once the engine has started: where the default embedder lies is known only then. */
  async findWhenStarted(
    name: string,
    kind: Kind,
    accountId: number,
    signal = new AbortController().signal,
  ): Promise<Model> {
    await this.#started(Number.POSITIVE_INFINITY, signal);
    return await this.find(name, kind, accountId);
  }

  /** The pieces of an answer and its end. However the caller stops listening, the engine is told, and what was used is counted. */
  async *generate(name: string, request: Asked<Generation>, asker: Asker): AsyncGenerator<Delta, End> {
    const stop = new AbortController();
    const signal = AbortSignal.any([asker.signal, stop.signal]);
    const pieces = await this.#whenReady(name, 'generate', asker, async ({ folder, base }) => {
      const known = { model: folder, ...(base && { base }), account: turnOf(asker) };
      const started = this.#engine.generate({ ...request, ...known, wait: false }, signal);
      return { started, first: await started.next() };
    });
    let end: End | undefined;
    try {
      let { first: step } = pieces;
      while (!step.done) {
        yield step.value;
        step = await this.#said(pieces.started.next(), name, asker);
      }
      end = step.value;
      return end;
    } finally {
      // Nobody listens any more: how far it came is counted all the same.
      if (!end) {
        stop.abort();
        end = await last(pieces.started).catch(() => undefined);
      }
      if (end) this.#usage.note(asker, name, end.usage);
    }
  }

  /** The whole answer; what was cut short by the asker's signal is none. */
  async answer(name: string, request: Asked<Generation>, asker: Asker): Promise<End> {
    const end = await this.answerSoFar(name, request, asker);
    if (end.finish_reason === 'cancelled') asker.signal.throwIfAborted();
    return end;
  }

  /** The answer as far as it is when the asker's signal ends it. */
  async answerSoFar(name: string, request: Asked<Generation>, asker: Asker): Promise<End> {
    return await last(this.generate(name, request, asker));
  }

  /** How many tokens the model reads, answer included, and how many characters of passages it makes sense of. */
  async readingOf(name: string, asker: Asker): Promise<{ context: number; characters: number }> {
    return await this.#whenReady(name, 'generate', asker, async (model) => {
      const { context } = await this.#engine.load(loading(model, 'generate'));
      return { context, characters: await passageCharacters(model.base ?? model.folder) };
    });
  }

  async embed(name: string, request: Asked<Embedding>, asker: Asker): Promise<Vectors> {
    const vectors = await this.#whenReady(name, 'embed', asker, async ({ folder }) => {
      return await this.#engine.embed({ ...request, model: folder, account: turnOf(asker), wait: false }, asker.signal);
    });
    this.#usage.note(asker, name, { prompt_tokens: vectors.tokens, completion_tokens: 0 }, request.texts.length);
    return vectors;
  }

  /** Asks, and asks again while the engine starts or reads the model, as long as the asker has patience. */
  async #whenReady<Result>(
    name: string,
    kind: Kind,
    asker: Asker,
    ask: (model: Model) => Promise<Result>,
  ): Promise<Result> {
    const until = performance.now() + (asker.patience ?? Number.POSITIVE_INFINITY);
    // What there is to say of a model is said while the engine starts; where the default embedder lies is known only then.
    const found = name === defaultEmbedder ? undefined : await this.find(name, kind, asker.accountId);
    await this.#started(until, asker.signal);
    const model = found ?? (await this.find(name, kind, asker.accountId));
    for (;;) {
      try {
        return await ask(model);
      } catch (error) {
        asker.signal.throwIfAborted();
        if (!(error instanceof EngineFailure && error.code === 'model_loading'))
          throw refusalOf(error, name, asker.place);
        await this.#loaded(name, model, kind, until, asker);
      }
    }
  }

  async #started(until: number, signal: AbortSignal): Promise<void> {
    for (let reason = this.#engine.unready(); reason !== undefined; reason = this.#engine.unready()) {
      // Work that nobody waits for is done when the engine is there, be that after the next start.
      const hopeless = this.#engine.isLost() && until < Number.POSITIVE_INFINITY;
      if (hopeless || performance.now() >= until) throw refusalOf(new EngineFailure('stopped', `it is ${reason}`), '');
      await pause(100, signal);
    }
  }

  async #loaded(name: string, model: Model, kind: Kind, until: number, asker: Asker): Promise<void> {
    let progress: LoadProgress | undefined;
    const waiting = new AbortController();
    const late = pause(
      Math.min(until - performance.now(), 2 ** 31 - 1),
      AbortSignal.any([asker.signal, waiting.signal]),
    ).then(() => {
      throw new Refusal('model_loading', { name, progress: shown(progress) }, { headers: { 'Retry-After': '5' } });
    });
    const loaded = this.#engine.load(loading(model, kind), (told) => {
      progress = told;
    });
    try {
      await this.#said(Promise.race([loaded, late]), name, asker);
    } finally {
      waiting.abort();
      late.catch(() => {});
      loaded.catch(() => {});
    }
  }

  async #said<Result>(asked: Promise<Result>, name: string, { place, signal }: Asker): Promise<Result> {
    try {
      return await asked;
    } catch (error) {
      signal.throwIfAborted();
      throw refusalOf(error, name, place);
    }
  }
}

const loading = ({ folder, base }: Model, kind: Kind) => ({ model: folder, kind, ...(base && { base }) });
const turnOf = ({ accountId, queue }: Asker) => (queue ? `${accountId} ${queue}` : String(accountId));

async function last(pieces: AsyncGenerator<Delta, End>): Promise<End> {
  for (;;) {
    const step = await pieces.next();
    if (step.done) return step.value;
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { signal, ref: false }).catch(() => signal.throwIfAborted());
}

function shown(progress: LoadProgress | undefined): string {
  if (!progress) return 'it waits to be read';
  const share = progress.total > 0 ? ` (${Math.round((100 * progress.done) / progress.total)}%)` : '';
  return `${progress.stage}${share}`;
}
