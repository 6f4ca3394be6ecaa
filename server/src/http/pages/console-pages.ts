// Serves the web console under "/": the built files of console/, held in memory, with a content security policy that allows only them.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkout } from '../../config/settings.ts';

/**
 * Content security policy: own files and calls only, no inline script or style. The console sanitizes no HTML: React escapes every text,
 * and `trusted-types 'none'` makes a browser refuse any string that would be parsed as HTML.
 */
const pageRules = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'content-security-policy': pageRules,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

interface File {
  type: string;
  bytes: Buffer;
  /** Compressed content, filled on first request: compressing all files would take a tenth of the start time. */
  packed?: Buffer;
  tag: string;
  /** Whether the name changes with the content. */
  lasting: boolean;
}

export const builtConsole = join(checkout, 'console/dist');

/** Serves the pages. Returns false if none were built. */
export function consolePages(app: FastifyInstance, folder = builtConsole): boolean {
  const files = read(folder);
  const page = files.get('/index.html');
  if (!page) return false;
  app.get('/', async (request, reply) => await send(request, reply, page));
  // The platform's clients print this address for a job.
  app.get<{ Params: { id: string } }>('/tune/:id(^[0-9]+$)', async ({ params }, reply) =>
    reply.redirect(`/#/tuning/${params.id}`, 302),
  );
  for (const [path, file] of files)
    if (path !== '/index.html') app.get(path, async (request, reply) => await send(request, reply, file));
  return true;
}

function read(folder: string): Map<string, File> {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true }) as string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  const files = names.flatMap((name) => {
    const type = types[extname(name)];
    if (!type) return [];
    const bytes = readFileSync(join(folder, name));
    const file: File = {
      type,
      bytes,
      tag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}"`,
      lasting: name.startsWith('assets'),
    };
    return [[`/${name.replaceAll('\\', '/')}`, file] as const];
  });
  return new Map(files);
}

async function send(request: FastifyRequest, reply: FastifyReply, file: File): Promise<FastifyReply> {
  reply
    .headers(headers)
    .header('etag', file.tag)
    .header('vary', 'accept-encoding')
    .header('cache-control', file.lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match'] === file.tag) return await reply.code(304).send();
  reply.type(file.type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return await reply.send(file.bytes);
  file.packed ??= gzipSync(file.bytes, { level: 9 });
  if (file.packed.length >= file.bytes.length) return await reply.send(file.bytes);
  return await reply.header('content-encoding', 'gzip').send(file.packed);
}
