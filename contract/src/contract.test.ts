// The contract as a whole: what every route and every error must have.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errors, openApiDocument, Refusal, refusalsOf, routes } from './index.ts';

describe('contract', () => {
  it('names every route once and gives each path and method once', () => {
    assert.equal(new Set(routes.map(({ name }) => name)).size, routes.length);
    assert.equal(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size, routes.length);
  });

  it('lists for each route only refusals of the table, and no refusal that none can give', () => {
    const used = new Set(routes.flatMap(refusalsOf));
    // Errors before a route is found, and errors that nobody is there to read.
    for (const code of [
      'route_not_found',
      'method_not_allowed',
      'headers_too_large',
      'request_malformed',
      'client_gone',
    ] as const)
      used.add(code);
    assert.deepEqual(
      Object.keys(errors).filter((code) => !used.has(code as keyof typeof errors)),
      [],
    );
  });

  it('fills every place of a sentence', () => {
    const refusal = new Refusal('key_expired', { name: 'CI', at: '2026-01-01' });
    assert.equal(
      refusal.body().detail,
      'The API key "CI" expired at 2026-01-01. Make a new one, or rotate keys before they expire.',
    );
  });

  it('has one schema for each reference of the document', () => {
    const document = openApiDocument(routes, '1.2.3') as { components: { schemas: object } };
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    );
    assert.deepEqual(
      [...new Set(references)].filter((name) => !(name in document.components.schemas)),
      [],
    );
    assert.ok(!JSON.stringify(document).includes('$defs'));
  });
});
