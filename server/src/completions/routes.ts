// Completions and embeddings that are answered at once, as the platform's clients ask for them.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { End } from '../engine/protocol.ts';
import { untilGone } from '../http/gone.ts';
import { serve } from '../http/serve.ts';
import type { Caller } from '../keys/caller.ts';
import { defaultEmbedder } from '../models/models.ts';
import { type Asker, type Asking, usualPatience } from './asking.ts';
import { inParallel } from './parallel.ts';
import { outputOf, questionOf } from './request.ts';
import { rowsOf } from './vectors.ts';

/** The platform's clients stop waiting after 90 seconds. */
const seconds = 85;
/** Of one call: as many as the engine works on together. The rest of a long list waits here, where it takes nobody's place. */
export const width = 32;

export function completionRoutes(app: FastifyInstance, asking: Asking): void {
  for (const route of [contract.complete, contract.completeInSession])
    serve(app, route, async ({ caller, body, reply }) => {
      const asker = askerOf(caller, reply);
      const answers = await ofEach(body.prompt, asker, async (prompt, one) => {
        const end = await asking.answer(body.model_name, questionOf(prompt, body), one);
        return { output: outputOf(end, body), ...explained(end, body) };
      });
      const shown = answers.map(({ output, ...memory }) =>
        // Of an object with a key of that name, the key is what was asked for.
        typeof output === 'string' ? { output, ...memory } : { ...memory, ...output },
      );
      return Array.isArray(body.prompt) ? shown : shown[0]!;
    });

  serve(app, contract.completeInArrays, async ({ caller, body, reply }) => {
    const asker = askerOf(caller, reply);
    const ends = await ofEach(body.prompt, asker, async (prompt, one) => {
      // What was not begun in time, or has a shape that it does not have yet, has nothing to show.
      if (isTimedOut(one)) return { text: '', finish_reason: 'cancelled' as const };
      const end = await asking.answerSoFar(body.model_name, questionOf(prompt, body), one);
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
      const vectors = await embedAll(asking, body.model_name ?? defaultEmbedder, texts, askerOf(caller, reply));
      return { embedding: Array.isArray(body.prompt) ? vectors : vectors[0]! };
    });
}

/** Of a tuned model that was asked to; a base has no memory to tell of. */
export const explained = ({ memory }: Pick<End, 'memory'>, { explain }: { explain?: boolean | undefined }) =>
  explain ? { memory: memory ?? null } : {};

export async function embedAll(asking: Asking, name: string, texts: string[], asker: Asker): Promise<number[][]> {
  return rowsOf(await asking.embed(name, { texts }, asker));
}

function askerOf(caller: Caller, reply: FastifyReply): Asker {
  return {
    accountId: caller.account.id,
    keyId: caller.key.id,
    signal: untilGone(reply, seconds),
    patience: usualPatience,
  };
}

async function ofEach<Result>(
  prompts: string | string[],
  asker: Asker,
  work: (prompt: string, one: Asker) => Promise<Result>,
): Promise<Result[]> {
  if (!Array.isArray(prompts)) return [await work(prompts, asker)];
  return await inParallel(prompts, width, async (prompt, place) => await work(prompt, { ...asker, place }));
}

const isTimedOut = ({ signal }: Asker) =>
  signal.reason instanceof contract.Refusal && signal.reason.code === 'timed_out';
