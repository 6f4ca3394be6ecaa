// A replica as a run on a Ray cluster: an attempt in its own folder, like the runs of jobs, and a TLS connection to the address that the
// attempt writes there. Only the holder of the key of the certificate beside it is accepted. The replica ends with this server: when the
// connection closes, or when the server's heartbeat stands still.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { z } from 'zod';
import type { Cluster } from '../../cluster/cluster.ts';
import { Attempts } from '../../cluster/ray/attempts.ts';
import type { Connection, Transport, TransportEvents } from '../transport.ts';
import type { ReplicaPlace } from './replica.ts';

/** engine/lorekeep/cluster/ray_replica.py takes a server for dead after 60 seconds. */
const beatMs = 5_000;
const pollMs = 500;
const connectMs = 10_000;

const addressSchema = z.object({ host: z.string(), port: z.int(), certificate: z.string() });

export interface RayPlace {
  cluster: Pick<Cluster, 'start' | 'state' | 'unready'>;
  /** Name of the run, and its folder, which every node sees. */
  name: string;
  folder: string;
  /** Options of the engine. */
  options: readonly string[];
  /** The first and the last port that it may listen on; null for any. */
  ports: readonly [number, number] | null;
}

export interface RayTransport {
  transport: Transport;
  place: ReplicaPlace;
}

export function onRay(place: RayPlace): RayTransport {
  let last: RayConnection | undefined;
  return {
    transport: (events) => {
      last = new RayConnection(place, events);
      return last;
    },
    place: {
      node: () => last?.host ?? null,
      waits: () =>
        last?.host ? undefined : (place.cluster.unready() ?? 'it waits for a slot of the cluster, or starts there'),
    },
  };
}

class RayConnection implements Connection {
  readonly #place: RayPlace;
  readonly #events: TransportEvents;
  readonly #attempts: Attempts;
  readonly #beating: NodeJS.Timeout;
  #beats = 0;
  #socket: TLSSocket | undefined;
  #over = false;
  host: string | null = null;

  constructor(place: RayPlace, events: TransportEvents) {
    this.#place = place;
    this.#events = events;
    this.#attempts = new Attempts(place.folder);
    this.#beating = setInterval(() => void this.#beat().catch(() => {}), beatMs);
    this.#open().catch((error: Error) => this.#end(error.message));
  }

  about(): Record<string, unknown> {
    return { run: this.#place.name, host: this.host };
  }

  /** Sends nothing before the token. */
  send(line: string): void {
    if (this.host !== null) this.#socket?.write(line);
  }

  close(): void {
    if (this.#socket) this.#socket.end();
    else this.kill();
  }

  kill(): void {
    this.#end('it was given up');
  }

  async #open(): Promise<void> {
    const { folder, options, ports } = this.#place;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // An earlier run of this name is superseded.
    await this.#attempts.closeLast();
    const token = randomBytes(32).toString('hex');
    await writeAtomically(join(folder, 'serve.json'), JSON.stringify({ token, options, ports }));
    await this.#beat();
    if (this.#over) return;
    await this.#start();
    // It was given up while its attempt was created.
    if (this.#over) return await this.#attempts.closeLast();
    const address = await this.#address();
    if (address) this.#connect(address, token);
  }

  async #start(): Promise<void> {
    const { cluster, name, folder } = this.#place;
    // This call also deletes Ray's entries of replicas that ended long ago.
    cluster.unready();
    await cluster.start({ name, folder, nodes: 1, gpus: 1, claimed: Date.now() });
  }

  /** Waits for a slot, and until the replica listens. Undefined if it ended. */
  async #address(): Promise<z.output<typeof addressSchema> | undefined> {
    const { cluster, name, folder } = this.#place;
    for (; !this.#over; await sleep(pollMs)) {
      const run = await cluster.state(name);
      if (run.state !== 'running') {
        this.#end(run.state === 'ended' ? (run.reason ?? `status ${run.status}`) : 'another one has taken its place');
        return undefined;
      }
      const number = (await this.#attempts.last())?.number ?? 0;
      const file = join(folder, 'runs', `${String(number).padStart(6, '0')}.address`);
      const written = await readFile(file, 'utf8').catch(() => undefined);
      if (written !== undefined) return addressSchema.parse(JSON.parse(written));
      // Waiting for a full or growing cluster does not count as silence.
      this.#events.heard();
    }
    return undefined;
  }

  #connect({ host, port, certificate: ca }: z.output<typeof addressSchema>, token: string): void {
    // The key belongs to this attempt alone, so that no host name has to be checked.
    const socket = connect({ host, port, ca, minVersion: 'TLSv1.3', checkServerIdentity: () => undefined });
    socket.setNoDelay(true).setKeepAlive(true);
    this.#socket = socket;
    const late = setTimeout(() => socket.destroy(new Error(`${host}:${port} does not answer`)), connectMs);
    let reason = 'its connection closed';
    socket.once('secureConnect', () => {
      clearTimeout(late);
      this.host = host;
      socket.write(`${token}\n`);
    });
    socket.on('data', this.#events.heard);
    // The interface re-emits the errors of the socket, which are handled below; an unhandled one would end this server.
    createInterface({ input: socket })
      .on('line', this.#events.line)
      .on('error', () => {});
    socket.on('error', ({ message }) => {
      reason = socket.authorizationError
        ? `${host}:${port} has another certificate than its replica (${socket.authorizationError})`
        : message;
    });
    socket.once('close', () => {
      clearTimeout(late);
      this.#end(reason);
    });
  }

  #end(how: string): void {
    if (this.#over) return;
    this.#over = true;
    this.host = null;
    clearInterval(this.#beating);
    this.#socket?.destroy();
    // Its processes end by themselves as soon as they see that it is closed.
    void this.#attempts
      .closeLast()
      .catch(() => {})
      .then(() => this.#events.ended(how));
  }

  async #beat(): Promise<void> {
    await writeAtomically(join(this.#place.folder, 'server.beat'), String(++this.#beats));
  }
}

/** Readers on other nodes see the former file or the new one. It need not outlive a crash of this machine (stale.ts). */
async function writeAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
