// ./lorekeep bench index: from files to passages that can be found, and the finding of them, beside LlamaIndex with the same files and the same embedder
// in the same run. `--passages 10000`, `--questions 200`, `--threads 1`, `--alone` without LlamaIndex, `--packages FOLDER` keeps its packages there.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerOf, untilEmbedding } from './index/calls.ts';
import { type Documents, madeDocuments } from './index/documents.ts';
import { withPeers } from './index/peers.ts';
import { engineOf } from './index/process-memory.ts';
import { startProduct } from './processes.ts';
import { processorSeconds } from './processor.ts';

const nearest = 10;

/** Figures of each side. Seconds are wall time; `cpu` is processor time of all its processes. */
interface Figures {
  passages: number;
  seconds: number;
  cpu: number;
  /** Processor time without that of the embedder. */
  beside: number;
  /** Milliseconds of each question, asked in sequence. */
  questions: number[];
  cpuQuestions: number;
  /** For each question, the headings of the passages found. */
  found: string[][];
}

const { values } = parseArgs({
  options: {
    passages: { type: 'string', default: '10000' },
    questions: { type: 'string', default: '200' },
    threads: { type: 'string', default: '1' },
    alone: { type: 'boolean', default: false },
    packages: { type: 'string' },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
try {
  const documents = madeDocuments(Number(values.passages), Number(values.questions));
  await mkdir(join(folder, 'files'));
  for (const { name, text } of documents.files) await writeFile(join(folder, 'files', name), text);
  await writeFile(join(folder, 'questions.json'), JSON.stringify(documents.questions.map(({ question }) => question)));
  process.stdout.write(
    `${documents.files.length} files, ${values.passages} sections, ${documents.questions.length} questions, ${values.threads} thread(s)\n\n`,
  );
  const ours = await measureOurs(documents);
  const theirs = values.alone ? {} : { LlamaIndex: measureTheirs() };
  const sides: Record<string, Figures> = { ...ours, ...theirs };
  table(sides, documents);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureOurs({ files, questions }: Documents): Promise<Record<string, Figures>> {
  const server = await startProduct(join(folder, 'home'), {
    LOREKEEP_ENGINE_THREADS: values.threads,
    LOREKEEP_SLOTS: '0',
  });
  const { call, form, atRest } = callerOf(server);
  try {
    await untilEmbedding(call);
    const engine = engineOf(server.pid)!;
    const before = { all: processorSeconds(server.pid), engine: processorSeconds(engine) };
    const started = performance.now();
    const { job_id: id } = await call('POST', '/alpha/memory-rag/train', form(files));
    const index = await atRest(id);
    if (index.status !== 'COMPLETED') throw new Error(`${index.status}: ${index.error}`);
    const seconds = (performance.now() - started) / 1000;
    const cpu = processorSeconds(server.pid) - before.all;
    const embedding = processorSeconds(engine) - before.engine;
    const built = { passages: index.progress.passages as number, seconds, cpu, beside: cpu - embedding };
    const sides: Record<string, Figures> = {};
    for (const [name, more] of [
      ['Lorekeep', {}],
      ['Lorekeep, reranked', { rerank: true }],
      ['Lorekeep, vectors alone', { mode: 'vectors' }],
      ['Lorekeep, words alone', { mode: 'text' }],
    ] as const) {
      const figures: Figures = { ...built, questions: [], cpuQuestions: 0, found: [] };
      const ask = async (query: string) =>
        await call('POST', `/v1/indexes/${id}/search`, { query, limit: nearest, ...more });
      for (const { question } of questions.slice(0, 5)) await ask(question);
      const cpuBefore = processorSeconds(server.pid);
      for (const { question } of questions) {
        const asked = performance.now();
        const { passages } = await ask(question);
        figures.questions.push(performance.now() - asked);
        figures.found.push(passages.map(({ heading }: { heading: string }) => heading));
      }
      figures.cpuQuestions = processorSeconds(server.pid) - cpuBefore;
      sides[name] = figures;
    }
    return sides;
  } finally {
    await server.stop();
  }
}

function measureTheirs(): Figures {
  const packages = resolve(values.packages ?? join(folder, 'packages'));
  const output = withPeers('index/llama_index_side.py', [folder, String(nearest)], {
    packages,
    threads: values.threads,
  });
  return JSON.parse(output.trim().split('\n').at(-1)!) as Figures;
}

function table(sides: Record<string, Figures>, { questions }: Documents): void {
  const rows = [
    '| | passages a second | of CPU | beside the embedder | questions a second | p50 ms | p99 ms | CPU ms a question | hit@1 | hit@10 |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const [name, side] of Object.entries(sides)) {
    const times = side.questions.toSorted((one, other) => one - other);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1);
    const hit = (cutoff: number) =>
      (
        side.found.filter((headings, at) => headings.slice(0, cutoff).includes(questions[at]!.heading)).length /
        questions.length
      ).toFixed(3);
    const total = side.questions.reduce((sum, one) => sum + one, 0) / 1000;
    const cells = [
      (side.passages / side.seconds).toFixed(1),
      (side.passages / side.cpu).toFixed(1),
      `${((100 * side.beside) / side.cpu).toFixed(1)}%`,
      (questions.length / total).toFixed(1),
      at(0.5),
      at(0.99),
      ((1000 * side.cpuQuestions) / questions.length).toFixed(1),
      hit(1),
      hit(nearest),
    ];
    rows.push(`| ${name} (${side.passages}) | ${cells.join(' | ')} |`);
  }
  process.stdout.write(`${rows.join('\n')}\n`);
}
