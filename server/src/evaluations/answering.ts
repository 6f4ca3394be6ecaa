// Work on one evaluation: asks each target every unanswered question, one target after the other, and continues after an engine restart.
// Answers are handed over as they arrive; the runner writes them.
import { Refusal } from '@lorekeep/contract';
import { inParallel } from '../inference/parallel.ts';
import { retry } from '../inference/retry.ts';
import type { WorkHandle } from '../leases/leased-work.ts';
import type { EvaluationStore, HeldEvaluation, NewAnswer } from './evaluation-store.ts';
import type { EvaluationRequest } from './insert.ts';
import type { Row } from './questions.ts';
import { score } from './scoring.ts';
import type { Question, Targets } from './targets.ts';

/** Number of questions in flight, which the engine batches. */
const maxInFlight = 32;
/** Tokens allowed beyond the bytes of the right answer. A token has at least one byte, so the right answer always fits. */
const extraTokens = 32;

export interface Work extends WorkHandle<NewAnswer> {
  evaluationStore: EvaluationStore;
  targets: Targets;
}

export async function answerEvaluation(evaluation: HeldEvaluation, work: Work): Promise<void> {
  const { targets, form, max_tokens } = JSON.parse(evaluation.request) as EvaluationRequest;
  const questions = await work.evaluationStore.questions(evaluation.id);
  const callContext = {
    accountId: evaluation.account_id,
    keyId: evaluation.key_id,
    signal: work.signal,
    // Like batches, evaluations take turns with interactive requests.
    queue: 'later' as const,
  };
  const questionOf = ({ input, output }: Row): Question => ({
    text: input,
    form,
    max_tokens: max_tokens ?? Buffer.byteLength(output) + extraTokens,
  });
  for (const [place, target] of targets.entries()) {
    const answered = await work.evaluationStore.answered(evaluation.id, place);
    const open = questions.map((question, at) => ({ question, row: at + 1 })).filter(({ row }) => !answered.has(row));
    if (open.length === 0) continue;
    // Loads the model first, so that the load does not count as latency.
    const first = questionOf(open[0]!.question);
    await retry(work.signal, async () => await work.targets.answer(target, { ...first, max_tokens: 1 }, callContext));
    await inParallel(open, maxInFlight, async ({ question, row }) => {
      let asked = performance.now();
      const reply = await retry(work.signal, async () => {
        asked = performance.now();
        return await work.targets.answer(target, questionOf(question), callContext);
      });
      work.signal.throwIfAborted();
      const milliseconds = Math.round(performance.now() - asked);
      if (reply instanceof Refusal) work.hand({ target: place, row, ...unanswered(reply.message), milliseconds });
      else
        work.hand({
          target: place,
          row,
          ...scored(reply.text, question.output),
          finish_reason: reply.finish_reason === 'length' ? 'length' : 'stop',
          outcome: reply.memory?.outcome ?? null,
          error: null,
          milliseconds,
          prompt_tokens: reply.usage.prompt_tokens,
          completion_tokens: reply.usage.completion_tokens,
        });
    });
  }
}

function scored(answer: string, right: string): Pick<NewAnswer, 'output' | 'exact' | 'normalised'> {
  const { exact, normalised } = score(answer, right);
  return { output: JSON.stringify(answer), exact: exact ? 1 : 0, normalised: normalised ? 1 : 0 };
}

const unanswered = (error: string) => ({
  output: '""',
  exact: 0,
  normalised: 0,
  finish_reason: 'error' as const,
  outcome: null,
  error,
  prompt_tokens: 0,
  completion_tokens: 0,
});
