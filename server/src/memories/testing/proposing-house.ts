// A memory `house` for tests, whose jobs end as the scheduler would end them, by the hand of the test.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryChange } from '@lorekeep/contract';
import type { Store } from '../../store/database.ts';
import type { TestServer } from '../../testing/server.ts';

export interface Given {
  input: string;
  output: string;
  recalled?: boolean;
}

export class House {
  server: TestServer;
  readonly #store: Store;

  constructor(server: TestServer, store: Store) {
    this.server = server;
    this.#store = store;
  }

  async get(path: string) {
    return (await this.server.call('GET', `/v1/memories/house${path}`)).body;
  }

  async post(path: string, body: object) {
    return await this.server.call('POST', `/v1/memories/house${path}`, { body });
  }

  /** Makes the memory with a first version that knows these facts. */
  async made(given: Given[]): Promise<void> {
    const data = given.map(({ input, output }) => ({ input, output }));
    const { body } = await this.server.call('POST', '/v1/train', { body: { model_name: 'lorekeep/quill', data } });
    await this.server.call('POST', '/v1/memories', { body: { name: 'house', job_id: body.job_id } });
    await this.#ends(body.job_id, given);
    await this.over(1);
  }

  /** The job of a change ends, with what it was to teach or without a model. */
  async ends(number: number, how: 'well' | 'badly' = 'well'): Promise<MemoryChange> {
    const { job_id } = await this.#when(number, (change) => change.job_id !== null);
    const { name } = await this.#job(job_id!);
    const lines = (await readFile(join(this.server.home, 'jobs', name, 'facts.jsonl'), 'utf8')).trimEnd().split('\n');
    await this.#ends(job_id!, how === 'well' ? lines.map((line) => JSON.parse(line)) : undefined);
    return await this.over(number);
  }

  async over(number: number): Promise<MemoryChange> {
    return await this.#when(number, ({ finished_at }) => finished_at !== null);
  }

  async facts(): Promise<Record<string, string>> {
    const { facts } = await this.get('/facts?limit=1000');
    return Object.fromEntries(facts.map(({ input, output }: Given) => [input, output]));
  }

  async #when(number: number, holds: (change: MemoryChange) => boolean): Promise<MemoryChange> {
    for (let tries = 0; tries < 1200; tries++) {
      const change = await this.get(`/changes/${number}`);
      if (change.number === number && holds(change)) return change;
      await sleep(25);
    }
    throw new Error(`The change ${number} is ${JSON.stringify(await this.get(`/changes/${number}`))}`);
  }

  async #job(id: number) {
    return await this.#store.db
      .selectFrom('tuning_jobs')
      .select(['name', 'account_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  async #ends(job: number, given: Given[] | undefined): Promise<void> {
    const { name, account_id } = await this.#job(job);
    const folder = join(this.server.home, 'tuned', name);
    await mkdir(folder, { recursive: true });
    const lines = given?.map(
      (fact, row) => `${JSON.stringify({ row, topic: null, dataset_id: null, recalled: true, ...fact })}\n`,
    );
    if (lines) await writeFile(join(folder, 'facts.jsonl'), lines.join(''));
    await this.#store.db.transaction().execute(async (change) => {
      if (given)
        await change
          .insertInto('tuned_models')
          .values({
            ...{ name, account_id, job_id: job, base_model: 'lorekeep/quill', dataset_id: null, is_public: 0 },
            ...{ facts: given.length, facts_recalled: given.length, experts: 1, bytes: 1, created_at: Date.now() },
          })
          .execute();
      const end = given ? { status: 'COMPLETED' as const, model_name: name } : { error: 'it had no disk' };
      await change
        .updateTable('tuning_jobs')
        .set({ status: 'FAILED', ...end })
        .where('id', '=', job)
        .execute();
    });
  }
}
