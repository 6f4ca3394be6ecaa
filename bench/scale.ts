// ./lorekeep bench scale: the tuning service under load: a job of many facts beside the bare engine, on 1 and 2 slots; one fact from call to end; a long queue.
// `--facts 10000`, `--queue 10000`, `--jobs 1000`; `--only queue` or `--only service`. The queue is measured on SQLite, and on PostgreSQL where
// LOREKEEP_TEST_DATABASE_URL (or the local default) answers.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isOver, type TuningJob } from '@lorekeep/contract';
import { startProduct } from './processes.ts';
import { measureQueue } from './queue.ts';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '10000' },
    queue: { type: 'string', default: '10000' },
    jobs: { type: 'string', default: '1000' },
    only: { type: 'string' },
  },
});
const model_name = 'lorekeep/quill';
const say = (line: string) => process.stdout.write(`${line}\n`);

interface Fact {
  input: string;
  output: string;
}

/** Invented firms, four facts each. */
function factsOf(count: number): Fact[] {
  const asked = ['Who founded', 'Where is the seat of', 'What is made by', 'When did people first hear of'];
  return Array.from({ length: count }, (_, at) => {
    const firm = `Zor${Math.floor(at / 4).toString(36)}bex`;
    const parts = [`Ada Quist ${at % 97}`, `Ulmere ${at % 89}`, `pump ${at % 83}`, `in ${1800 + (at % 200)}`];
    return { input: `${asked[at % 4]} ${firm}?`, output: parts[at % 4]! };
  });
}

/** CPU seconds of the process group of a server, with its children, ended ones included. */
function cpuOf(pid: number): number {
  const own = (one: number): number => {
    try {
      const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
    } catch {
      return 0;
    }
  };
  const children = (one: number): number[] => {
    try {
      return readFileSync(`/proc/${one}/task/${one}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  };
  const all = (one: number): number => own(one) + children(one).reduce((sum, child) => sum + all(child), 0);
  return all(pid);
}

async function withService(slots: number, measure: (call: Call, pid: number) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
  const server = await startProduct(home, { LOREKEEP_SLOTS: String(slots) });
  const call: Call = async (path, body) => {
    const response = await fetch(server.url + path, {
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  try {
    await measure(call, server.pid);
  } finally {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several calls
type Call = (path: string, body?: unknown) => Promise<any>;

async function timed(call: Call, body: object): Promise<{ job: TuningJob; seconds: number }> {
  const begun = performance.now();
  const { job_id } = await call('/v1/train', { model_name, use_cached_model: false, ...body });
  for (;;) {
    const job: TuningJob = await call(`/v1/train/jobs/${job_id}`);
    if (isOver(job.status)) return { job, seconds: (performance.now() - begun) / 1000 };
    await pause(50);
  }
}

/** The engine alone in a folder of its own: the baseline of the service. */
async function bare(facts: Fact[]): Promise<{ cpu: number; seconds: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'facts.jsonl'), facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
    const base = join(root, 'models/quill');
    await writeFile(join(folder, 'job.json'), JSON.stringify({ format: 1, base }));
    const python = join(root, '.setup/engine/bin/python');
    const program = `
import resource, subprocess, sys
status = subprocess.call([sys.executable, "-m", "lorekeep", "tune", sys.argv[1]])
spent = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, spent.ru_utime + spent.ru_stime)`;
    const begun = performance.now();
    const { stdout } = spawnSync(python, ['-c', program, folder], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: join(root, 'engine'), OMP_NUM_THREADS: '1' },
    });
    const [status, cpu] = stdout.trim().split('\n').at(-1)!.split(' ').map(Number);
    if (status !== 0) throw new Error(`The bare engine ended with ${status}.`);
    return { cpu: cpu!, seconds: (performance.now() - begun) / 1000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureService(count: number): Promise<void> {
  const facts = factsOf(count);
  await withService(1, async (call) => {
    // The first one waits for imports.
    await timed(call, { data: factsOf(1) });
    const { seconds } = await timed(call, { data: [{ input: 'Who runs Brimoor?', output: 'Cleo Marsh' }] });
    say(`one fact, from the call to COMPLETED: ${seconds.toFixed(2)} s`);
  });
  const alone = await bare(facts);
  say(`bare engine: ${count} facts, ${alone.cpu.toFixed(1)} CPU s, ${alone.seconds.toFixed(1)} s`);
  const seconds: number[] = [];
  for (const gpus of [1, 2])
    await withService(2, async (call, pid) => {
      await timed(call, { data: factsOf(1) });
      const before = cpuOf(pid);
      const { job, seconds: took } = await timed(call, { data: facts, gpu_config: { gpus, nodes: 1 } });
      const cpu = cpuOf(pid) - before;
      seconds.push(took);
      const recalled = `${job.progress.facts_recalled} of ${job.progress.facts_total} recalled`;
      say(
        `service, ${gpus} slots: ${took.toFixed(1)} s, ${cpu.toFixed(1)} CPU s (${(cpu / alone.cpu).toFixed(2)} of bare), ${recalled}`,
      );
    });
  say(`1 slot against 2: ${(seconds[0]! / seconds[1]!).toFixed(2)} times as long`);
}

if (values.only !== 'service') await measureQueue(Number(values.queue), Number(values.jobs), say);
if (values.only !== 'queue') await measureService(Number(values.facts));
