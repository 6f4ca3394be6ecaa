// The start page at "/" without a built console: tells a browser user what this service is and how to begin.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const page = readFileSync(join(import.meta.dirname, 'start-page.html'), 'utf8');

export function startPage(app: FastifyInstance): void {
  // The address from the Host header. Only a plain host name is put into the page, which prevents injection.
  const address = (host: string) => (/^[\w.:[\]-]{1,100}$/.test(host) ? host : '127.0.0.1:8080');
  app.get('/', async (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .send(page.replace('127.0.0.1:8080', address(request.host))),
  );
}
