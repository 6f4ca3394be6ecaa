// A fake server with scripted misbehaviour: it answers each request with the next turn of a list, and records the requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Turn = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  /** Method and path of each request, in order. */
  asked: string[];
  end(): Promise<void>;
}

/** The last turn is repeated. */
export async function startScripted(...turns: Turn[]): Promise<ScriptedServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const turn = turns[Math.min(asked.length, turns.length) - 1]!;
    request.resume();
    request.once('end', () => turn(request, response));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    end: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const answersWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Turn =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const resets: Turn = ({ socket }) => socket.destroy();
export const neverAnswers: Turn = () => {};
