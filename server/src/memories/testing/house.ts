// A memory "house" for tests, on its own server and database or on a given server. The test itself ends its jobs.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FactSource, MemoryChange } from '@lorekeep/contract';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import type { TestDatabase } from '../../testing/databases.ts';
import { startServer, type TestServer } from '../../testing/server.ts';
import { polled } from '../../testing/until.ts';

export interface Given {
  input: string;
  output: string;
  recalled?: boolean;
  valid_from?: string;
  valid_until?: string;
  source?: FactSource;
}

export class House {
  readonly store: Store;
  server: TestServer;
  readonly #database: TestDatabase | undefined;

  private constructor(store: Store, server: TestServer, database?: TestDatabase) {
    this.store = store;
    this.server = server;
    this.#database = database;
  }

  /** The memory on its own database and server, with a first version of these facts. */
  static async of(make: () => Promise<TestDatabase>, given: Given[], python?: Promise<string>): Promise<House> {
    const database = await make();
    const server = await startServer({ database_url: database.url, limit_data_points: 'none' }, python);
    const house = new House(await openStore(database.url), server, database);
    await house.#make(given);
    return house;
  }

  /** The same on a running server with the database `store`. */
  static async on(server: TestServer, store: Store, given: Given[]): Promise<House> {
    const house = new House(store, server);
    await house.#make(given);
    return house;
  }

  async #make(given: Given[]): Promise<void> {
    const data = given.map(({ input, output }) => ({ input, output }));
    const { body } = await this.server.call('POST', '/v1/train', { body: { model_name: 'lorekeep/quill', data } });
    await this.server.call('POST', '/v1/memories', { body: { name: 'house', job_id: body.job_id } });
    await this.ends(body.job_id, given);
    await this.over(1);
  }

  async end(): Promise<void> {
    await this.store.close();
    await this.server.end();
    await this.#database?.drop();
  }

  /** Restarts the server; `between` runs while it is down. */
  async restart(between: () => Promise<void>, python?: Promise<string>): Promise<void> {
    assert.ok(this.#database, 'only a house of its own starts again');
    await this.server.stop();
    await between();
    this.server = await startServer({ database_url: this.#database.url, home: this.server.home }, python);
  }

  async call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
    return await this.server.call(method, `/v1/memories/house${path}`, body === undefined ? {} : { body });
  }

  async get(path: string) {
    return (await this.call('GET', path)).body;
  }

  async post(path: string, body: object) {
    return await this.call('POST', path, body);
  }

  /** Answers of the published version by question. */
  async facts(): Promise<Record<string, string>> {
    const { facts } = await this.get('/facts?limit=1000');
    return Object.fromEntries(facts.map(({ input, output }: Given) => [input, output]));
  }

  async order(body: object): Promise<number> {
    const { status, body: change } = await this.call('POST', '/changes', body);
    assert.equal(status, 200, JSON.stringify(change));
    return change.number;
  }

  /** The facts that the engine receives. */
  async linesOf(job: number): Promise<Given[]> {
    const { name } = await this.#job(job);
    const text = await readFile(join(this.server.home, 'jobs', name, 'facts.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  /** Completes a job with a model of these facts, as its run does. */
  async ends(job: number, given: Given[]): Promise<void> {
    const { name, account_id } = await this.#job(job);
    await mkdir(join(this.server.home, 'tuned', name), { recursive: true });
    const lines = given.map(
      (fact, row) => `${JSON.stringify({ row, topic: null, dataset_id: null, recalled: true, ...fact })}\n`,
    );
    await writeFile(join(this.server.home, 'tuned', name, 'facts.jsonl'), lines.join(''));
    await this.store.db.transaction().execute(async (change) => {
      await change
        .insertInto('tuned_models')
        .values({
          ...{ name, account_id, job_id: job, base_model: 'lorekeep/quill', dataset_id: null, is_public: 0 },
          ...{ facts: given.length, facts_recalled: given.length, experts: 1, bytes: 1, created_at: Date.now() },
        })
        .execute();
      await change
        .updateTable('tuning_jobs')
        .set({ status: 'COMPLETED', model_name: name })
        .where('id', '=', job)
        .execute();
    });
  }

  /** Ends a job without a model. */
  async fails(job: number): Promise<void> {
    await this.store.db
      .updateTable('tuning_jobs')
      .set({ status: 'FAILED', error: 'it had no disk' })
      .where('id', '=', job)
      .execute();
  }

  /** Ends the job of a change with a model of the ordered facts. */
  async taught(number: number): Promise<MemoryChange> {
    const job = await this.jobOf(number);
    await this.ends(job, await this.linesOf(job));
    return await this.over(number);
  }

  /** Ends the job of a change without a model. */
  async failed(number: number): Promise<MemoryChange> {
    await this.fails(await this.jobOf(number));
    return await this.over(number);
  }

  /** Makes a change and ends its job with a model of the ordered facts. */
  async changed(body: object): Promise<MemoryChange> {
    return await this.taught(await this.order(body));
  }

  /** Completes an evaluation with the answers of both versions by row; null stands for the right answer. */
  async answers(id: number, after: (string | null)[], before: (string | null)[]): Promise<void> {
    const questions = await this.store.db
      .selectFrom('evaluation_questions')
      .selectAll()
      .where('evaluation_id', '=', id)
      .orderBy('row')
      .execute();
    await this.store.db.transaction().execute(async (change) => {
      for (const [target, said] of [after, before].entries())
        for (const [at, { row, output }] of questions.entries())
          await change
            .insertInto('evaluation_answers')
            .values({
              ...{ evaluation_id: id, target, row, output: said[at] === null ? output : JSON.stringify(said[at]) },
              ...{ exact: said[at] === null ? 1 : 0, normalised: said[at] === null ? 1 : 0, finish_reason: 'stop' },
              ...{ outcome: null, error: null, milliseconds: 1, prompt_tokens: 1, completion_tokens: 1 },
            })
            .execute();
      const done = { status: 'completed' as const, owner: null, finished_at: Date.now() };
      await change.updateTable('evaluations').set(done).where('id', '=', id).execute();
    });
  }

  async #job(id: number) {
    return await this.store.db
      .selectFrom('tuning_jobs')
      .select(['name', 'account_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  async changeWhen(number: number, holds: (change: MemoryChange) => boolean): Promise<MemoryChange> {
    return await polled<MemoryChange>(
      () => this.get(`/changes/${number}`),
      (change) => change.number === number && holds(change),
    );
  }

  async over(number: number): Promise<MemoryChange> {
    return await this.changeWhen(number, ({ finished_at }) => finished_at !== null);
  }

  async jobOf(number: number): Promise<number> {
    return (await this.changeWhen(number, ({ job_id }) => job_id !== null)).job_id!;
  }
}
