// Gates of memories for callers: set, show, remove, and the result of a gate on a version.
import {
  type AnswerOf,
  type BodyOf,
  type GateResult,
  type listRegressions,
  type MemoryGate,
  maxGateRows,
  Refusal,
  type setMemoryGate,
} from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import { record } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import type { VersionEvaluations } from '../evaluations/version-evaluations.ts';
import { questionKey } from '../files/question-key.ts';
import type { Store } from '../store/database.ts';
import type { MemoryGateRow } from '../store/tables/gate.ts';
import { knownQuestions } from './facts.ts';
import { barsOf } from './gate-result.ts';
import { type Db, lockMemory, memoryOf, type OwnMemory, versionOf } from './memory-store.ts';

export type OwnGate = Selectable<MemoryGateRow>;

export async function gateOf(db: Db, { id }: OwnMemory): Promise<OwnGate | undefined> {
  return await db.selectFrom('memory_gates').selectAll().where('memory_id', '=', id).executeTakeFirst();
}

interface Dependencies {
  store: Store;
  evaluations: VersionEvaluations;
}

export class Gates {
  readonly #store: Store;
  readonly #evaluations: VersionEvaluations;

  constructor({ store, evaluations }: Dependencies) {
    this.#store = store;
    this.#evaluations = evaluations;
  }

  async set(caller: Caller, name: string, body: BodyOf<typeof setMemoryGate>): Promise<MemoryGate> {
    const own = await memoryOf(this.#store.db, caller.account.id, name);
    await this.#refuseUnfit(own, body);
    const gate = await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockMemory(this.#store, change, own.id);
      if (!memory) throw new Refusal('memory_not_found', { name });
      const { dataset_id: dataset, exact = null, reworded = null, max_regressions = null } = body;
      const values = { dataset, exact, reworded, max_regressions, actor: caller.account.name, set_at: Date.now() };
      const written = await change
        .insertInto('memory_gates')
        .values({ memory_id: memory.id, ...values })
        .onConflict((conflict) => conflict.column('memory_id').doUpdateSet(values))
        .returningAll()
        .executeTakeFirstOrThrow();
      const details = { dataset, exact, reworded, max_regressions };
      await record(change, { action: 'memory.gate_set', accountId: memory.account_id, subject: name, details });
      return written;
    });
    return await this.#shown(own, gate);
  }

  /** Refuses a bar that no row of the set measures, since it would hold every version. */
  async #refuseUnfit(own: OwnMemory, body: BodyOf<typeof setMemoryGate>): Promise<void> {
    const { name, account_id, published } = own;
    if (published === null) throw new Refusal('memory_empty', { name });
    const rows = await this.#evaluations.rowsOf(account_id, body.dataset_id);
    const refusal = (reason: string) => new Refusal('gate_invalid', { reason });
    if (rows === 0) throw refusal('it has no rows');
    if (rows > maxGateRows) throw refusal(`it has ${rows} rows, and a set has ${maxGateRows} at most`);
    const questions = (await this.#evaluations.questions(account_id, body.dataset_id)).map(questionKey);
    const known = await knownQuestions(this.#store.db, own.id, published, [...new Set(questions)]);
    const exact = questions.filter((question) => known.has(question)).length;
    if (body.exact !== undefined && exact === 0)
      throw refusal('no row asks a fact of the memory in its taught words, which "exact" counts');
    if (body.reworded !== undefined && exact === questions.length)
      throw refusal('every row asks a fact in its taught words, and "reworded" counts the others');
  }

  async show(caller: Caller, name: string): Promise<MemoryGate> {
    const memory = await memoryOf(this.#store.db, caller.account.id, name);
    const gate = await gateOf(this.#store.db, memory);
    if (!gate) throw new Refusal('gate_not_found', { name });
    return await this.#shown(memory, gate);
  }

  async #shown({ account_id }: OwnMemory, gate: OwnGate): Promise<MemoryGate> {
    const rows = await this.#evaluations.rowsOf(account_id, gate.dataset).catch((error) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    return {
      ...{ dataset_id: gate.dataset, rows, ...barsOf(gate) },
      ...{ by: gate.actor, set_at: new Date(gate.set_at).toISOString() },
    };
  }

  async remove(caller: Caller, name: string): Promise<void> {
    const own = await memoryOf(this.#store.db, caller.account.id, name);
    await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockMemory(this.#store, change, own.id);
      const removed = await change
        .deleteFrom('memory_gates')
        .where('memory_id', '=', own.id)
        .returning('dataset')
        .executeTakeFirst();
      if (!memory || !removed) throw new Refusal('gate_not_found', { name });
      await record(change, {
        action: 'memory.gate_removed',
        accountId: own.account_id,
        subject: name,
        details: removed,
      });
    });
  }

  async result(caller: Caller, name: string, number: number): Promise<GateResult> {
    const memory = await memoryOf(this.#store.db, caller.account.id, name);
    const { gate } = await versionOf(this.#store.db, memory, number);
    if (gate === null) throw new Refusal('gate_not_checked', { name, version: number });
    return JSON.parse(gate);
  }

  async regressions(
    caller: Caller,
    name: string,
    number: number,
    { limit, after }: { limit: number; after?: number | undefined },
  ): Promise<AnswerOf<typeof listRegressions>> {
    const { evaluation_id } = await this.result(caller, name, number);
    if (evaluation_id === null) return { regressions: [], next: null };
    return await this.#evaluations.regressions(evaluation_id, limit, after);
  }
}
