// A proxy before PostgreSQL that holds what is sent, as a network partition does: connections stay open, and no answer comes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface HeldDatabase {
  url: string;
  /** Whether a connection that sends this text is held from now on. */
  holds: (sent: string) => boolean;
  /** Number of held connections. */
  readonly held: number;
  /** Delivers everything that was held, and holds nothing more. */
  release(): void;
  end(): Promise<void>;
}

export async function heldDatabase(database: string): Promise<HeldDatabase> {
  const target = new URL(database);
  const held = new Map<Socket, Buffer[]>();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('data', (chunk) => {
      if (proxy.holds(chunk.toString('latin1')) && !held.has(upstream)) held.set(upstream, []);
      const waiting = held.get(upstream);
      if (waiting) waiting.push(chunk);
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    const pair = [client, upstream] as const;
    for (const socket of pair) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        held.delete(upstream);
        for (const one of pair) open.delete(one.destroy());
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const proxy: HeldDatabase = {
    url: url.href,
    holds: () => false,
    get held() {
      return held.size;
    },
    release: () => {
      proxy.holds = () => false;
      for (const [upstream, chunks] of held) for (const chunk of chunks) upstream.write(chunk);
      held.clear();
    },
    end: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  return proxy;
}
