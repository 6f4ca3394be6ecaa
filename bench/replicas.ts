// ./lorekeep bench replicas [TURNS [CLIENTS]]: two replicas of the engine against one, one thread each, over HTTP: tokens a second of
// the base that ships, and texts a second of embeddings, 256 a call as an index is embedded. Windows of both alternate, and the ratio
// is the median of the ratios of each turn. It takes two cores that are free; elsewhere the processor time of an answer tells what two
// free cores would give.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, startProduct } from './processes.ts';
import { processorSeconds } from './processor.ts';

const turns = Number(process.argv[2] ?? 5);
const clients = Number(process.argv[3] ?? 64);
const windowMs = 5_000;
const [answerTokens, texts] = [64, 256];

let count = 0;

type Product = Running & { key: string };
interface Rate {
  wall: number;
  cpu: number;
}

const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const products: Product[] = [];
try {
  for (const replicas of [1, 2])
    products.push(
      await startProduct(join(home, String(replicas)), {
        LOREKEEP_REPLICAS: String(replicas),
        LOREKEEP_ENGINE_DEVICE: 'cpu',
        LOREKEEP_LIMIT_REQUESTS_PER_MINUTE: 'none',
      }),
    );
  for (const product of products) await warm(product);
  process.stdout.write(
    `${turns} turns of ${windowMs / 1000} s each, alternating; ${availableParallelism()} cores. Medians; by the clock, and by processor time.\n\n`,
  );
  await compare(`${clients} clients, answers of ${answerTokens} tokens`, 'tokens', clients, generate);
  await compare(`2 callers, ${texts} texts a call`, 'texts', 2, embed);
  await compare(`1 caller, ${texts} texts a call`, 'texts', 1, embed);
} finally {
  for (const product of products) await product.stop();
  await rm(home, { recursive: true, force: true });
}

async function compare(
  what: string,
  unit: string,
  callers: number,
  call: (product: Product) => Promise<number>,
): Promise<void> {
  const rates: [Rate, Rate][] = [];
  for (let turn = 0; turn < turns; turn++)
    rates.push([await rateOf(products[0]!, callers, call), await rateOf(products[1]!, callers, call)]);
  const of = (at: 0 | 1, kind: keyof Rate) => median(rates.map((turn) => turn[at][kind]));
  const ratio = (kind: keyof Rate) => median(rates.map(([one, two]) => two[kind] / one[kind]));
  process.stdout.write(
    `${what.padEnd(42)} one ${of(0, 'wall').toFixed(0)} ${unit}/s, two ${of(1, 'wall').toFixed(0)}: ${ratio('wall').toFixed(2)} times` +
      ` (a second of processor time: ${of(0, 'cpu').toFixed(0)} and ${of(1, 'cpu').toFixed(0)}, so on two free cores ${(2 * ratio('cpu')).toFixed(2)} times)\n`,
  );
}

/** Every caller sends its next request once it is answered, until the window ends. */
async function rateOf(product: Product, callers: number, call: (product: Product) => Promise<number>): Promise<Rate> {
  const begun = performance.now();
  const cpu = processorSeconds(product.pid);
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - begun < windowMs) {
        const more = await call(product);
        done += more;
      }
    }),
  );
  return { wall: done / ((performance.now() - begun) / 1000), cpu: done / (processorSeconds(product.pid) - cpu) };
}

async function generate(product: Product): Promise<number> {
  const prompt = `The library of number ${++count} opens`;
  const options = { max_tokens: answerTokens, no_repeat_ngram_size: 0, temperature: 1.5 };
  const { usage } = await post(product, '/v1/completions', { model: 'lorekeep/quill', prompt, ...options });
  return usage.completion_tokens;
}

async function embed(product: Product): Promise<number> {
  const input = Array.from(
    { length: texts },
    () => `Room ${++count} of the house is warm in winter, and its window looks upon the harbour and the ships.`,
  );
  await post(product, '/v1/embeddings', { model: 'sentence-transformers/all-MiniLM-L6-v2', input });
  return texts;
}

/** Waits until every replica has loaded both models. */
async function warm(product: Product): Promise<void> {
  for (;;) {
    const asked = [...Array.from({ length: clients }, () => generate(product)), embed(product)];
    const failed = (await Promise.allSettled(asked)).filter((answer) => answer.status === 'rejected');
    // The engine is starting or loading a model.
    const unknown = failed.find(({ reason }) => !/ answered (503|513): /.test(String(reason)));
    if (unknown) throw unknown.reason;
    const { replicas } = await post(product, '/v1/cluster');
    if (failed.length === 0 && replicas.every(({ models }: { models: number }) => models === 2)) return;
    await sleep(500);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function post({ url, key }: Product, path: string, body?: object): Promise<any> {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
