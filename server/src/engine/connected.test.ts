// Heartbeats to an engine at the other end of a transport.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLog } from '../http/log.ts';
import { until } from '../testing/until.ts';
import { ConnectedEngine } from './connected.ts';
import type { Transport } from './transport.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });

it('a starting engine receives heartbeats for the whole start, which show that its server is alive', async () => {
  const lines: string[] = [];
  const transport: Transport = ({ ended }) => ({
    about: () => ({}),
    send: (line) => lines.push(line),
    close: () => {},
    kill: () => ended('it was killed'),
  });
  const heartbeat = { every: 5, silentAfter: 2, lostAfter: 4, startsWithin: 1_000_000 };
  const engine = new ConnectedEngine(Promise.resolve(transport), log, heartbeat);
  await until('it was asked often', async () => lines.length > 10);
  assert.deepEqual(new Set(lines.map((line) => JSON.parse(line).type)), new Set(['ping']));
  assert.equal(engine.unready(), 'starting');
  await engine.stop();
});
