// The files of the console as served to a browser: with security headers, compressed, and only the built files.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Fastify from 'fastify';
import { consolePages } from './console-pages.ts';

describe('the pages of the console', () => {
  const app = Fastify({ routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true } });
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-pages-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Lorekeep</title>');
    await writeFile(join(folder, 'assets/main-abc.js'), 'export const text = "a";\n'.repeat(500));
    await writeFile(join(folder, '.stamp'), 'not for anybody');
    await writeFile(join(folder, 'assets/notes.txt'), 'nor this');
    assert.equal(consolePages(app, folder), true);
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  it('have a content security policy that allows their own files alone', async () => {
    for (const url of ['/', '/assets/main-abc.js']) {
      const { statusCode, headers } = await app.inject({ url });
      assert.equal(statusCode, 200);
      const rules = String(headers['content-security-policy']);
      assert.match(rules, /^default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.match(rules, /frame-ancestors 'none'/);
      assert.match(rules, /require-trusted-types-for 'script'; trusted-types 'none'$/);
      assert.doesNotMatch(rules, /unsafe|\*|https?:/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['set-cookie'], undefined);
    }
  });

  it('are cached if their name contains a hash, else revalidated', async () => {
    const page = await app.inject({ url: '/' });
    assert.equal(page.headers['cache-control'], 'no-cache');
    const script = await app.inject({ url: '/assets/main-abc.js', headers: { 'accept-encoding': 'br, gzip' } });
    assert.match(String(script.headers['cache-control']), /immutable/);
    assert.equal(script.headers['content-encoding'], 'gzip');
    assert.ok(script.rawPayload.length < 500);
    const same = await app.inject({ url: '/', headers: { 'if-none-match': String(page.headers.etag) } });
    assert.deepEqual([same.statusCode, same.body], [304, '']);
  });

  it("redirect the job address that the platform's clients print to the job's page", async () => {
    for (const url of ['/tune/17', '/tune/17/']) {
      const { statusCode, headers } = await app.inject({ url });
      assert.deepEqual([statusCode, headers.location], [302, '/#/tuning/17'], url);
    }
    for (const url of ['/tune', '/tune/abc', '/tune/1%0d%0aSet-Cookie:a=b', '/tune//example.org'])
      assert.equal((await app.inject({ url })).statusCode, 404, url);
  });

  it('are the built files and nothing else', async () => {
    for (const url of [
      '/.stamp',
      '/assets/notes.txt',
      '/assets/',
      '/assets/../.stamp',
      '/index.html',
      '/%2e%2e/package.json',
    ])
      assert.equal((await app.inject({ url })).statusCode, 404, url);
  });

  it('fall back to the start page without a build', () => {
    assert.equal(consolePages(Fastify(), join(folder, 'nowhere')), false);
  });
});
