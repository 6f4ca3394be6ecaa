// A request with the maximum number of files, and with one more, to a server with few file descriptors and little memory.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { maxFiles } from '@lorekeep/contract';
import { callerOf, endProcesses, type ServerProcess, startProcess } from '../testing/process.ts';
import { adminKey } from '../testing/server.ts';

const megabyte = 1024 * 1024;
/** Smaller than the buffer of one stream. */
const bytesOfFile = 40_000;

describe('a request of many files', () => {
  let home: string;
  let server: ServerProcess;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    server = await startProcess({ home, slots: '0' }, ['sh', '-c', 'ulimit -n 160 && exec "$@"', 'sh']);
  });
  after(async () => {
    await endProcesses();
    await rm(home, { recursive: true, force: true });
  });

  const sendFiles = async (count: number, bytes = bytesOfFile) => {
    const boundary = 'edge';
    const content = Buffer.concat([randomBytes(bytes), Buffer.from('\r\n')]);
    const edge = (more: string) => Buffer.from(`--${boundary}${more}`);
    async function* form() {
      yield edge('\r\nContent-Disposition: form-data; name="model_name"\r\n\r\nlorekeep/quill\r\n');
      for (let at = 0; at < count; at++) {
        yield edge(`\r\nContent-Disposition: form-data; name="files"; filename="${at}.bin"\r\n\r\n`);
        yield content;
      }
      yield edge('--\r\n');
    }
    const response = await fetch(`${server.url}/alpha/memory-rag/train`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminKey}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: form() as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit);
    return { status: response.status, body: (await response.json()) as { job_id: number; detail: string } };
  };

  it('is accepted, and its files are written a few at a time', async () => {
    const { call } = callerOf(server);
    // Loads lazy modules first, so that they do not count as a cost of the files.
    const first = await sendFiles(1);
    assert.equal((await call('DELETE', `/v1/indexes/${first.body.job_id}`)).status, 200);
    const before = server.peakMemory();
    const { status, body } = await sendFiles(maxFiles);
    assert.equal(status, 200, JSON.stringify(body));
    const grown = (server.peakMemory() - before) / megabyte;
    assert.ok(grown < 120, `${grown} MB more for ${(maxFiles * bytesOfFile) / megabyte} MB of files`);
    assert.equal((await call('GET', `/v1/indexes/${body.job_id}`)).body.progress.files, maxFiles);
    assert.equal((await call('DELETE', `/v1/indexes/${body.job_id}`)).status, 200);
    assert.deepEqual(await readdir(join(home, 'files/documents')), []);
  });

  it('is refused with one file more, naming the limit and the remedy, and stores nothing', async () => {
    const { status, body } = await sendFiles(maxFiles + 1, 100);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.detail, /more than 5000 .*further requests to \/v1\/indexes\/\{id\}\/files/);
    assert.deepEqual(await readdir(join(home, 'files/documents')), []);
  });
});
