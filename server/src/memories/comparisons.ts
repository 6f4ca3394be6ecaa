// Compares the answers of two versions of a memory. A comparison is an evaluation with the models of two versions as targets. It is stored
// nowhere else, so it ends when the evaluation is deleted or an erasure replaces one of the models.
import {
  type AnswerOf,
  type BodyOf,
  type Comparison,
  listAnswerDifferences,
  type QueryOf,
  Refusal,
  showComparison,
  startComparison,
} from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { VersionEvaluations, VersionsAsked, VersionsOrder } from '../evaluations/version-evaluations.ts';
import { serve } from '../http/serve.ts';
import type { Store } from '../store/database.ts';
import { refuseErased } from './erased.ts';
import { gateOf } from './gates.ts';
import { lockMemory, memoryOf, type OwnMemory, versionOf } from './memory-store.ts';

interface Dependencies {
  store: Store;
  evaluations: VersionEvaluations;
}

export class Comparisons {
  readonly #store: Store;
  readonly #evaluations: VersionEvaluations;

  constructor({ store, evaluations }: Dependencies) {
    this.#store = store;
    this.#evaluations = evaluations;
  }

  async start(caller: Caller, name: string, body: BodyOf<typeof startComparison>): Promise<Comparison> {
    const { db } = this.#store;
    const memory = await memoryOf(db, caller.account.id, name);
    if (memory.published === null) throw new Refusal('memory_empty', { name });
    const to = body.to ?? memory.published;
    const from = body.from ?? Math.max(1, to - 1);
    const models = [];
    for (const number of [to, from]) {
      const { model_name } = await versionOf(db, memory, number);
      await refuseErased(db, memory, number);
      models.push({ model_name, name: `version ${number}` });
    }
    const refusal = (reason: string) => new Refusal('comparison_invalid', { from, to, reason });
    if (from === to) throw refusal('they are the same');
    const dataset = body.dataset_id ?? (await gateOf(db, memory))?.dataset;
    if (dataset === undefined) throw refusal('no evaluation set is named, and the memory has no gate');
    const rows = await this.#evaluations.rowsOf(memory.account_id, dataset);
    if (rows === 0) throw refusal('the set has no rows');
    const order = {
      ...{ accountId: memory.account_id, keyId: caller.key.id, dataset, models },
      name: `${name}, versions ${from} and ${to}`.slice(0, 200),
    };
    const id = (await this.#evaluations.same(db, order, rows)) ?? (await this.#begin(memory, order, rows));
    return await this.#shown(memory, id);
  }

  /** Starts the comparison. Concurrent identical requests start it once. */
  async #begin(memory: OwnMemory, order: VersionsOrder, rows: number): Promise<number> {
    const insert = await this.#evaluations.prepare(order);
    const id = await this.#store.db.transaction().execute(async (change) => {
      if (!(await lockMemory(this.#store, change, memory.id)))
        throw new Refusal('memory_not_found', { name: memory.name });
      const other = await this.#evaluations.same(change, order, rows);
      if (other !== undefined) return other;
      await this.#evaluations.refuseTooMany(change, memory.account_id);
      return await insert(change);
    });
    this.#evaluations.wake();
    return id;
  }

  async show(caller: Caller, name: string, id: number): Promise<Comparison> {
    return await this.#shown(await memoryOf(this.#store.db, caller.account.id, name), id);
  }

  async differences(
    caller: Caller,
    name: string,
    id: number,
    query: QueryOf<typeof listAnswerDifferences>,
  ): Promise<AnswerOf<typeof listAnswerDifferences>> {
    await this.#between(await memoryOf(this.#store.db, caller.account.id, name), id);
    return await this.#evaluations.differences(id, query);
  }

  async #shown(memory: OwnMemory, id: number): Promise<Comparison> {
    const { asked, from, to } = await this.#between(memory, id);
    const { status, error, rows, dataset } = asked;
    return {
      ...{ evaluation_id: id, from_version: from, to_version: to, dataset_id: dataset, status, error, rows },
      ...(await this.#evaluations.counts(id)),
    };
  }

  async #between(memory: OwnMemory, id: number): Promise<{ asked: VersionsAsked; from: number; to: number }> {
    const asked = await this.#evaluations.asked(memory.account_id, id);
    const versions = await this.#store.db
      .selectFrom('memory_versions')
      .select(['number', 'model_name'])
      .where('memory_id', '=', memory.id)
      .where('model_name', 'in', asked?.models ?? [''])
      .execute();
    const [to, from] = (asked?.models ?? []).map(
      (model) => versions.find(({ model_name }) => model_name === model)?.number,
    );
    if (asked === undefined || to === undefined || from === undefined)
      throw new Refusal('comparison_not_found', { name: memory.name, id });
    return { asked, from, to };
  }
}

export function comparisonRoutes(app: FastifyInstance, comparisons: Comparisons): void {
  serve(app, startComparison, async ({ caller, params, body }) => await comparisons.start(caller, params.name, body));
  serve(app, showComparison, async ({ caller, params: { name, id } }) => await comparisons.show(caller, name, id));
  serve(
    app,
    listAnswerDifferences,
    async ({ caller, params: { name, id }, query }) => await comparisons.differences(caller, name, id, query),
  );
}
