// A proxy before the storage that injects faults as a test requests them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/**
 * `busy` is 503, `silent` no answer; `lost` passes the request on and closes before the answer; `cut` breaks off after some bytes; a
 * status with a code is answered at once.
 */
export type Fault = 'busy' | 'silent' | 'lost' | { cut: number } | { status: number; code: string };

export interface FaultyProxy {
  endpoint: string;
  /** Called before each request. */
  fault: (request: IncomingMessage) => Fault | undefined;
  /** Requests so far. */
  count: number;
  end(): Promise<void>;
}

export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const server = createServer((asked, answer) => {
    proxy.count++;
    const fault = proxy.fault(asked);
    if (fault === 'silent') asked.resume();
    else if (fault === 'busy' || (typeof fault === 'object' && 'status' in fault)) {
      const { status, code } = fault === 'busy' ? { status: 503, code: 'SlowDown' } : fault;
      asked.resume().once('end', () => answer.writeHead(status).end(`<Error><Code>${code}</Code></Error>`));
    } else pass(target, asked, answer, fault);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    fault: () => undefined,
    count: 0,
    end: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}

function pass(
  target: string,
  asked: IncomingMessage,
  answer: ServerResponse,
  fault: 'lost' | { cut: number } | undefined,
) {
  const { method, url, headers } = asked;
  const sent = request(target + url, { method: method!, headers }, async (found) => {
    if (fault === 'lost') {
      found.resume().once('end', () => answer.destroy());
      return;
    }
    answer.writeHead(found.statusCode!, found.headers);
    let left = fault?.cut ?? Number.POSITIVE_INFINITY;
    for await (const chunk of found as AsyncIterable<Buffer>) {
      answer.write(chunk.subarray(0, left));
      left -= chunk.length;
      // The lines written so far leave before the connection closes.
      if (left <= 0) return setTimeout(() => answer.destroy(), 20);
    }
    answer.end();
  });
  sent.once('error', () => answer.destroy());
  asked.pipe(sent);
}
