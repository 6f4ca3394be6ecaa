// ./lorekeep bench api: requests a second and latency of an authenticated read and an authenticated small write, beside a bare Fastify
// route in the same run. The rounds alternate, so that a machine that slows down slows all of them; ratios are of the medians.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startBare, startProduct } from './processes.ts';

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 4);
const connections = 64;

interface Target {
  name: string;
  request(): autocannon.Options;
}

interface Figure {
  perSecond: number;
  p50: number;
  p99: number;
}

const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const product = await startProduct(home);
const bare = await startBare();
try {
  const authorization = `Bearer ${product.key}`;
  const stored = await fetch(`${product.url}/v1/local-data`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ data: [{ input: 'What is measured?', output: 'One read.' }] }),
  });
  const { dataset_id } = (await stored.json()) as { dataset_id: string };
  const key = await (await fetch(`${product.url}/v1/keys`, { headers: { authorization } })).json();
  const keyId = (key as { keys: { id: number }[] }).keys[0]!.id;

  const targets: Target[] = [
    { name: 'bare Fastify route', request: () => ({ url: `${bare.url}/item/1` }) },
    { name: 'read: one key', request: () => ({ url: `${product.url}/v1/keys/${keyId}`, headers: { authorization } }) },
    { name: 'read: own account', request: () => ({ url: `${product.url}/v1/account`, headers: { authorization } }) },
    {
      name: 'write: rename a dataset',
      request: () => ({
        url: `${product.url}/v1/datasets/${dataset_id}`,
        method: 'PATCH',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'bench' }),
      }),
    },
  ];

  const figures = new Map<string, Figure[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, request } of targets) {
      const result = await autocannon({ connections, duration: round === 0 ? 1 : seconds, ...request() });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${name}: ${result.non2xx} answers were no success, ${result.errors} failed`);
      // The first round warms up and does not count.
      if (round > 0)
        figures
          .get(name)!
          .push({ perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 });
    }
  }

  const base = median(figures.get(targets[0]!.name)!.map(({ perSecond }) => perSecond));
  process.stdout.write(
    `${connections} connections, requests not logged, ${rounds} rounds of ${seconds} s each, medians\n\n`,
  );
  for (const [name, list] of figures) {
    const perSecond = median(list.map((figure) => figure.perSecond));
    const p50 = median(list.map((figure) => figure.p50));
    const p99 = median(list.map((figure) => figure.p99));
    process.stdout.write(
      `${name.padEnd(24)} ${perSecond.toFixed(0).padStart(7)} requests/s   p50 ${String(p50).padStart(3)} ms   p99 ${String(p99).padStart(3)} ms   ratio ${(perSecond / base).toFixed(2)}\n`,
    );
  }
} finally {
  await bare.stop();
  await product.stop();
  await rm(home, { recursive: true, force: true });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
