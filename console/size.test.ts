// Transfer size of the first load: the page and all files that it references.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { consolePages } from '../server/src/http/pages/console-pages.ts';
import { notBuilt } from './testing/server.ts';

const maxBytes = 250_000;

describe('the first load of the console', { skip: notBuilt }, () => {
  it(`is under ${maxBytes / 1000} kB gzipped, without external resources`, async () => {
    const app = Fastify();
    consolePages(app);
    const get = async (url: string) => await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    const page = (await app.inject({ url: '/' })).body;
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    assert.ok(named.some((url) => url.endsWith('.js')) && named.some((url) => url.endsWith('.css')));
    let bytes = page.length;
    for (const url of named) {
      assert.match(url, /^\/[\w./-]+$/);
      const answer = await get(url);
      assert.equal(answer.statusCode, 200, url);
      bytes += answer.rawPayload.length;
    }
    assert.ok(bytes < maxBytes, `it is ${bytes} bytes`);
    assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    await app.close();
  });
});
