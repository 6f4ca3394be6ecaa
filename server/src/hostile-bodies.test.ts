// Malformed and hostile bodies: each gets a clear error or is served, no partial write is left, memory stays bounded.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { succeed } from './testing/acknowledged.ts';
import { endProcesses, type ServerProcess, startProcess } from './testing/process.ts';
import { adminKey } from './testing/server.ts';
import { assertRefused, assertUnharmed } from './testing/unharmed.ts';
import { asChunk, form, head, json, multipart, Wire } from './testing/wire.ts';

const kB = 1024;
const MB = kB * kB;

describe('a server that receives hostile bodies', () => {
  let home: string;
  let server: ServerProcess;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    server = await startProcess({ home, body_timeout: '1', max_upload: '32MB' });
  });
  afterEach(async () => await assertUnharmed(server, home));
  after(async () => {
    const code = await server.stop();
    await endProcesses();
    await rm(home, { recursive: true, force: true });
    assert.equal(code, 0);
  });

  /** Sends the whole body at once, over a separate connection. */
  const post = async (path: string, body: string | Uint8Array, headers: Record<string, string> = json) => {
    const wire = await Wire.open(server.port);
    await wire.send(head('POST', path, { 'Content-Length': Buffer.byteLength(body), ...headers }), body);
    const answer = await wire.answer();
    wire.close();
    return answer;
  };
  const row = (inside: string | Buffer) =>
    Buffer.concat([Buffer.from('{"input": "a", "output": '), Buffer.from(inside as string), Buffer.from('}')]);
  const inData = (rows: Buffer) => Buffer.concat([Buffer.from('{"data": ['), rows, Buffer.from(']}')]);

  it('names the mistake in the JSON of an ordinary call', async () => {
    const cases: [name: string, body: string | Buffer, refused: [number, string]][] = [
      ['cut short', '{"name": "x', [400, 'json_invalid']],
      ['one key twice', '{"name": "x", "name": "y"}', [400, 'json_invalid']],
      ['one key twice, written differently', '{"name": "x", "n\\u0061me": "y"}', [400, 'json_invalid']],
      ['nested deeply', '['.repeat(1_000_000) + ']'.repeat(1_000_000), [400, 'json_invalid']],
      ['nested deeply and open', '{"a":'.repeat(500_000), [400, 'json_invalid']],
      ['a huge number', `{"name": "x", "account_id": ${'9'.repeat(100_000)}}`, [422, 'validation']],
      ['a number beyond all', '{"name": "x", "account_id": 1e999}', [422, 'validation']],
      ['not UTF-8', Buffer.from('{"name": "\xff\xfe"}', 'latin1'), [400, 'json_invalid']],
      ['half a character', '{"name": "\\ud800"}', [400, 'json_invalid']],
      ['half a character in a key', '{"name": "x", "\\uDFFF": 1}', [400, 'json_invalid']],
      ['half a character, deep inside', '{"name": "x", "scopes": [[{"a": "\\udc00\\ud800"}]]}', [400, 'json_invalid']],
      ['NUL in a name', '{"name": "a\\u0000b"}', [422, 'validation']],
      ['nothing', '', [400, 'body_missing']],
      ['a prototype', '{"name": "x", "__proto__": {"scopes": ["admin"]}}', [422, 'validation']],
      ['too large', `{"name": "${'x'.repeat(5 * MB)}"}`, [413, 'body_too_large']],
      ['of another type', 'name=x', [415, 'content_type_unsupported']],
    ];
    for (const [name, body, refused] of cases) {
      const type = name === 'of another type' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : json;
      assertRefused(await post('/v1/keys', body, type), refused, name);
    }
  });

  it('names the mistake in JSON rows, as a body and as a file', async () => {
    const cases: [name: string, row: Buffer, asBody: [number, string], asFile: [number, string]][] = [
      ['cut short', Buffer.from('{"input": "a", "outp'), [400, 'json_invalid'], [422, 'rows_invalid']],
      ['one field twice', row('"b", "output": "c"'), [422, 'rows_invalid'], [422, 'rows_invalid']],
      ['nested deeply', row('['.repeat(200_000) + ']'.repeat(200_000)), [422, 'rows_invalid'], [422, 'rows_invalid']],
      ['nested deeply and open', row('['.repeat(200_000)), [400, 'json_invalid'], [422, 'rows_invalid']],
      ['not UTF-8', row(Buffer.from('"\xff"', 'latin1')), [422, 'rows_invalid'], [422, 'rows_invalid']],
      ['longer than a row may be', row(`"${'x'.repeat(2 * MB)}"`), [422, 'rows_invalid'], [422, 'rows_invalid']],
    ];
    for (const [name, bad, asBody, asFile] of cases) {
      const rows = Buffer.concat([row('"good"'), Buffer.from(','), bad]);
      const closed = name.startsWith('cut') ? Buffer.from(`{"data": [${rows}`) : inData(rows);
      assertRefused(await post('/v1/local-data', closed), asBody, `${name} as a body`);
      const lines = Buffer.concat([row('"good"'), Buffer.from('\n'), bad]);
      assertRefused(await post('/v1/datasets', form('rows.jsonl', lines), multipart), asFile, `${name} as a file`);
    }
    const twice = '{"data": [{"input": "a", "output": "b"}], "data": []}';
    assertRefused(await post('/v1/local-data', twice), [400, 'json_invalid'], 'data twice');
  });

  it('stores a huge number as written', async () => {
    const number = `-${'1234567890'.repeat(500)}.5e+999999`;
    const { status, body } = await post('/v1/local-data', inData(row(number)));
    assert.equal(status, 200);
    const download = await fetch(`${server.url}/v1/datasets/${body.dataset_id}/download`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    assert.equal(await download.text(), `{"input":"a","output":"${number}"}\n`);
    await succeed(server.url, 'DELETE', `/v1/datasets/${body.dataset_id}`);
  });

  it('does not unpack a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MB, ' '));
    for (const path of ['/v1/keys', '/v1/local-data', '/v1/datasets']) {
      const type = path === '/v1/datasets' ? multipart : json;
      const answer = await post(path, bomb, { ...type, 'Content-Encoding': 'gzip' });
      assertRefused(answer, [415, 'content_encoding_unsupported'], path);
    }
    assertRefused(await post('/v1/datasets', form('rows.jsonl.gz', bomb), multipart), [400, 'file_type_unsupported']);
  });

  it('accepts a chunked body, and refuses one over the upload limit', async () => {
    const small = [...inData(row('"b"'))].map((byte) => asChunk(Buffer.from([byte])));
    const wire = await Wire.open(server.port);
    await wire.send(head('POST', '/v1/local-data', { ...json, 'Transfer-Encoding': 'chunked' }), ...small, '0\r\n\r\n');
    const { status, body } = await wire.answer();
    assert.equal(status, 200);
    await succeed(server.url, 'DELETE', `/v1/datasets/${body.dataset_id}`);
    wire.close();

    const many = asChunk(`${'{"input": "a", "output": "b"},'.repeat(30_000)}`);
    const lines = asChunk(`${'{"input": "a", "output": "b"}\n'.repeat(30_000)}`);
    for (const [path, type, start, more] of [
      ['/v1/local-data', json, '{"data": [', many],
      ['/v1/datasets', multipart, form('rows.jsonl', '').subarray(0, -13), lines],
    ] as const) {
      const large = await Wire.open(server.port, { readLater: true });
      const parts = Array.from({ length: 60 }, () => more);
      await large.send(head('POST', path, { ...type, 'Transfer-Encoding': 'chunked' }), asChunk(start), ...parts);
      assertRefused(await large.answer(), [413, 'body_too_large'], path);
      large.close();
    }
  });

  it('stores nothing of a truncated body', async () => {
    const half = '{"data": [{"input": "a", "output": "b"}, {"inp';
    const formed = form('rows.jsonl', half.slice(10)).subarray(0, -20);
    for (const [path, type, body] of [
      ['/v1/keys', json, '{"name": "x"'],
      ['/v1/local-data', json, half],
      ['/v1/datasets', multipart, formed],
    ] as const) {
      const chunked = { ...type, 'Transfer-Encoding': 'chunked' };
      for (const [headers, sent] of [
        [{ ...type, 'Content-Length': 10_000 }, body],
        [chunked, asChunk(body)],
      ] as const) {
        const polite = await Wire.open(server.port);
        await polite.send(head('POST', path, headers), sent);
        const { status, body: answer } = await polite.finish().answer();
        assert.equal(status, 400, path);
        assert.match(answer.code, /^(body_incomplete|request_malformed)$/);
        await polite.closed();
        polite.close();
        const crashed = await Wire.open(server.port);
        await crashed.send(head('POST', path, headers), sent);
        crashed.reset();
      }
    }
  });

  it('disconnects a slow sender', async () => {
    await Promise.all(
      (
        [
          ['/v1/keys', json, '{"name'],
          ['/v1/local-data', json, '{"data": [{"input": "a", "output": "b"}, '],
          ['/v1/datasets', multipart, form('rows.jsonl', '{"input": "a"').subarray(0, -13)],
        ] as const
      ).map(async ([path, type, start]) => {
        const wire = await Wire.open(server.port);
        await wire.send(head('POST', path, { ...type, 'Content-Length': 10_000 }), start);
        assertRefused(await wire.answer(), [408, 'body_too_slow'], path);
        await wire.closed();
        wire.close();
      }),
    );
  });

  it('disconnects an upload that trickles in, and accepts one over a slow line', async () => {
    const rows = Buffer.from('{"input": "How slow is it?", "output": "5 kB a second"}\n'.repeat(300));
    const uploads = [
      ['/v1/local-data', json, Buffer.from(`{"data": [${rows.toString().trim().replaceAll('\n', ',')}]}`)],
      ['/v1/datasets', multipart, form('rows.jsonl', rows.toString())],
    ] as const;
    const sent = async (wire: Wire, body: Uint8Array, pieces: number, every: number) => {
      let over = false;
      const answer = wire.answer().finally(() => {
        over = true;
      });
      for (let at = 0; at < body.length && !over; at += pieces) {
        await wire.send(body.subarray(at, at + pieces)).catch(() => {});
        await sleep(every);
      }
      return await answer;
    };
    await Promise.all(
      uploads.map(async ([path, type, body]) => {
        const wire = await Wire.open(server.port);
        await wire.send(head('POST', path, { ...type, 'Content-Length': body.length }));
        const answer = await sent(wire, body, 20, 100);
        assertRefused(answer, [408, 'body_too_slow'], path);
        assert.match(JSON.stringify(answer), /fewer than 1000 bytes a second/);
        wire.close();
      }),
    );
    await Promise.all(
      uploads.map(async ([path, type, body]) => {
        const wire = await Wire.open(server.port);
        await wire.send(head('POST', path, { ...type, 'Content-Length': body.length }));
        const { status } = await sent(wire, body, 1000, 200);
        assert.equal(status, 200, path);
        wire.close();
      }),
    );
    // Both contain the same rows.
    const authorization = { Authorization: `Bearer ${adminKey}` };
    const at = `http://127.0.0.1:${server.port}/v1/datasets`;
    const { datasets } = await (await fetch(at, { headers: authorization })).json();
    assert.equal(datasets.length, 1);
    await fetch(`${at}/${datasets[0].dataset_id}`, { method: 'DELETE', headers: authorization });
  });

  it('stores files under names of its own, not under those of the sender', async () => {
    const names: [sent: string, stored: string | null][] = [
      ['../../../../tmp/lorekeep-escaped.jsonl', 'lorekeep-escaped.jsonl'],
      ['..\\..\\lorekeep-escaped.jsonl', 'lorekeep-escaped.jsonl'],
      ['/etc/lorekeep-escaped.jsonl', 'lorekeep-escaped.jsonl'],
      ['..', null],
      ['a\0b.jsonl', 'ab.jsonl'],
      ['é'.repeat(4000), 'é'.repeat(200)],
      ['<script>.jsonl', '<script>.jsonl'],
    ];
    for (const [sent, stored] of names) {
      const { status, body } = await post('/v1/datasets', form(sent, '{"input": "a", "output": "b"}\n'), multipart);
      assert.equal(status, 200, `${sent.slice(0, 40)}: ${JSON.stringify(body)}`);
      if (stored !== null) assert.equal(body.name, stored);
      const files = await readdir(home, { recursive: true });
      assert.ok(!files.some((name) => name.includes('escaped')));
      await succeed(server.url, 'DELETE', `/v1/datasets/${body.dataset_id}`);
    }
    assert.ok(!(await readdir(tmpdir())).includes('lorekeep-escaped.jsonl'));
  });

  it('refuses malformed forms', async () => {
    const good = form('a.jsonl', '{"input": "a", "output": "b"}\n');
    const typed = (type: string) => ({ 'Content-Type': type });
    const two = Buffer.concat([good.subarray(0, -4), good.subarray(5)]);
    const cases: [name: string, body: string | Buffer, headers: Record<string, string>, refused: [number, string]][] = [
      ['no boundary', good, typed('multipart/form-data'), [400, 'upload_invalid']],
      ['another boundary', good, typed('multipart/form-data; boundary=other'), [400, 'body_incomplete']],
      ['nothing in it', '', multipart, [400, 'body_incomplete']],
      ['its end missing', good.subarray(0, -12), multipart, [400, 'body_incomplete']],
      ['an empty file', form('a.jsonl', ''), multipart, [400, 'dataset_empty']],
      ['a ZIP', form('a.csv', 'PK\x03\x04'), multipart, [400, 'file_type_unsupported']],
      ['two files', two, multipart, [400, 'upload_invalid']],
      ['a broken Parquet', form('a.parquet', `PAR1${'x'.repeat(1000)}PAR1`), multipart, [400, 'file_unreadable']],
    ];
    for (const [name, body, headers, refused] of cases)
      assertRefused(await post('/v1/datasets', body, headers), refused, name);
  });
});
