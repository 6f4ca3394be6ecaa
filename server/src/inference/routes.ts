// The routes of synchronous completions and embeddings, in the form of the platform's clients.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { End } from '../engine/protocol.ts';
import { requestSignal } from '../http/request-signal.ts';
import { type Handler, serve } from '../http/serve.ts';
import { defaultEmbedder } from '../models/models.ts';
import { generationRequest, outputOf } from './generation-request.ts';
import { type CallContext, defaultTimeoutMs, type ModelClient } from './model-client.ts';
import { inParallel } from './parallel.ts';
import { rowsOf } from './vectors.ts';

/** The platform's clients stop waiting after 90 seconds. */
const timeoutSeconds = 85;
/**
 * Prompts of one call that run concurrently: as many as the engine's batch holds. The rest of a long list waits here, outside the
 * engine's queue.
 */
export const maxConcurrentPrompts = 32;

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
          const end = await modelClient.answer(body.model_name, generationRequest(prompt, body), one);
          return { output: outputOf(end, body), ...withExplanation(end, body) };
        });
        const results = answers.map(({ output, ...memory }) =>
          // The requested object may have a key of this name itself; then that key wins.
          typeof output === 'string' ? { output, ...memory } : { ...memory, ...output },
        );
        return Array.isArray(body.prompt) ? results : results[0]!;
      },
      textTwin,
    );

  serve(app, contract.completeInArrays, async ({ caller, body, reply }) => {
    const callContext = callContextOf(caller, reply);
    const ends = await ofEach(body.prompt, callContext, async (prompt, one) => {
      // A prompt that was not started in time, or an object that is incomplete, has no output to return.
      if (isTimedOut(one)) return { text: '', finish_reason: 'cancelled' as const };
      const end = await modelClient.answerSoFar(body.model_name, generationRequest(prompt, body), one);
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

/** The explanation of a tuned model, if the caller asked for it. A base has none. */
export const withExplanation = ({ memory }: Pick<End, 'memory'>, { explain }: { explain?: boolean | undefined }) =>
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
    signal: requestSignal(reply, timeoutSeconds),
    timeoutMs: defaultTimeoutMs,
  };
}

async function ofEach<Result>(
  prompts: string | string[],
  callContext: CallContext,
  work: (prompt: string, one: CallContext) => Promise<Result>,
): Promise<Result[]> {
  if (!Array.isArray(prompts)) return [await work(prompts, callContext)];
  return await inParallel(
    prompts,
    maxConcurrentPrompts,
    async (prompt, place) => await work(prompt, { ...callContext, place }),
  );
}

const isTimedOut = ({ signal }: CallContext) =>
  signal.reason instanceof contract.Refusal && signal.reason.code === 'timed_out';
