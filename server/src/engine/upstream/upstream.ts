// One model of an upstream engine, with a circuit breaker: the parity checks run before the first call and again after each failure.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { UpstreamSettings } from '../../config/upstreams.ts';
import { EngineFailure } from '../engine.ts';
import type { Delta, End, Generation, RenderedPrompt } from '../protocol.ts';
import { bodyOf, parseCompletionEvents } from './completion.ts';
import { events } from './events.ts';
import { UpstreamFailure } from './failure.ts';
import { checkListed, checkParity, type Parity, type Render } from './parity.ts';
import { send, sendForJson } from './send.ts';

/** Time that the result of a failed check is reused: calls of many clients must not cause as many checks. */
const failureCacheMs = 3_000;
const maxAttempts = 3;
const firstPauseMs = 150;
/** Maximum number of concurrent answers; more are refused. A slow upstream must not fill the server's memory. */
const maxConcurrent = 512;

export class Upstream {
  readonly settings: UpstreamSettings;
  readonly #render: Render;
  readonly #log: FastifyBaseLogger;
  #parity: Parity | undefined;
  #checking: Promise<Parity> | undefined;
  #failed: { at: number; failure: unknown } | undefined;
  #open = 0;
  readonly counts = { answered: 0, failed: 0 };

  constructor(settings: UpstreamSettings, render: Render, log: FastifyBaseLogger) {
    this.settings = settings;
    this.#render = render;
    this.#log = log;
  }

