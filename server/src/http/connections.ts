// Handling of connections as opposed to calls: malformed HTTP, oversized headers, too many connections, and unread rests of
// bodies.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import { Refusal } from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { defaultHeaders } from './default-headers.ts';

export const maxHeaderBytes = 32 * 1024;

interface ConnectionLimits {
  connections: number;
  /** Time limit for headers, and for the rest of a body after its answer was sent. */
  seconds: number;
}

export function guardConnections(app: FastifyInstance, { connections, seconds }: ConnectionLimits): void {
  const { server } = app;
  server.maxConnections = connections;
  server.on('connect', (_request, socket: Socket) =>
    refuseConnection(socket, new Refusal('request_malformed', { reason: 'this is no proxy' }) as Refusal),
  );
  // The Expect header is handled with its request: "100-continue" is answered once the body is wanted, other values never.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response));
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = hostsOf(raw);
    const reason =
      hosts > 1
        ? 'it has more than one Host header'
        : hosts < 1 && raw.httpVersion === '1.1' && 'it has no Host header';
    done(reason ? new Refusal('request_malformed', { reason }) : undefined);
  });
  app.addHook('preParsing', ({ headers }, reply, _payload, done) => {
    if (headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
    done();
  });
  discardUnread(app, seconds);
  closeSilent(app);
}

/** Number of Host headers. Several are refused: Node uses the first, and a proxy in front may have used the last. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  return hosts;
}

/** Closes connections that never sent anything, at shutdown. Node counts them as active and would wait for them. */
function closeSilent(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/**
 * An answer may be sent before the body has arrived. The rest of the body is discarded for a while instead of closing at once: a
 * reset could destroy the answer for a client that reads only after sending. Afterwards the connection can be reused.
 */
function discardUnread(app: FastifyInstance, seconds: number): void {
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (!raw.complete) linger(raw, reply.removeHeader('connection').raw, seconds);
    done();
  });
}

function linger(request: IncomingMessage, response: ServerResponse, seconds: number): void {
  const { socket } = request;
  const last = !response.shouldKeepAlive;
  // Otherwise Node would close the connection as soon as the answer is sent.
  response.shouldKeepAlive = true;
  response.once('finish', () => {
    // Listeners of a reader that gave up would keep the stream from flowing.
    if (request.listenerCount('readable') > 0) request.removeAllListeners('readable');
    request.resume();
    const timer = setTimeout(() => socket.destroy(), seconds * 1000);
    finished(request, () => {
      clearTimeout(timer);
      if (last) socket.end();
    });
  });
}

/** Answers malformed HTTP. Fastify calls it for every error of the HTTP parser. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket, seconds: number): void {
  // Within another answer, this one would be read as part of its content.
  const answering = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent;
  if (error.code === 'ECONNRESET' || !socket.writable || answering) socket.destroy();
  else refuseConnection(socket, refusalOf(error, seconds));
}

function refuseConnection(socket: Socket, refusal: Refusal): void {
  const body = JSON.stringify(refusal.body());
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n` +
      `${Object.entries(defaultHeaders)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Limits the time for which a sender that keeps sending is read.
  setTimeout(() => socket.destroy(), 1000).unref();
}

function refusalOf(error: NodeJS.ErrnoException, seconds: number): Refusal {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new Refusal('headers_too_large', { limit: maxHeaderBytes }) as Refusal;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refusal('body_too_slow', {
      reason: `its headers were not complete after ${seconds} seconds`,
    }) as Refusal;
  return new Refusal('request_malformed', {
    reason: (error.message ?? 'it cannot be parsed').replace(/^Parse Error: /, ''),
  }) as Refusal;
}
