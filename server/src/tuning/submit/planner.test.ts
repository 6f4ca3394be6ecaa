// Planning with a fake worker whose lifetime the test controls: the number of processes, waiting requests, and refused ones.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';
import { Workers } from '../../cluster/workers.ts';
import { createLog } from '../../http/log.ts';
import { Planner } from './planner.ts';

/** Answers a plan once a file in its folder exists, and leaves a marker file at the start of each plan and of each process. */
const program = `#!/bin/sh
echo '{"ready": 1}'
while read -r line; do
  folder=$(printf '%s' "$line" | sed -n 's/.*"plan":"\\([^"]*\\)".*/\\1/p')
  [ -z "$folder" ] && continue
  touch "$folder/begun"
  touch "$folder/../process-$$"
  while [ ! -e "$folder/go" ]; do sleep 0.05; done
  echo '{"plan": {"problems": [{"kind": "k", "rows": [1], "message": "m"}], "count": 1}}'
done
`;

describe('plans', () => {
  let home: string;
  let workers: Workers;
  let planner: Planner;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const path = join(home, 'python');
    await writeFile(path, program, { mode: 0o755 });
    workers = new Workers(Promise.resolve(path), createLog({ log_level: 'silent', log_format: 'json' }));
    await Promise.resolve();
    planner = new Planner(workers);
  });
  afterEach(async () => {
    await workers.close();
    await rm(home, { recursive: true, force: true });
  });

  const never = new AbortController().signal;
  let checks = 0;
  async function asked(signal = never, { seconds = 3600, first = false } = {}) {
    const folder = await mkdtemp(join(home, `plan-${checks++}-`));
    const answer = planner.dryRun(folder, signal, { seconds, first });
    answer.catch(() => {});
    const has = async (file: string) => (await readdir(folder)).includes(file);
    const begun = async () => {
      while (!(await has('begun'))) await sleep(20);
    };
    return { answer, begun, hasBegun: () => has('begun'), go: () => writeFile(join(folder, 'go'), '') };
  }
  const processes = async () => (await readdir(home)).filter((file) => file.startsWith('process-')).length;

  it('run one at a time, in request order, in one process', async () => {
    const all = [];
    for (let count = 0; count < 4; count++) all.push(await asked());
    for (const [place, { answer, begun, go }] of all.entries()) {
      await begun();
      for (const later of all.slice(place + 1)) assert.equal(await later.hasBegun(), false);
      await go();
      assert.equal((await answer).count, 1);
    }
    assert.equal(await processes(), 1);
  });

  it('run first for urgent requests, which do not starve the others', async () => {
    const running = await asked();
    const plans = [];
    for (let count = 0; count < 16; count++) plans.push(await asked());
    const first = [await asked(never, { first: true }), await asked(never, { first: true })];
    for (const { begun, go, answer } of [running, ...first]) {
      await begun();
      for (const later of plans) assert.equal(await later.hasBegun(), false);
      await go();
      assert.equal((await answer).count, 1);
    }
    await plans[0]!.begun();
  });

  it('are cancelled on disconnect or timeout, and the next one starts', async () => {
    const client = new AbortController();
    const [left, waiting] = [await asked(client.signal), await asked(never, { seconds: 0.3 })];
    await left.begun();
    await assert.rejects(waiting.answer, (error) => error instanceof Refusal && error.code === 'overloaded');
    client.abort(new Refusal('client_gone'));
    await assert.rejects(left.answer, (error) => error instanceof Refusal && error.code === 'client_gone');
    const [late, next] = [await asked(never, { seconds: 0.3 }), await asked()];
    await assert.rejects(late.answer, (error) => error instanceof Refusal && error.code === 'plan_timed_out');
    await next.go();
    assert.equal((await next.answer).count, 1);
    assert.equal(await waiting.hasBegun(), false);
  });

  it('are refused when too many wait; requests of disconnected clients leave the queue', async () => {
    const first = await asked();
    const clients = Array.from({ length: 16 }, () => new AbortController());
    const waiting = [];
    for (const { signal } of clients) waiting.push(await asked(signal));
    const refused = await asked();
    await assert.rejects(refused.answer, (error) => error instanceof Refusal && error.code === 'overloaded');
    for (const client of clients.slice(1)) client.abort(new Refusal('client_gone'));
    for (const { answer } of waiting.slice(1))
      await assert.rejects(answer, (error) => error instanceof Refusal && error.code === 'client_gone');
    const last = await asked();
    for (const { go, answer } of [first, waiting[0]!, last]) {
      await go();
      assert.equal((await answer).count, 1);
    }
    for (const { hasBegun } of waiting.slice(1)) assert.equal(await hasBegun(), false);
  });
});
