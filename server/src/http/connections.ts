// Rules of connections rather than calls: malformed HTTP, oversized headers, too many at once, and bodies that nobody
// reads to their end.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import { Refusal } from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { defaultHeaders } from './defaults.ts';

export const maxHeaderBytes = 32 * 1024;

interface ConnectionLimits {
  connections: number;
  /** Time limit of headers, and of the rest of a body whose answer is already there. */
  seconds: number;
}

export function guardConnections(app: FastifyInstance, { connections, seconds }: ConnectionLimits): void {
  const { server } = app;
  server.maxConnections = connections;
  server.on('connect', (_request, socket: Socket) =>
    refuseConnection(socket, new Refusal('request_malformed', { reason: 'this is no proxy' }) as Refusal),
  );
  // The Expect header is handled with its request: "100-continue" once the body is wanted, anything else never.
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

/** Node shows the first of several Host headers. A proxy in front may have used the last. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  return hosts;
}

/** Node takes a connection that never sent anything for one whose request is on its way, and a stop would wait for it. */
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
 * An answer may be there before the body is. What still comes is thrown away for a while instead of closing at once, which would reset the
 * connection and could take the answer from a sender that reads only when it is done. After that the connection is good for the next request.
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
  // Told that this is the last answer, Node would close as soon as it is out.
  response.shouldKeepAlive = true;
  response.once('finish', () => {
    // A reader that gave up still listens, and a stream with such a listener does not flow.
    if (request.listenerCount('readable') > 0) request.removeAllListeners('readable');
    request.resume();
    const timer = setTimeout(() => socket.destroy(), seconds * 1000);
    finished(request, () => {
      clearTimeout(timer);
      if (last) socket.end();
    });
  });
}

/** Answers what never became a request; Fastify calls it for every error of the HTTP parser. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket, seconds: number): void {
  // In the middle of an answer another one would be taken for its content.
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
  // A sender that does not stop talking is not listened to for ever.
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
