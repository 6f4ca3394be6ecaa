// The work on one run: asks for every prompt that has no answer yet, whatever happens to the engine meanwhile. Answers are handed over as
// they come; the runner writes them.
import { Refusal } from '@lorekeep/contract';
import type { Asker, Asking } from '../completions/asking.ts';
import { inParallel } from '../completions/parallel.ts';
import { persist } from '../completions/persist.ts';
import { outputOf, questionOf } from '../completions/request.ts';
import { base64Rows } from '../completions/vectors.ts';
import type { HeldRun, NewAnswer } from './ledger.ts';
import type { RunRequest } from './runs.ts';

/** As many as the engine works on together. */
const width = 32;
const textsAtOnce = 128;

export interface Work {
  asking: Asking;
  signal: AbortSignal;
  answered: Set<number>;
  hand(answer: NewAnswer): void;
}

export async function answerRun(run: HeldRun, work: Work): Promise<void> {
  const request = JSON.parse(run.request) as RunRequest;
  const open = request.prompts.map((text, place) => ({ text, place })).filter(({ place }) => !work.answered.has(place));
  // Batches take turns with what is asked at once, as if they were another account's. Somebody waits for a polled stream.
  const asker = (place?: number): Asker => ({
    accountId: run.account_id,
    keyId: run.key_id,
    signal: work.signal,
    ...(run.kind !== 'stream' && { queue: 'later' as const }),
    ...(place !== undefined && { place }),
  });
  if (run.kind === 'embeddings') {
    const parts = Array.from({ length: Math.ceil(open.length / textsAtOnce) }, (_, part) =>
      open.slice(part * textsAtOnce, (part + 1) * textsAtOnce),
    );
    await inParallel(parts, 2, async (part) => {
      const texts = part.map(({ text }) => text);
      const rows = await persist(work.signal, async () =>
        base64Rows(await work.asking.embed(run.model, { texts }, asker())).map((row) => row.toString('base64')),
      );
      part.forEach(({ place }, at) => {
        work.hand(rows instanceof Refusal ? failed(place, rows) : done(place, rows[at]!, 'stop'));
      });
    });
    return;
  }
  await inParallel(open, width, async ({ text, place }) => {
    const answer = await persist(work.signal, async () => {
      const pieces = work.asking.generate(
        run.model,
        { ...questionOf(text, request), stream: run.kind === 'stream' },
        asker(request.prompts.length > 1 ? place : undefined),
      );
      let grown = '';
      for (;;) {
        const step = await pieces.next();
        if (step.done) return step.value;
        grown += step.value.text;
        // Of an object there is nothing to show before it is whole.
        if (!request.output_type) work.hand({ place, output: grown, finish: null, error: null });
      }
    });
    work.signal.throwIfAborted();
    if (answer instanceof Refusal) work.hand(failed(place, answer));
    else work.hand(done(place, outputOf(answer, request), answer.finish_reason === 'length' ? 'length' : 'stop'));
  });
}

const done = (place: number, output: NewAnswer['output'], finish: 'stop' | 'length'): NewAnswer => ({
  place,
  output,
  finish,
  error: null,
});
const failed = (place: number, refusal: Refusal): NewAnswer => ({
  place,
  output: '',
  finish: 'error',
  error: refusal.message,
});
