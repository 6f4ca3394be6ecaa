// Completions and embeddings that are answered at once, as the platform's clients ask for them.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { End } from '../engine/protocol.ts';
import { untilGone } from '../http/request-signal.ts';
import { type Handler, serve } from '../http/serve.ts';
import { defaultEmbedder } from '../models/models.ts';
import { outputOf, questionOf } from './generation-request.ts';
import { type CallContext, defaultTimeoutMs, type ModelClient } from './model-client.ts';
import { inParallel } from './parallel.ts';
import { rowsOf } from './vectors.ts';

/** The platform's clients stop waiting after 90 seconds. */
const seconds = 85;
/**
 * Prompts of one call in work at once: as many as the engine computes together. The rest of a long list waits here,
 * outside the engine's queue.
 */
export const width = 32;

/** `textTwin` answers OpenAI's clients at /v1/completions. */
export function completionRoutes(
  app: FastifyInstance,
  modelClient: ModelClient,
  textTwin: Handler<typeof contract.completeText>,
): void {
  for (const route of [contract.complete, contract.completeInSession])
    serve(
      app,
      route,
      async ({ caller, body, reply }) => {
        const callContext = callContextOf(caller, reply);
        const answers = await ofEach(body.prompt, callContext, async (prompt, one) => {
          const end = await modelClient.answer(body.model_name, questionOf(prompt, body), one);
          return { output: outputOf(end, body), ...explained(end, body) };
        });
        const results = answers.map(({ output, ...memory }) =>
          // An object may have a key of that name; then the key of the object counts.
          typeof output === 'string' ? { output, ...memory } : { ...memory, ...output },
        );
        return Array.isArray(body.prompt) ? results : results[0]!;
      },
      textTwin,
    );

  serve(app, contract.completeInArrays, async ({ caller, body, reply }) => {
    const callContext = callContextOf(caller, reply);
    const ends = await ofEach(body.prompt, callContext, async (prompt, one) => {
      // A prompt that was not begun in time, or whose shape is not complete yet, has nothing to show.
      if (isTimedOut(one)) return { text: '', finish_reason: 'cancelled' as const };
      const end = await modelClient.answerSoFar(body.model_name, questionOf(prompt, body), one);
      if (end.finish_reason === 'cancelled' && !isTimedOut(one)) one.signal.throwIfAborted();
      return end;
    });
    return {
      outputs: ends.map((end) => (end.finish_reason === 'cancelled' ? end.text : outputOf(end, body))),
      finish_reason: ends.map((end) => (end.finish_reason === 'cancelled' ? 'timeout' : end.finish_reason)),
      ...(body.explain && { memory: ends.map((end) => ('memory' in end && end.memory) || null) }),
    };
  });

  for (const route of [contract.embed, contract.embedForPipelines])
    serve(app, route, async ({ caller, body, reply }) => {
      const texts = Array.isArray(body.prompt) ? body.prompt : [body.prompt];
      const vectors = await embedAll(
        modelClient,
        body.model_name ?? defaultEmbedder,
        texts,
        callContextOf(caller, reply),
      );
      return { embedding: Array.isArray(body.prompt) ? vectors : vectors[0]! };
    });
}

/** The memory's explanation, for a tuned model whose caller asked for it. A base has no memory. */
export const explained = ({ memory }: Pick<End, 'memory'>, { explain }: { explain?: boolean | undefined }) =>
  explain ? { memory: memory ?? null } : {};

export async function embedAll(
  modelClient: ModelClient,
  name: string,
  texts: string[],
  callContext: CallContext,
): Promise<number[][]> {
  return rowsOf(await modelClient.embed(name, { texts }, callContext));
}

function callContextOf(caller: Caller, reply: FastifyReply): CallContext {
  return {
    accountId: caller.account.id,
    keyId: caller.key.id,
    signal: untilGone(reply, seconds),
    timeoutMs: defaultTimeoutMs,
  };
}

async function ofEach<Result>(
  prompts: string | string[],
  callContext: CallContext,
  work: (prompt: string, one: CallContext) => Promise<Result>,
): Promise<Result[]> {
  if (!Array.isArray(prompts)) return [await work(prompts, callContext)];
  return await inParallel(prompts, width, async (prompt, place) => await work(prompt, { ...callContext, place }));
}

const isTimedOut = ({ signal }: CallContext) =>
  signal.reason instanceof contract.Refusal && signal.reason.code === 'timed_out';
