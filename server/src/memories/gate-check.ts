// Checks a new version with the gate of its memory. The check is an evaluation; its id is stored on the change in the same
// transaction. So any server can continue after a crash, and a deleted evaluation is started again.
import { type GateResult, Refusal } from '@lorekeep/contract';
import type { VersionEvaluations } from '../evaluations/version-evaluations.ts';
import { questionKey } from '../files/question-key.ts';
import type { TunedModelRecord } from '../models/tuned.ts';
import type { ModelFact } from '../models/tuned-facts.ts';
import type { Store } from '../store/database.ts';
import { barsOf, failingBars, type GateFigures, gateFigures, noGateFigures } from './gate-result.ts';
import { gateOf, type OwnGate } from './gates.ts';
import { type Change, type OwnChange, type OwnMemory, versionOf } from './memory-store.ts';

/** Outcome of a gate's evaluation. */
export interface Checked {
  dataset: string;
  evaluation: number | null;
  figures: GateFigures;
  /** Reason why there are no figures. */
  problem?: string | undefined;
}

interface Dependencies {
  store: Store;
  evaluations: VersionEvaluations;
}

export type Still = (change: Change) => Promise<OwnMemory>;

export class GateCheck {
  readonly #store: Store;
  readonly #evaluations: VersionEvaluations;

  constructor({ store, evaluations }: Dependencies) {
    this.#store = store;
    this.#evaluations = evaluations;
  }

  /**
   * Undefined if the memory has no gate; `later` while its evaluation runs. The facts are read only when it is completed, since a change
   * is looked at several times a second until then. `still` locks the memory, or throws if the change is over.
   */
  async of(
    memory: OwnMemory,
    order: OwnChange,
    { model, facts, still }: { model: TunedModelRecord; facts: () => Promise<ModelFact[]>; still: Still },
  ): Promise<Checked | 'later' | undefined> {
    const gate = await gateOf(this.#store.db, memory);
    if (!gate || order.parent === null) return undefined;
    const id = order.evaluation_id;
    const found = id === null ? undefined : await this.#evaluations.find(id);
    if (!found || found.dataset !== gate.dataset) {
      try {
        await this.#begin(memory, order, gate, { model, still });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { dataset: gate.dataset, evaluation: null, figures: noGateFigures, problem: error.message };
      }
      return 'later';
    }
    if (found.status === 'running') return 'later';
    const checked = { dataset: gate.dataset, evaluation: id };
    if (found.status !== 'completed') {
      const problem = `the evaluation ${id} ${found.status === 'cancelled' ? 'was cancelled' : `failed: ${found.error}`}`;
      return { ...checked, figures: noGateFigures, problem };
    }
    const questions = new Set((await facts()).map(({ input }) => questionKey(input)));
    return { ...checked, figures: gateFigures(await this.#evaluations.rows(id!), questions) };
  }

  async #begin(
    memory: OwnMemory,
    order: OwnChange,
    gate: OwnGate,
    { model, still }: { model: TunedModelRecord; still: Still },
  ): Promise<void> {
    const parent = await versionOf(this.#store.db, memory, order.parent!);
    const insert = await this.#evaluations.prepare({
      ...{ accountId: memory.account_id, keyId: order.key_id, dataset: gate.dataset },
      name: `gate of ${memory.name}, change ${order.number}`.slice(0, 200),
      models: [
        { model_name: model.name, name: `change ${order.number}` },
        { model_name: parent.model_name, name: `version ${order.parent}` },
      ],
    });
    const begun = await this.#store.db.transaction().execute(async (change) => {
      await still(change);
      const now = await change
        .selectFrom('memory_changes')
        .select('evaluation_id')
        .where('id', '=', order.id)
        .executeTakeFirstOrThrow();
      // Another server has started the evaluation already.
      if (now.evaluation_id !== order.evaluation_id) return false;
      if (now.evaluation_id !== null) await this.#evaluations.drop(change, now.evaluation_id);
      const evaluation_id = await insert(change);
      await change.updateTable('memory_changes').set({ evaluation_id }).where('id', '=', order.id).execute();
      return true;
    });
    if (begun) this.#evaluations.wake();
  }
}

/** The result under the current gate. Undefined if the gate has another dataset by now, which has to be evaluated first. */
export function resultOf(
  gate: OwnGate,
  { dataset, evaluation, figures, problem }: Checked,
  { version, against }: { version: number; against: number | null },
): GateResult | undefined {
  if (gate.dataset !== dataset) return undefined;
  const bars = barsOf(gate);
  const failing =
    problem === undefined
      ? failingBars(figures, bars)
      : [{ bar: 'evaluation' as const, text: `the set could not be asked: ${problem.replace(/\.$/, '')}` }];
  return {
    ...{ version, against_version: against, dataset_id: dataset, evaluation_id: evaluation, ...figures, bars },
    ...{ holds: failing.length === 0, failing, checked_at: new Date().toISOString() },
  };
}
