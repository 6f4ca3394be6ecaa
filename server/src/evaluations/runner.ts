// Background worker of evaluations: claims them and writes their answers a few times a second.
import type { Heartbeat } from '../leases/heartbeat.ts';
import { LeasedWork } from '../leases/leased-work.ts';
import type { Store } from '../store/database.ts';
import { answerEvaluation } from './answering.ts';
import { EvaluationStore, type HeldEvaluation, type NewAnswer } from './evaluation-store.ts';
import type { Targets } from './targets.ts';

/** Maximum number of evaluations that one server works on at once. */
const maxConcurrent = 4;

export function evaluationRunner(
  store: Store,
  heartbeat: Heartbeat,
  targets: Targets,
  onError: (error: unknown) => void,
): LeasedWork<HeldEvaluation, NewAnswer> {
  const evaluationStore = new EvaluationStore(store, heartbeat);
  return new LeasedWork({
    store: evaluationStore,
    claim: async (running) => await evaluationStore.lease.claim(maxConcurrent - running.size, running.keys()),
    work: async (evaluation, handle) => await answerEvaluation(evaluation, { evaluationStore, targets, ...handle }),
    keyOf: ({ target, row }) => `${target} ${row}`,
    onError,
  });
}
