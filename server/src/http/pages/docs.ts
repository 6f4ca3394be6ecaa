// The contract for people: /openapi.json and readable pages at /docs, all from files of our own.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../serve.ts';

/** Only our own files, over whatever protocol the page itself came. */
const pageRules = {
  'default-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'style-src': ["'self'", "'unsafe-inline'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Documents by version. They are the same for every server of a process, and each takes a tenth of a second to make. */
const documents = new Map<string, { document: object; text: string }>();

function documentOf(version: string) {
  const document = contract.openApiDocument(contract.routes, version);
  const made = { document, text: JSON.stringify(document) };
  documents.set(version, made);
  return made;
}

export async function docs(app: FastifyInstance, version: string): Promise<void> {
  const { document, text } = documents.get(version) ?? documentOf(version);
  serve(app, contract.openapi, async ({ reply }) => {
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .serializer(() => text);
    return document as { openapi: string };
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
