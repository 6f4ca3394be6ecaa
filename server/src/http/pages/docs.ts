// Serves the API documentation: /openapi.json and readable pages at /docs, without external files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { checkout } from '../../config/settings.ts';
import { serve } from '../serve.ts';

/** Content security policy: own files only, over the protocol of the page. */
const pageRules = {
  'default-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'style-src': ["'self'", "'unsafe-inline'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * The committed document, loaded once per process. Generating it from the routes would take a third of the start time; `./lorekeep
 * check` compares the file with the routes.
 */
let document: { openapi: string } | undefined;

function committedDocument(): { openapi: string } {
  document ??= JSON.parse(readFileSync(join(checkout, 'contract/openapi.json'), 'utf8')) as { openapi: string };
  return document;
}

export async function docs(app: FastifyInstance): Promise<void> {
  const document = committedDocument();
  let text: string | undefined;
  serve(app, contract.openapi, async ({ reply }) => {
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .serializer(() => {
        text ??= JSON.stringify(document);
        return text;
      });
    return document;
  });
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: -1, tryItOutEnabled: true },
    staticCSP: pageRules,
    theme: {
      title: 'Lorekeep API',
      css: [{ filename: 'lorekeep.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
}
