// Background worker that advances the changes of memories one by one: submits the job of a waiting change, and makes a version
// when the job is over. Each step is one idempotent transaction that first checks whether it is still due, so any server can
// continue after a crash, and concurrent servers do it once.
import { hasResult, isOver, Refusal } from '@lorekeep/contract';
import type { FastifyBaseLogger } from 'fastify';
import { record } from '../audit/record.ts';
import { questionKey } from '../files/question-key.ts';
import { BackgroundTasks } from '../leases/background.ts';
import type { TunedModelRecord, TunedModels } from '../models/tuned.ts';
import { factsOf, type ModelFact } from '../models/tuned-facts.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import type { Successor } from '../tuning/submit/successor.ts';
import { type GateCheck, resultOf } from './gate-check.ts';
import { gateOf } from './gates.ts';
import {
  type Change,
  lockMemory,
  type OwnChange,
  type OwnMemory,
  openChangeStates,
  versionOf,
} from './memory-store.ts';
import { applyOperations, type Operation, type Operations, sourceOf } from './operations.ts';
import { reopen } from './proposals/decide.ts';
import { addVersion, endChange } from './versions.ts';

interface Dependencies {
  store: Store;
  tuned: TunedModels;
  folders: TunedFolders;
  order(successor: Successor): Promise<unknown>;
  gates: GateCheck;
  erase: Erase;
  log: FastifyBaseLogger;
}

/** Advances an erasure. */
export type Erase = (memory: OwnMemory, order: OwnChange) => Promise<void>;

const pollMs = 300;

/** Another server has done this step. */
class DoneError extends Error {}

export class MemoryWorker {
  readonly #parts: Dependencies;
  readonly #tasks: BackgroundTasks;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#tasks = new BackgroundTasks((error) =>
      parts.log.warn({ err: error }, 'processing memory changes failed; retrying'),
    );
  }

  start(): void {
    this.#tasks.every(pollMs, this.#poll);
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
  }

  wake(): void {
    this.#tasks.run(this.#poll);
  }

  readonly #poll = async (): Promise<void> => {
    const { store, log } = this.#parts;
    const changes = await store.db
      .selectFrom('memory_changes')
      .selectAll()
      .where('state', 'in', openChangeStates)
      .orderBy('id')
      .execute();
    const seen = new Set<number>();
    for (const change of changes) {
      // Only the oldest open change of each memory is advanced.
      if (seen.has(change.memory_id)) continue;
      seen.add(change.memory_id);
      try {
        await this.#step(change);
      } catch (error) {
        if (error instanceof DoneError) continue;
        // A transient error never fails an erasure, which decides about its own end.
        const reason = change.kind === 'erase' ? undefined : reasonOf(error);
        if (reason === undefined)
          log.warn({ err: error, change: change.id }, 'a step of a memory change failed; retrying');
        else
          await this.#fail(change, reason).catch((later) =>
            log.warn({ err: later }, 'a step of a memory change failed; retrying'),
          );
      }
    }
  };

  async #step(order: OwnChange): Promise<void> {
    const memory = await this.#parts.store.db
      .selectFrom('memories')
      .selectAll()
      .where('id', '=', order.memory_id)
      .executeTakeFirst();
    if (!memory) return;
    if (order.kind === 'erase') await this.#parts.erase(memory, order);
    else if (order.state === 'waiting') await this.#begin(memory, order);
    else await this.#finish(memory, order);
  }

  async #begin(memory: OwnMemory, order: OwnChange): Promise<void> {
    const { store, tuned, folders } = this.#parts;
    const parent = memory.published!;
    const { model_name } = await versionOf(store.db, memory, parent);
    const old = await tuned.find(model_name, memory.account_id);
    if (!old) return await this.#fail(order, `The model of version ${parent} is not there.`);
    const facts = applyOperations(factsOf(folders, old.name), operationsIn(order), sourceOf(memory.name, order.number));
    await this.#parts.order({
      ...{ accountId: memory.account_id, keyId: order.key_id, jobsLimit: null, old, customName: null, facts },
      base: order.base_model ?? undefined,
      made: async (change, job) => {
        const now = await this.#lockUnchanged(change, order);
        if (now.published !== parent) throw new DoneError();
        await change
          .updateTable('memory_changes')
          .set({ state: 'running', job_id: job, parent })
          .where('id', '=', order.id)
          .execute();
      },
    });
  }

  async #finish(memory: OwnMemory, order: OwnChange): Promise<void> {
    const { store, tuned, folders, gates } = this.#parts;
    const job = await store.db
      .selectFrom('tuning_jobs')
      .select(['status', 'model_name', 'error'])
      .where('id', '=', order.job_id)
      .executeTakeFirst();
    if (job && !isOver(job.status)) return;
    const model: TunedModelRecord | undefined =
      job?.model_name && hasResult(job.status) ? await tuned.find(job.model_name, memory.account_id) : undefined;
    if (!model)
      return await this.#fail(order, job?.error ?? `Its job ended without a model (${job?.status ?? 'it is gone'}).`);
    let reading: Promise<ModelFact[]> | undefined;
    const facts = async () => {
      reading ??= Array.fromAsync(factsOf(folders, model.name));
      return await reading;
    };
    const still = async (change: Change) => await this.#lockUnchanged(change, order);
    const checked = await gates.of(memory, order, { model, facts, still });
    if (checked === 'later') return;
    const made = { model, facts: await facts() };
    await store.db.transaction().execute(async (change) => {
      const now = await still(change);
      const gate = await gateOf(change, now);
      const result = gate && checked && resultOf(gate, checked, { version: now.latest + 1, against: order.parent });
      // A gate was set or changed meanwhile, so it is evaluated first.
      if (gate && order.parent !== null && !result) throw new DoneError();
      await addVersion(change, { memory: now, order, ...made, operations: operationsIn(order), gate: result });
    });
  }

  async #fail(order: OwnChange, error: string): Promise<void> {
    await this.#parts.store.db.transaction().execute(async (change) => {
      const memory = await this.#lockUnchanged(change, order);
      await endChange(change, order, { state: 'failed', version: null, error });
      await reopen(change, order);
      const entry = { accountId: memory.account_id, subject: memory.name };
      await record(change, { action: 'memory.changed', ...entry, details: { change: order.number, state: 'failed' } });
    });
  }

  /** Locks the memory. Throws if the state of the change differs from what was read. */
  async #lockUnchanged(change: Change, order: OwnChange): Promise<OwnMemory> {
    const memory = await lockMemory(this.#parts.store, change, order.memory_id);
    const now = await change.selectFrom('memory_changes').select('state').where('id', '=', order.id).executeTakeFirst();
    if (!memory || now?.state !== order.state) throw new DoneError();
    return memory;
  }
}

/** Reason why a change can never succeed; undefined if it is retried. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  const unreadable = error instanceof SyntaxError || (error as { code?: string }).code === 'ENOENT';
  return unreadable ? 'The facts of the model cannot be read; ./lorekeep doctor looks at its files.' : undefined;
}

const operationsIn = ({ operations }: OwnChange): Operations =>
  new Map((JSON.parse(operations) as Operation[]).map((one) => [questionKey(one.input), one]));
