// The page at "/": where somebody who opens the address in a browser finds what is here and how to begin.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const page = readFileSync(join(import.meta.dirname, 'start-page.html'), 'utf8');

export function startPage(app: FastifyInstance): void {
  app.get('/', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .header('x-content-type-options', 'nosniff')
      .send(page),
  );
}
