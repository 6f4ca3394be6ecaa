// ./lorekeep bench soak [MINUTES [KILL_EVERY]]: mixed calls of 32 clients, some of whom hang up, while the engine is killed every few minutes.
// Fails unless no batch is lost, no answer is wrong, every failure is a clean error, nothing hangs and memory stays flat.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { engineOf, Memory } from './index/process-memory.ts';
import { startProduct } from './processes.ts';
import { Caller, calls, Refused, Wrong } from './soak/calls.ts';

const minutes = Number(process.argv[2] ?? 30);
const killEvery = Number(process.argv[3] ?? 5);
const clients = 32;
const timeoutMs = 120_000;
/** Share of the leavable calls that clients hang up on. */
const hangUpShare = 0.15;

const home = await mkdtemp(join(tmpdir(), 'lorekeep-soak-'));
const product = await startProduct(home, {
  LOREKEEP_LIMIT_REQUESTS_PER_MINUTE: 'none',
  LOREKEEP_LIMIT_JOBS: 'none',
  LOREKEEP_LOG_LEVEL: 'silent',
  // Small, so that cached states of old prompts soon fill their share and growth beyond it shows.
  LOREKEEP_ENGINE_MEMORY: '600MB',
});
const drawn = calls.flatMap((call) => Array.from({ length: call.weight }, () => call));
const caller = new Caller(product.url, product.key);
const tally = new Map(calls.map(({ name }) => [name, { ok: 0, refused: 0, left: 0, wrong: 0, longest: 0 }]));
const wrongs = new Map<string, number>();
const reasons = new Map<string, number>();
const memory = new Memory(product.pid);
let kills = 0;

try {
  await ready();
  const started = Date.now();
  const end = started + minutes * 60_000;
  const killing = killEngine(end);
  const watching = memory.watch(end);
  await Promise.all([...Array.from({ length: clients }, () => client(end)), killing, watching]);
  const lost = await caller.lostRuns(Date.now() + 5 * 60_000);
  report((Date.now() - started) / 60_000, lost);
} finally {
  await product.stop();
  await rm(home, { recursive: true, force: true });
}

/** Waits until both models answer: the first calls of all wait for the engine to start. */
async function ready(): Promise<void> {
  for (const { name, run } of calls.filter(({ first }) => first)) {
    for (let left = 600; ; left--) {
      try {
        await run(caller, AbortSignal.timeout(timeoutMs));
        break;
      } catch (error) {
        if (left === 0 || !(error instanceof Refused)) throw new Error(`${name} never came up`, { cause: error });
        await pause(200);
      }
    }
  }
}

async function client(end: number): Promise<void> {
  while (Date.now() < end) {
    const call = pick();
    const own = new AbortController();
    const late = AbortSignal.timeout(timeoutMs);
    const leaves = call.leavable && Math.random() < hangUpShare;
    const timer = leaves ? setTimeout(() => own.abort(), Math.random() ** 2 * 3000) : undefined;
    const count = tally.get(call.name)!;
    const begun = Date.now();
    try {
      await call.run(caller, AbortSignal.any([own.signal, late]));
      count.ok++;
    } catch (error) {
      if (own.signal.aborted && !(error instanceof Wrong)) count.left++;
      else if (error instanceof Refused) {
        count.refused++;
        reasons.set(error.message, (reasons.get(error.message) ?? 0) + 1);
        await pause(100 + Math.random() * 400);
      } else {
        count.wrong++;
        const reason = late.aborted ? `no answer in ${timeoutMs / 1000} s` : String(error).slice(0, 300);
        wrongs.set(`${call.name}: ${reason}`, (wrongs.get(`${call.name}: ${reason}`) ?? 0) + 1);
        await pause(100);
      }
    } finally {
      clearTimeout(timer);
      count.longest = Math.max(count.longest, Date.now() - begun);
    }
  }
}

/** A random call, by weight. */
function pick() {
  return drawn[Math.floor(Math.random() * drawn.length)]!;
}

async function killEngine(end: number): Promise<void> {
  for (let next = Date.now() + killEvery * 60_000; next < end; next += killEvery * 60_000) {
    await pause(next - Date.now());
    const pid = engineOf(product.pid);
    if (pid === undefined) continue;
    process.kill(pid, 'SIGKILL');
    kills++;
  }
}

function report(took: number, lost: string[]): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${took.toFixed(1)} minutes, ${clients} clients, the engine killed ${kills} times\n`);
  say(
    `${'call'.padEnd(24)} ${['ok', 'refused', 'hung up', 'wrong', 'longest'].map((word) => word.padStart(9)).join('')}`,
  );
  for (const [name, { ok, refused, left, wrong, longest }] of tally) {
    const cells = [ok, refused, left, wrong, `${(longest / 1000).toFixed(1)} s`];
    say(`${name.padEnd(24)} ${cells.map((cell) => String(cell).padStart(9)).join('')}`);
  }
  say(`\nrefusals, all of them clean:`);
  for (const [reason, count] of reasons) say(`  ${count} x ${reason}`);
  say('');
  const failures = [
    ...[...wrongs].map(([text, count]) => `${count} x ${text}`),
    ...lost.map((text) => `lost: ${text}`),
    ...memory.report(say),
  ];
  if (kills < Math.ceil(minutes / killEvery) - 1) failures.push(`the engine was killed ${kills} times only`);
  say(
    `\nbatches and polled streams: ${caller.runs.size} accepted, ${lost.length} lost; answers compared with an earlier one: ${caller.compared}`,
  );
  for (const failure of failures) say(`FAILED  ${failure}`);
  say(failures.length === 0 ? 'passed' : `${failures.length} kinds of failure`);
  if (failures.length > 0) process.exitCode = 1;
}
