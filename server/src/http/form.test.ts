// The streaming parser of forms, with real requests.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Refusal } from '@lorekeep/contract';
import { until } from '../testing/until.ts';
import { Form } from './form.ts';

const boundary = 'part';
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;

it('a form keeps nothing of the chunks that it has read', async (test) => {
  /** One object for each chunk; it is the result of the promise that the form waits for. */
  const perChunk: WeakRef<object>[] = [];
  const ready = async () => {
    const one = {};
    perChunk.push(new WeakRef(one));
    return one as unknown as undefined;
  };
  const limits = { bytes: 1_000_000, pauseSeconds: 60, wholeSeconds: 600 };
  const ended = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const form = new Form(request, limits, {
      limits: {},
      wrong: (reason) => new Refusal('upload_invalid', { reason }),
      onField: () => {},
      onFile: (_part, stream) => stream.resume(),
      ready,
    });
    form.ended.then(ended.resolve, ended.reject).finally(() => response.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  test.after(() => server.close());
  const upload = httpRequest({
    method: 'POST',
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  upload.on('response', (response) => response.resume());
  upload.write(head);
  const chunks = 50;
  for (let chunk = 1; chunk <= chunks; chunk++) {
    upload.write(`line ${chunk}\n`);
    await until('the chunk was read', () => perChunk.length >= chunk);
  }
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // What the current turn has looked at stays until it ends.
  await setImmediate();
  collectGarbage();
  const kept = perChunk.filter((one) => one.deref()).length;
  assert.ok(kept <= 2, `${kept} of ${chunks} are kept`);
  upload.end(`\r\n--${boundary}--\r\n`);
  await ended.promise;
});
