// Chaos test: jobs of random size while workers, servers, or all of them at once are killed with -9. No job is lost or runs twice at once,
// and every model equals that of an undisturbed run. ./lorekeep test --long makes more and larger jobs, and more kills.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { JobEvent, TuningJob } from '@lorekeep/contract';
import { onDatabase } from '../testing/databases.ts';
import { callerOf, childrenOf, endProcesses, killAll, type ServerProcess, startProcess } from '../testing/process.ts';
import { seededRandom } from '../testing/random.ts';
import { bytesOf, jobOver, manyWaves, submit } from '../testing/tuning.ts';
import { isRunning } from './queue/states.ts';

const long = process.env.LOREKEEP_TEST_LONG === '1';
const [jobCount, kills] = long ? [20, 10] : [3, 3];
const seed = 20261122;
const sizes = (long ? [8, 25, 40, 75, 120] : [8, 16]).map((count) => manyWaves(count, `Size${count}`));

onDatabase('jobs under repeated kills', 'PostgreSQL', (make) => {
  it(`are neither lost nor run twice at once: ${jobCount} jobs or more, ${kills} kills`, async (t) => {
    const database = await make();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const random = seededRandom(seed);
    const many = database.url.startsWith('postgres');
    // Two servers with two slots each; a job runs on one server.
    const ofServer = many ? 2 : 4;
    const flags = { home, database_url: database.url, slots: String(ofServer) };
    const servers: ServerProcess[] = [];
    // Asks each server in turn, since one that is being killed does not answer.
    const caller = {
      call: async (...asked: Parameters<ReturnType<typeof callerOf>['call']>) => {
        for (let attempt = 0; ; attempt++) {
          try {
            return await callerOf(servers[attempt % servers.length]!).call(...asked);
          } catch (error) {
            if (attempt > 600) throw error;
            await sleep(100);
          }
        }
      },
    };
    const eventsOf = async (id: number): Promise<JobEvent[]> =>
      (await caller.call('GET', `/v1/train/jobs/${id}/events?limit=1000`)).body.events;
    const started = async (data: object[], gpus = 1) =>
      (await submit(caller, { data, use_cached_model: false, gpu_config: { gpus, nodes: 1 } })).job_id;
    try {
      for (let count = 0; count < (many ? 2 : 1); count++) servers.push(await startProcess(flags));
      const undisturbed: Record<string, string>[] = [];
      for (const data of sizes) {
        const job = await jobOver(caller, await started(data));
        assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
        undisturbed.push(await bytesOf(home, job.model_name!));
      }

      const jobs: { id: number; size: number; slots: number }[] = [];
      const another = async () => {
        // One job in five needs all slots that a job can have, and has to get them despite the small jobs.
        const size = random.between(0, sizes.length - 1);
        const slots = jobs.length % 5 === 2 ? ofServer : random.between(1, ofServer / 2);
        jobs.push({ id: await started(sizes[size]!, slots), size, slots });
      };
      while (jobs.length < jobCount) await another();
      const isOpen = async () =>
        ((await caller.call('GET', '/v1/train/jobs')).body as TuningJob[]).some(
          ({ status }) => !['COMPLETED', 'PARTIALLY COMPLETED', 'FAILED', 'CANCELLED'].includes(status),
        );
      for (let killed = 0; killed < kills; killed++) {
        await sleep(random.between(200, long ? 4000 : 1500));
        // A kill while no work is pending proves nothing.
        if (!(await isOpen())) await another();
        const at = random.between(0, servers.length - 1);
        const server = servers[at]!;
        const what = ['a worker', 'a server', 'everything'][killed % 3]!;
        if (what === 'a worker') {
          const child = random.pick(childrenOf(server.pid));
          if (child !== undefined) signal(child);
        } else if (what === 'a server') {
          await server.stop('SIGKILL');
          servers[at] = await startProcess(flags);
        } else {
          await Promise.all(servers.map(killAll));
          for (const place of servers.keys()) servers[place] = await startProcess(flags);
        }
      }

      let runs = 0;
      const wrong = { lost: [] as number[], twice: [] as number[], other: [] as number[] };
      const all: JobEvent[] = [];
      // Longest wait for a first start in seconds, by the number of slots that a job asked for.
      const waited = new Map<number, number>();
      for (const { id, size, slots } of jobs) {
        const job = await jobOver(caller, id);
        if (job.status !== 'COMPLETED') wrong.lost.push(id);
        else if (!isDeepStrictEqual(await bytesOf(home, job.model_name!), undisturbed[size])) wrong.other.push(id);
        const events = await eventsOf(id);
        all.push(...events);
        const first = events.find(({ status }) => status === 'LOADING DATA')!;
        const wait = (Date.parse(first.time) - Date.parse(events[0]!.time)) / 1000;
        waited.set(slots, Math.max(wait, waited.get(slots) ?? 0));
        const states = events.flatMap(({ status }) => status ?? []);
        // Every start but the first follows a return into the queue, so two runs of a job never overlap.
        const starts = states.flatMap((status, place) => (status === 'LOADING DATA' ? [place] : []));
        const apart = starts.slice(1).every((start, place) => states.slice(starts[place]!, start).includes('QUEUED'));
        if (!apart || states.filter((status) => status === 'COMPLETED').length > 1) wrong.twice.push(id);
        runs += starts.length;
      }
      assert.deepEqual(wrong, { lost: [], twice: [], other: [] }, `seed ${seed}`);
      // Replays the events in order: at no moment were more slots taken than exist.
      const taken = new Map<number, number>();
      for (const { job_id, status } of all.sort((one, other) => one.id - other.id)) {
        if (status === 'LOADING DATA') taken.set(job_id, jobs.find(({ id }) => id === job_id)!.slots);
        else if (status !== null && !isRunning(status)) taken.delete(job_id);
        assert.ok(
          [...taken.values()].reduce((sum, slots) => sum + slots, 0) <= 4,
          `too many run at once: ${[...taken]}`,
        );
      }
      const { models } = (await caller.call('GET', '/v1/models?limit=1000')).body;
      assert.equal(models.length, jobs.length + sizes.length);
      const waits = [...waited]
        .sort()
        .map(([slots, seconds]) => `${seconds.toFixed(0)} s for ${slots} of ${ofServer} slots`);
      t.diagnostic(
        `${jobs.length} jobs, ${kills} kills, ${runs} runs; lost ${wrong.lost.length}, twice ${wrong.twice.length}, other models ${wrong.other.length}; longest wait ${waits.join(', ')}; seed ${seed}`,
      );
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