  /** "ok", with any harmless differences, or the problem. */
  state(): string {
    if (this.#failed) return (this.#failed.failure as Error).message;
    if (!this.#parity) return 'starting: it was not asked yet';
    return 'ok';
  }

  get notes(): string[] {
    return this.#parity?.notes ?? [];
  }

  /** Throws a refusal for callers if the upstream failed its checks or is unreachable. */
  async ready(): Promise<Parity> {
    if (this.#parity) return this.#parity;
    if (this.#failed && performance.now() - this.#failed.at < failureCacheMs) throw this.#refusal(this.#failed.failure);
    try {
      return await this.check();
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /** Runs one check at a time. */
  async check(): Promise<Parity> {
    this.#checking ??= this.#checked().finally(() => {
      this.#checking = undefined;
    });
    return await this.#checking;
  }

  async #checked(): Promise<Parity> {
    const signal = AbortSignal.timeout(this.settings.timeoutSeconds * 1000);
    try {
      if (this.#parity)
        await checkListed(this.settings, (path) => sendForJson(this.settings, path, undefined, signal), []);
      else {
        const parity = await checkParity(this.settings, this.#render, signal);
        this.#parity = parity;
        const { name, url, model } = this.settings;
        this.#log.info({ name, url, model, schema: parity.schemaWay, notes: parity.notes }, 'upstream: ready');
      }
      this.#failed = undefined;
      return this.#parity;
    } catch (error) {
      this.#lose(error);
      throw error;
    }
  }

  #lose(error: unknown): void {
    if (!this.#failed || this.state() !== (error as Error).message)
      this.#log.warn({ name: this.settings.name, url: this.settings.url }, `upstream: ${(error as Error).message}`);
    this.#parity = undefined;
    this.#failed = { at: performance.now(), failure: error };
  }

  #refusal(error: unknown): unknown {
    const { name, timeoutSeconds } = this.settings;
    if (error instanceof UpstreamFailure) return error.refusal(name, timeoutSeconds);
    const silent = error instanceof DOMException && error.name === 'TimeoutError';
    return silent ? new UpstreamFailure('slow', 'silent').refusal(name, timeoutSeconds) : error;
  }

  async *generate(
    handed: RenderedPrompt,
    request: Generation,
    signal = new AbortController().signal,
  ): AsyncGenerator<Delta, End> {
    const { schemaWay, context = handed.context } = await this.ready();
    this.#refuse(request, handed, schemaWay);
    const room = Math.min(context, handed.context) - handed.tokens.length;
    if (room < (request.room ?? 1)) throw tooLong(handed, Math.min(context, handed.context), request.room ?? 1);
    const maxTokens = Math.min(request.max_tokens ?? 256, room);
    const body = bodyOf(this.settings.model, request, handed, maxTokens, schemaWay);
    this.#open++;
    let text = '';
    try {
      const end = yield* this.#streamed(body, handed, request, signal, (piece) => {
        text += piece;
      });
      this.counts.answered++;
      return end;
    } catch (error) {
      if (signal.aborted) return cancelled(text, handed);
      this.counts.failed++;
      // The next call first checks whether it is still reachable.
      if (error instanceof UpstreamFailure && error.kind === 'unavailable') this.#lose(error);
      throw this.#refusal(error);
    } finally {
      this.#open--;
    }
  }

  #refuse({ no_repeat_ngram_size }: Generation, { json_schema }: RenderedPrompt, schemaWay: unknown): void {
    const { name } = this.settings;
    const cannot = (what: string) => new Refusal('upstream_cannot', { name, what });
    if (no_repeat_ngram_size) throw cannot('no_repeat_ngram_size');
    if (json_schema != null && schemaWay === undefined) throw cannot('answers of a given JSON shape');
    if (this.#open >= maxConcurrent)
      throw new Refusal(
        'overloaded',
        { reason: `${maxConcurrent} answers of ${name} are in progress` },
        { headers: { 'Retry-After': '5' } },
      );
  }

  /** Retries only while no part of the answer has arrived. */
  async *#streamed(
    body: Record<string, unknown>,
    handed: RenderedPrompt,
    request: Generation,
    signal: AbortSignal,
    heard: (piece: string) => void,
  ): AsyncGenerator<Delta, End> {
    const told: NonNullable<Delta['logprobs']> = [];
    let text = '';
    for (let attempt = 1; ; attempt++) {
      let parts: ReturnType<typeof parseCompletionEvents> | undefined;
      try {
        const sent = events(await send(this.settings, '/completions', body, signal));
        const { model } = this.settings;
        parts = parseCompletionEvents(sent, { model, ends: handed.ends, logprobs: request.logprobs });
        let step = await parts.next();
        for (; !step.done; step = await parts.next()) {
          text += step.value.text;
          heard(step.value.text);
          if (step.value.logprobs) told.push(...step.value.logprobs);
          if (request.stream) yield { type: 'delta', id: '', ...step.value };
        }
        const { finish_reason, usage } = step.value;
        const prompt_tokens = usage.prompt_tokens || handed.tokens.length;
        if (handed.json_schema != null) refuseBroken(text, finish_reason, this.settings.name, request.max_tokens);
        return {
          ...{ type: 'end', id: '', finish_reason, text, usage: { ...usage, prompt_tokens } },
          ...(typeof request.logprobs === 'number' && { logprobs: told }),
        };
      } catch (error) {
        const again = error instanceof UpstreamFailure && error.passing && text === '' && told.length === 0;
        if (!again || attempt >= maxAttempts || signal.aborted) throw error;
        await sleep(firstPauseMs * 2 ** (attempt - 1), undefined, { signal });
      } finally {
        // When the caller leaves, the upstream request is cancelled too.
        await parts?.return(undefined as never);
      }
    }
  }
}

/** Truncated JSON does not satisfy its schema. */
function refuseBroken(text: string, reason: 'stop' | 'length', name: string, maxTokens = 256): void {
  try {
    JSON.parse(text);
  } catch {
    if (reason === 'length')
      throw new Refusal('upstream_cannot', {
        ...{ name, what: `an answer of this JSON shape within max_tokens ${maxTokens}, where it was cut off` },
      });
    throw new UpstreamFailure('wrong', 'an answer of a given JSON shape is not JSON');
  }
}

function tooLong({ tokens }: RenderedPrompt, context: number, room: number): EngineFailure {
  const facts = { prompt_tokens: tokens.length, context, room };
  return new EngineFailure('context_exceeded', 'The prompt is longer than the upstream engine reads.', facts);
}

const cancelled = (text: string, { tokens }: RenderedPrompt): End => ({
  ...{ type: 'end', id: '', finish_reason: 'cancelled', text },
  usage: { prompt_tokens: tokens.length, cached_tokens: 0, completion_tokens: 0 },
});
