// The log of a job, and the files that remain in its folder afterwards.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { JobFolders } from './job-folders.ts';

describe('the folder of a job', () => {
  let home: string;
  let folders: JobFolders;
  let folder: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    folders = new JobFolders(home, 'here');
    folder = await folders.create('job');
  });
  afterEach(async () => await rm(home, { recursive: true, force: true }));

  it('has one log of all worker processes, on this machine and on a cluster', async () => {
    assert.deepEqual(await folders.log('job', 10), []);
    await writeFile(join(folder, 'worker.log'), 'one\ntwo\n');
    assert.deepEqual(await folders.log('job', 10), ['one', 'two']);
    await mkdir(join(folder, 'runs'));
    await writeFile(join(folder, 'runs', '000001.worker-1.log'), '');
    await writeFile(join(folder, 'runs', '000002.worker-1.log'), 'three\n');
    await writeFile(join(folder, 'runs', '000012.coordinator.log'), 'four\nfive');
    await writeFile(join(folder, 'runs', '000012.driver.beat'), '{}');
    const all = ['one', 'two', '== attempt 2, worker-1', 'three', '== attempt 12, coordinator', 'four', 'five'];
    assert.deepEqual(await folders.log('job', 10), all);
    assert.deepEqual(await folders.log('job', 2), all.slice(-2));
  });

  it('keeps the events and logs of a finished job and removes the drafts of all attempts', async () => {
    for (const part of ['waves', 'model', '.model', '.model.3', 'runs']) await mkdir(join(folder, part));
    for (const file of ['facts.jsonl', 'plan.json', 'events.ndjson', 'job.json'])
      await writeFile(join(folder, file), '');
    const before = await readdir(folder);
    await folders.tidy('job');
    const gone = ['waves', 'model', '.model', '.model.3', 'facts.jsonl', 'plan.json'];
    assert.deepEqual((await readdir(folder)).sort(), before.filter((name) => !gone.includes(name)).sort());
    await folders.tidy('job');
  });
});
