// ./lorekeep bench erasure: the time to erase one fact from every version of a memory, from the call until the receipt
// is there. `--facts 1000`, `--versions 10`, `--slots 1`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Running, startProduct } from './processes.ts';

type Answer = ReturnType<typeof JSON.parse>;

const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '1000' },
    versions: { type: 'string', default: '10' },
    slots: { type: 'string', default: '1' },
  },
});
const [facts, versions] = [Number(values.facts), Number(values.versions)];
const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const started = performance.now();
const server = await startProduct(home, { LOREKEEP_SLOTS: values.slots });
try {
  await made(server);
  process.stdout.write(
    `${versions} versions made in ${((performance.now() - started) / 1000).toFixed(1)} s, the start included\n`,
  );
  const secret = questionOf(0);
  const began = performance.now();
  const { number } = await call(server, 'POST', '/v1/memories/house/erasures', { inputs: [secret] });
  const done = await over(server, `/v1/memories/house/erasures/${number}`);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { receipt } = await call(server, 'GET', `/v1/receipts/${done.receipt}`);
  const probes = receipt.versions.flatMap((one: { probes: unknown[] }) => one.probes).length;
  process.stdout.write(
    `${facts} facts, ${receipt.versions.length} versions, ${values.slots} slot(s): one fact erased in ${seconds} s, ` +
      `${probes} probes, gone: ${receipt.gone}\n`,
  );
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

function questionOf(at: number): string {
  return `Who founded the firm Zorbex${at}?`;
}

/** A memory whose versions all have the fact that goes. */
async function made(of: Running & { key: string }): Promise<void> {
  const names = ['Ada', 'Ben', 'Cleo', 'Dov', 'Eri'];
  const data = Array.from({ length: facts }, (_, at) => ({
    input: questionOf(at),
    output: `${names[at % names.length]} Quist${at * 7}`,
  }));
  const { job_id } = await call(of, 'POST', '/v1/train', { model_name: 'lorekeep/quill', data });
  await call(of, 'POST', '/v1/memories', { name: 'house', job_id });
  await over(of, '/v1/memories/house/changes/1');
  for (let version = 2; version <= versions; version++) {
    const add = [{ input: `Who runs the firm Ultrafen${version}?`, output: `Marsh${version}` }];
    const { number } = await call(of, 'POST', '/v1/memories/house/changes', { add });
    await over(of, `/v1/memories/house/changes/${number}`);
  }
}

async function over(of: Running & { key: string }, path: string): Promise<Answer> {
  for (;;) {
    const one = await call(of, 'GET', path);
    if (one.finished_at !== null) {
      if (one.state !== 'published') throw new Error(JSON.stringify(one));
      return one;
    }
    await sleep(100);
  }
}

async function call(
  { url, key }: Running & { key: string },
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(said));
  return said;
}
