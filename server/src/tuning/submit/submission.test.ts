// Jobs whose rows must be tokenized while the planner is busy: the caller is refused in time, and nothing is left behind.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';
import { Accounts } from '../../accounts/accounts.ts';
import { defaultLimits } from '../../accounts/limits.ts';
import { Caller } from '../../auth/caller.ts';
import { Keys } from '../../auth/keys.ts';
import { FolderBlobs } from '../../blobs/folder.ts';
import { Workers } from '../../cluster/workers.ts';
import { loadConfig } from '../../config/load.ts';
import { Datasets } from '../../datasets/datasets.ts';
import { createLog } from '../../http/log.ts';
import { Heartbeat } from '../../leases/heartbeat.ts';
import { DownloadStore } from '../../models/downloads/download-store.ts';
import { ModelFolders } from '../../models/folders.ts';
import { Models } from '../../models/models.ts';
import { TunedModels } from '../../models/tuned.ts';
import { TunedFolders } from '../../models/tuned-folders.ts';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../../testing/databases.ts';
import { JobCommands } from '../job-commands.ts';
import { JobFolders } from '../job-folders.ts';
import { JobSpecs } from '../run/job-spec.ts';
import { Planner } from './planner.ts';
import { Submission } from './submission.ts';

/** Leaves a marker file when it is asked for a plan, and never answers. */
const program = `#!/bin/sh
echo '{"ready": 1}'
while read -r line; do
  case "$line" in *'"plan"'*) touch "$(dirname "$0")/begun"; while :; do sleep 0.05; done;; esac
done
`;

onEveryDatabase('a row that only the planner can count', (make) => {
  let database: TestDatabase;
  let home: string;
  let store: Store;
  let workers: Workers;
  let planner: Planner;
  beforeEach(async () => {
    database = await make();
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    store = await openStore(database.url);
    const python = join(home, 'python');
    await writeFile(python, program, { mode: 0o755 });
    workers = new Workers(Promise.resolve(python), createLog({ log_level: 'silent', log_format: 'json' }));
    await Promise.resolve();
    planner = new Planner(workers);
  });
  afterEach(async () => {
    await workers.close();
    await store.close();
    await rm(home, { recursive: true, force: true });
    await database.drop();
  });

  const never = new AbortController().signal;

  /** Submits a job with a long row to a server with this time limit for counting; returns the refusal. */
  async function refusedAfter(timeoutSeconds: number): Promise<unknown> {
    const { config } = loadConfig({ flags: { home }, environment: {} });
    const limits = defaultLimits(config);
    const blobs = new FolderBlobs(join(home, 'files'));
    const heartbeat = new Heartbeat(store);
    const folders = new JobFolders(home, heartbeat.name);
    const tuned = new TunedModels(store, new TunedFolders(home, heartbeat.name));
    const models = new Models(new ModelFolders(home), new DownloadStore(store, heartbeat), tuned, () => undefined);
    const submission = new Submission({
      store,
      datasets: new Datasets(store, blobs, ''),
      models,
      folders,
      jobCommands: new JobCommands(store),
      planner,
      jobSpecs: new JobSpecs(models, tuned, folders, () => 'cpu'),
      capacity: async () => [{ nodes: 1, slots: 1 }],
      memory: () => undefined,
      uploads: { bytes: 1_000_000, pauseSeconds: 60, wholeSeconds: 60 },
      contact: '',
      onNew: () => assert.fail('there is no job'),
      timeoutSeconds,
    });
    const account = await new Accounts(store, blobs, limits).ensureOperator();
    const key = await new Keys(store, limits).create({
      accountId: account,
      name: 'k',
      scopes: ['tune'],
      expiresAt: null,
    });
    const caller = new Caller(
      { id: key.id, name: 'k', hash: '', scopes: ['tune'], expiresAt: null, revokedAt: null },
      { id: account, name: 'operator', role: 'operator', disabled: false, limits },
    );
    const data = [
      { input: 'Who?', output: 'Ada' },
      { input: 'What?', output: 'word '.repeat(400) },
    ];
    const sent = Readable.from([Buffer.from(JSON.stringify({ model_name: 'lorekeep/quill', data }))]);
    const body = Object.assign(sent, { complete: true }) as IncomingMessage & Readable;
    return await submission.submit(caller, body, never).then(
      () => assert.fail('a job was made'),
      (error: unknown) => error,
    );
  }

  async function assertNothingLeft(): Promise<void> {
    for (const table of ['tuning_jobs', 'datasets'] as const)
      assert.deepEqual(await store.db.selectFrom(table).selectAll().execute(), []);
    assert.deepEqual(await readdir(join(home, 'jobs')), []);
    const files = await readdir(join(home, 'files'), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      files.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    );
  }

  it('is refused in time while another plan runs, and leaves nothing behind', async () => {
    const other = join(home, 'other');
    await mkdir(other);
    const held = planner.dryRun(other, never, { seconds: 3600, first: false });
    held.catch(() => {});
    while (!(await readdir(home)).includes('begun')) await sleep(20);
    const error = await refusedAfter(0.5);
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'overloaded');
    assert.match(error.message, /other plans took all of 0\.5 seconds/);
    await assertNothingLeft();
  });

  it('is refused in time when counting it takes too long, and leaves nothing behind', async () => {
    const error = await refusedAfter(0.5);
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'plan_timed_out');
    await assertNothingLeft();
  });
});
