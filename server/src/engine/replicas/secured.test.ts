// Connections to replicas on a cluster: real replicas (engine/lorekeep/cluster/replica.py) behind sockets that eavesdrop, impersonate
// them, or speak another protocol.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Attempts } from '../../cluster/ray/attempts.ts';
import { checkout } from '../../config/settings.ts';
import { createLog } from '../../http/log.ts';
import { until } from '../../testing/until.ts';
import { ConnectedEngine } from '../connected.ts';
import type { Transport } from '../transport.ts';
import { onRay } from './on-ray.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });
const engine = join(import.meta.dirname, '../../testing/stand-in-engine.ts');
/** Has the package of the environment of a cluster's nodes, in the same version. */
const python = join(checkout, '.setup/tools/bin/python');
const prompt = 'a word that nobody else may read';

interface Place {
  host: string;
  port: number;
  certificate: string;
}

describe('the connection to a replica', () => {
  let home: string;
  const processes: ChildProcess[] = [];
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill('SIGKILL');
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
    await rm(home, { recursive: true, maxRetries: 5 });
  });

  const addressOf = (folder: string) => join(folder, 'runs/000001.address');

  /** Starts a replica in a folder that holds its serve.json, and waits until it listens. */
  async function started(folder: string): Promise<Place> {
    await new Attempts(folder).create({ number: 1, id: 'x', nodes: 1, slots: 1, claimed: 0 });
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', engine, '7'];
    const words = ['-m', 'lorekeep.cluster.replica', folder, '--attempt', '1', '--program', ...program];
    const child = spawn(python, words, { env: { ...process.env, PYTHONPATH: join(checkout, 'engine') } });
    processes.push(child);
    await until('it listens, or has ended', async () => existsSync(addressOf(folder)) || child.exitCode !== null);
    return JSON.parse(await readFile(addressOf(folder), 'utf8'));
  }

  /** Transport to a replica whose address is replaced by `told`. */
  function reached(told: (own: Place) => Promise<Partial<Place>>): Transport {
    const folder = join(home, 'replica');
    const start = async () => {
      const own = await started(folder);
      await writeFile(addressOf(folder), JSON.stringify({ ...own, ...(await told(own)) }));
    };
    const cluster = { start, state: async () => ({ state: 'running' as const }), unready: () => undefined };
    return onRay({ cluster, name: 'replica', folder, options: [], ports: null }).transport;
  }

  async function listening(answer: (caller: Socket) => void): Promise<number> {
    const server = createServer((caller) => {
      sockets.push(caller.on('error', () => {}));
      answer(caller);
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Returns the reason why the connection ended. */
  const endOf = async (transport: Transport) =>
    await new Promise<string>((ended) => void transport({ heard: () => {}, line: () => {}, ended }));
  const tokenOf = async (folder = join(home, 'replica')): Promise<string> =>
    JSON.parse(await readFile(join(folder, 'serve.json'), 'utf8')).token;

  it('hides the token and the requests from eavesdroppers', async () => {
    const heard: Buffer[] = [];
    const transport = reached(async ({ port }) => ({
      port: await listening((caller) => {
        const replica = connect(port, '127.0.0.1').on('error', () => {});
        sockets.push(replica);
        for (const [from, to] of [
          [caller, replica],
          [replica, caller],
        ] as const)
          from.on('data', (part: Buffer) => heard.push(part)).pipe(to);
      }),
    }));
    const asked = new ConnectedEngine(Promise.resolve(transport), log);
    await until('it is ready', async () => asked.unready() === undefined);
    const run = asked.generate({ model: 'a', prompt });
    let step = await run.next();
    while (!step.done) step = await run.next();
    assert.equal(step.value.text, '7');
    const bytes = Buffer.concat(heard);
    assert.ok(bytes.length > 1_000);
    for (const secret of [await tokenOf(), prompt]) assert.ok(!bytes.includes(secret));
    await asked.stop();
  });

  it('is given up before the token is sent to a server with another certificate', async () => {
    const other = join(home, 'other');
    await mkdir(other);
    await writeFile(join(other, 'serve.json'), JSON.stringify({ token: 'its own', options: [], ports: null }));
    const { port } = await started(other);
    const how = await endOf(reached(async () => ({ port })));
    assert.match(how, new RegExp(`^127\\.0\\.0\\.1:${port} has another certificate than its replica \\([A-Z_]+\\)$`));
    // The other replica still waits for a client with its own token.
    assert.equal(processes[0]!.exitCode, null);
  });

  it('is given up before the token is sent to a server without TLS', async () => {
    const heard: Buffer[] = [];
    const port = await listening((caller) => {
      caller.on('data', (part: Buffer) => heard.push(part));
      caller.write('220 welcome\r\n');
    });
    assert.match(await endOf(reached(async () => ({ port }))), /wrong version number/i);
    assert.ok(!Buffer.concat(heard).includes(await tokenOf()));
  });
});
