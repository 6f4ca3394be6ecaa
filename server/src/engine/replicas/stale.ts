// Removes folders of replicas whose server is gone. Their processes end by themselves; the next start removes the folders.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { Attempts } from '../../cluster/ray/attempts.ts';

/** A server writes its heartbeat every 5 seconds; processes take it for dead after 60 (engine/lorekeep/cluster/ray_replica.py). */
const staleAfterMs = 90_000;

/** Compares two reads some time apart, without the clock of another machine. `own` is the prefix of this server's folders. */
export function removeStale(all: string, own: string, log: FastifyBaseLogger, waitMs = staleAfterMs): void {
  const look = async () => {
    const names = await readdir(all).catch(() => []);
    const others = names.filter((name) => name.startsWith('replica-') && !name.startsWith(own));
    const beats = others.map(async (name) => [name, await beatOf(join(all, name))] as const);
    return new Map(await Promise.all(beats));
  };
  const remove = async (before: Map<string, string>) => {
    for (const [name, beat] of await look()) {
      if (beat !== before.get(name)) continue;
      await new Attempts(join(all, name)).closeLast();
      await rm(join(all, name), { recursive: true, force: true });
    }
  };
  void look().then((before) => {
    const later = () =>
      void remove(before).catch((err) => log.warn({ err }, 'folders of former replicas could not be removed'));
    setTimeout(later, waitMs).unref();
  });
}

const beatOf = async (folder: string) => await readFile(join(folder, 'server.beat'), 'utf8').catch(() => '');
