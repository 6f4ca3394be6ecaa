// A raw connection for tests that send malformed requests byte by byte and read the answer unparsed.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { adminKey } from './server.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

const timeoutMs = 20_000;

export class Wire {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #problem = '';
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      this.#wake();
    });
    socket.on('error', (error) => {
      this.#problem = error.message;
    });
    // The server has closed its side, or the connection is closed: no further answer comes.
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
  }

  /** Opens a connection; with `readLater` it reads nothing before an answer is requested, like a client that sends everything first. */
  static async open(port: number, { readLater = false } = {}): Promise<Wire> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setMaxListeners(0);
    const wire = new Wire(socket);
    if (readLater) socket.pause();
    await once(socket, 'connect');
    return wire;
  }

  /** Resolves when the system has accepted the bytes, or the connection is closed. */
  async send(...parts: (string | Uint8Array)[]): Promise<this> {
    for (const part of parts) {
      if (this.#socket.destroyed) break;
      await new Promise<void>((resolve) => {
        this.#socket.once('close', resolve);
        this.#socket.write(part, () => resolve());
      });
    }
    return this;
  }

  get #received(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  /** The next answer; an answer to HEAD has no content. */
  async answer({ head = false } = {}): Promise<Answer> {
    this.#socket.resume();
    const split = await this.#until(() => this.#received.indexOf('\r\n\r\n'), 'an answer');
    const [line = '', ...lines] = this.#received.subarray(0, split).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((header) => [header.split(':', 1)[0]!.toLowerCase(), header.slice(header.indexOf(':') + 1).trim()]),
    );
    const start = split + 4;
    const end = start + (head ? 0 : Number(headers['content-length'] ?? 0));
    await this.#until(() => (this.#bytes >= end ? end : -1), 'the whole answer');
    const text = this.#received.subarray(start, end).toString();
    this.#chunks = [this.#received.subarray(end)];
    this.#bytes -= end;
    const json = text !== '' && /^application\/json(;|$)/.test(headers['content-type'] ?? '');
    return { status: Number(line.split(' ')[1]), headers, text, body: json ? JSON.parse(text) : undefined };
  }

  /** Resolves when the server has closed its side. */
  async closed(): Promise<void> {
    this.#socket.resume();
    await this.#until(() => (this.#ended ? 1 : -1), 'the end of the connection', true);
  }

  async #until(place: () => number, what: string, ended = false): Promise<number> {
    const deadline = setTimeout(() => this.#socket.destroy(new Error(`${what} did not come in time`)), timeoutMs);
    try {
      for (;;) {
        const found = place();
        if (found >= 0) return found;
        if (this.#ended && !ended) throw new Error(`The connection ended before ${what}: ${this.#problem || 'closed'}`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        if (ended && this.#problem.includes('in time')) throw new Error(this.#problem);
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Closes the sending side only. */
  finish(): this {
    this.#socket.end();
    return this;
  }

  /** Destroys the connection, like a client that crashes. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The head of a request with the operator's key, unless told otherwise. */
export function head(method: string, path: string, headers: Record<string, string | number | null> = {}): string {
  const all = { Host: 'test', Authorization: `Bearer ${adminKey}`, ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export const json = { 'Content-Type': 'application/json' };
export const multipart = { 'Content-Type': 'multipart/form-data; boundary=cut' };

/** A multipart form with one file, its name unescaped. */
export function form(name: string | Buffer, content: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from('--cut\r\nContent-Disposition: form-data; name="file"; filename="'),
    Buffer.from(name as string),
    Buffer.from('"\r\n\r\n'),
    Buffer.from(content as string),
    Buffer.from('\r\n--cut--\r\n'),
  ]);
}

export const asChunk = (bytes: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes as string),
    Buffer.from('\r\n'),
  ]);
