// What is refused before there is a request: malformed HTTP, oversized headers, more connections than there is room for.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '@lorekeep/contract';

export const largestHeaders = 32 * 1024;

export function guardConnections(server: Server, most: number): void {
  server.maxConnections = most;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(error);
    const body = JSON.stringify(refusal.body());
    socket.end(
      `HTTP/1.1 ${refusal.status} ${refusal.status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    // A sender that does not stop talking is not listened to for ever.
    setTimeout(() => socket.destroy(), 1000).unref();
  });
}

function refusalOf(error: NodeJS.ErrnoException): Refusal {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new Refusal('headers_too_large', { limit: largestHeaders }) as Refusal;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refusal('body_too_slow', { seconds: 'the allowed' }) as Refusal;
  return new Refusal('request_malformed', {
    reason: (error.message ?? 'it cannot be parsed').replace(/^Parse Error: /, ''),
  }) as Refusal;
}
