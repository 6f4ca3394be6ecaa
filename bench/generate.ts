// ./lorekeep bench generate [TURNS [THREADS]]: tokens a second and embeddings a second, beside transformers, a bare loop of the same
// model and sentence-transformers in one process (generate.py); then the time to the first token of 32 clients over HTTP.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withPeers } from './peers.ts';
import { startProduct } from './processes.ts';

const turns = Number(process.argv[2] ?? 7);
const threads = Number(process.argv[3] ?? 1);
const clients = 32;
const [answer, alone, texts, shortTexts] = [64, 4, 96, 32];

interface Turn {
  wall: number;
  cpu: number;
}
const figures: Record<string, Turn[]> = JSON.parse(withPeers('generate.py', [String(turns), String(threads)], threads));

process.stdout.write(
  `${turns} turns of each, alternating, ${threads} thread(s). Medians; a second of the clock, and of the processor's time for it\n` +
    '(which leaves out what other programs on the machine took). Ratios are medians of the ratios of each turn, by processor time.\n\n',
);
const tokens = alone * answer;
line('one stream: bare loop', 'alone bare', tokens, 'tokens');
line('one stream: transformers generate', 'alone generate', tokens, 'tokens');
line('one stream: ours', 'alone ours', tokens, 'tokens', ['alone bare', 'of the bare loop']);
line('32 together: transformers generate', 'together generate', clients * answer, 'tokens');
line('32 together: ours', 'together ours', clients * answer, 'tokens', ['together generate', 'of generate']);
const times = rate('together ours', clients * answer, 'cpu') / rate('alone ours', tokens, 'cpu');
process.stdout.write(`${''.padEnd(40)}${times.toFixed(2)} times one stream\n`);
line('96 texts: sentence-transformers', 'many theirs', texts, 'texts');
line('96 texts: ours', 'many ours', texts, 'texts', ['many theirs', 'of theirs']);
line('one short text: sentence-transformers', 'few theirs', shortTexts, 'texts');
line('one short text: ours', 'few ours', shortTexts, 'texts', ['few theirs', 'of theirs']);

const { first, perSecond } = await overHttp(4);
process.stdout.write(
  `\nover HTTP, ${clients} clients that stream ${answer} tokens each: ${perSecond.toFixed(0)} tokens/s, ` +
    `first token p50 ${at(first, 0.5).toFixed(0)} ms, p99 ${at(first, 0.99).toFixed(0)} ms\n`,
);

function line(label: string, name: string, count: number, unit: string, beside?: [string, string]): void {
  const comparison = beside ? `   ${ratio(beside[0], name).toFixed(2)} ${beside[1]}` : '';
  const [clock, processor] = (['wall', 'cpu'] as const).map((kind) => rate(name, count, kind).toFixed(0).padStart(6));
  process.stdout.write(
    `${label.padEnd(38)} ${clock} ${unit}/s   ${processor} ${unit}/s of processor time${comparison}\n`,
  );
}

function rate(name: string, count: number, kind: keyof Turn): number {
  return (
    count /
    at(
      figures[name]!.map((turn) => turn[kind]),
      0.5,
    )
  );
}

function ratio(theirs: string, ours: string): number {
  return at(
    figures[ours]!.map(({ cpu }, turn) => figures[theirs]![turn]!.cpu / cpu),
    0.5,
  );
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Every client sends its next request once it is answered. The first round, with the model load and a common start, is not counted. */
async function overHttp(rounds: number): Promise<{ first: number[]; perSecond: number }> {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
  const product = await startProduct(home, { LOREKEEP_ENGINE_THREADS: String(threads) });
  try {
    // The engine starts and loads the model on the first request.
    for (let attempt = 0; ; attempt++) {
      const failed = await stream(product, 'Say something.').then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failed) break;
      if (attempt > 120 || !/^(503|513) /.test(failed.message)) throw failed;
      await sleep(1000);
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => stream(product, `Warm up, number ${client}.`)));
    const first: number[] = [];
    let count = 0;
    const started = performance.now();
    const ask = async (client: number) => {
      for (let round = 0; round < rounds; round++) {
        const timing = await stream(
          product,
          `${client} times ${round} asked: tell about the library of Brimoor and its seventeen roofs.`,
        );
        first.push(timing.first);
        count += timing.tokens;
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => ask(client)));
    return { first, perSecond: count / ((performance.now() - started) / 1000) };
  } finally {
    await product.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function stream(
  product: { url: string; key: string },
  prompt: string,
): Promise<{ first: number; tokens: number }> {
  const started = performance.now();
  const response = await fetch(`${product.url}/inf/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'lorekeep/quill',
      prompt,
      max_tokens: answer,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      seed: 1,
    }),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  let first = 0;
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    first ||= performance.now() - started;
    text += chunk;
  }
  return { first, tokens: Number(/"completion_tokens":(\d+)/.exec(text)?.[1]) };
}
