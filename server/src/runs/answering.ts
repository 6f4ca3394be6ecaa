// Work on one run: asks every prompt that has no answer yet, and continues after an engine restart. Answers are handed over as
// they come; the runner writes them.
import { Refusal } from '@lorekeep/contract';
import { generationRequest, outputOf } from '../inference/generation-request.ts';
import type { CallContext, ModelClient } from '../inference/model-client.ts';
import { inParallel } from '../inference/parallel.ts';
import { retry } from '../inference/retry.ts';
import { base64Rows } from '../inference/vectors.ts';
import type { WorkHandle } from '../leases/leased-work.ts';
import type { HeldRun, NewAnswer } from './run-store.ts';
import type { RunRequest } from './runs.ts';

/** Number of prompts in flight, which the engine batches. */
const promptsAtOnce = 32;
const textsPerCall = 128;

export interface Work extends WorkHandle<NewAnswer> {
  modelClient: ModelClient;
  answered: Set<number>;
}

export async function answerRun(run: HeldRun, work: Work): Promise<void> {
  const request = JSON.parse(run.request) as RunRequest;
  const open = request.prompts.map((text, place) => ({ text, place })).filter(({ place }) => !work.answered.has(place));
  // Batches take turns with interactive calls like another account. A polled stream has a caller waiting.
  const callContext = (place?: number): CallContext => ({
    accountId: run.account_id,
    keyId: run.key_id,
    signal: work.signal,
    ...(run.kind !== 'stream' && { queue: 'later' as const }),
    ...(place !== undefined && { place }),
  });
  if (run.kind === 'embeddings') {
    const parts = Array.from({ length: Math.ceil(open.length / textsPerCall) }, (_, part) =>
      open.slice(part * textsPerCall, (part + 1) * textsPerCall),
    );
    await inParallel(parts, 2, async (part) => {
      const texts = part.map(({ text }) => text);
      const rows = await retry(work.signal, async () =>
        base64Rows(await work.modelClient.embed(run.model, { texts }, callContext())).map((row) =>
          row.toString('base64'),
        ),
      );
      part.forEach(({ place }, at) => {
        work.hand(rows instanceof Refusal ? failed(place, rows) : done(place, rows[at]!, 'stop'));
      });
    });
    return;
  }
  await inParallel(open, promptsAtOnce, async ({ text, place }) => {
    const answer = await retry(work.signal, async () => {
      const pieces = work.modelClient.generate(
        run.model,
        { ...generationRequest(text, request), stream: run.kind === 'stream' },
        callContext(request.prompts.length > 1 ? place : undefined),
      );
      let grown = '';
      for (;;) {
        const step = await pieces.next();
        if (step.done) return step.value;
        grown += step.value.text;
        // An object is shown only when it is complete.
        if (!request.output_type) work.hand({ place, output: grown, finish: null, memory: undefined, error: null });
      }
    });
    work.signal.throwIfAborted();
    if (answer instanceof Refusal) work.hand(failed(place, answer));
    else {
      const finish = answer.finish_reason === 'length' ? 'length' : 'stop';
      work.hand(done(place, outputOf(answer, request), finish, request.explain ? (answer.memory ?? null) : undefined));
    }
  });
}

const done = (
  place: number,
  output: NewAnswer['output'],
  finish: 'stop' | 'length',
  memory?: NewAnswer['memory'],
): NewAnswer => ({ place, output, finish, memory, error: null });
const failed = (place: number, refusal: Refusal): NewAnswer => ({
  place,
  output: '',
  finish: 'error',
  memory: undefined,
  error: refusal.message,
});
