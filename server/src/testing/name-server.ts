// A name server for a test: a real one over UDP, which answers every query for an IPv4 address as the test specifies.
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface TestNameServer {
  /** The address in a resolver's format. */
  address: string;
  /** Queries for an IPv4 address so far. */
  asked(): number;
  close(): void;
}

/** `answer` returns the address for the query with this number, from 1; '' says that there is none, undefined sends no answer. */
export async function nameServer(answer: (number: number) => string | undefined): Promise<TestNameServer> {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (question, { port, address }) => {
    // The question ends after its name (labels until an empty one), its type and its class.
    const end = question.indexOf(0, 12) + 5;
    const isV4 = question.readUInt16BE(end - 4) === 1;
    const found = isV4 ? answer(++asked) : '';
    if (found === undefined) return;
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    for (const [at, count] of [1, found ? 1 : 0, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * at);
    const record = found
      ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...found.split('.').map(Number)])
      : Buffer.of();
    socket.send(Buffer.concat([head, question.subarray(12, end), record]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () => socket.close(),
  };
}
