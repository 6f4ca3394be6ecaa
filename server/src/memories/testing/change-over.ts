// Waits for a change of a memory, over HTTP.
import type { MemoryChange } from '@lorekeep/contract';
import type { TestServer } from '../../testing/server.ts';
import { polled } from '../../testing/until.ts';

/** A change of the memory `house` once it has ended. */
export async function changeOver(server: Pick<TestServer, 'call'>, number: number): Promise<MemoryChange> {
  return await polled<MemoryChange>(
    async () => (await server.call('GET', `/v1/memories/house/changes/${number}`)).body,
    ({ finished_at }) => finished_at !== null,
  );
}
