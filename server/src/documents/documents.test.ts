// Document indexes for callers, from the first file to the last deletion.
// biome-ignore-all lint/suspicious/noExplicitAny: tests look into answers of every shape
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { docxFile, paragraph } from '../../../reader/src/testing/office-files.ts';
import { pdfFile } from '../../../reader/src/testing/pdf-file.ts';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { startWithEngine } from '../testing/engine.ts';
import { adminKey, type TestServer } from '../testing/server.ts';
import { ask, atRest, built, documentForm, filesOf, send, templated } from './testing/indexes.ts';
import '../testing/whole-base.ts';

const library =
  '# Library\n\nThe Brimoor library opens at 9 am. Ada Quist runs it.\n\n# Valves\n\nThe code of the red valve is RV-2207.\n';
const travel = 'Dana Reyes approves travel. The travel budget is 4,000 dollars a year.\n';
const pdf = new Uint8Array(
  pdfFile([
    [{ text: 'Nordhaven handbook', x: 72, y: 72, size: 22, font: 'bold' }],
    [
      { text: 'Parking', x: 72, y: 72, size: 18, font: 'bold' },
      { text: 'The parking fee at Nordhaven is 12 dollars.', x: 72, y: 110 },
    ],
  ]),
);

onDatabase('document indexes', 'PostgreSQL', (make) => {
  let server: TestServer;
  let database: TestDatabase;
  /** Two read-only indexes: one about the library, the other also about travel. */
  let [alone, both] = [0, 0];
  before(async () => {
    database = await make();
    server = await startWithEngine({ database_url: database.url, slots: '0' });
    alone = await built(server, { 'library.md': library }, { name: 'the library' });
    both = await built(server, { 'library.md': library, 'travel.txt': travel });
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  describe('the service', () => {
    it('accepts a PDF, can be polled, and answers a prompt in a template with the right page', async () => {
      const id = await send(server, { 'C:\\docs\\handbook.pdf': pdf });
      const early = await ask(server, id, templated('What is the parking fee?'));
      if (early.status !== 200) {
        assert.equal(early.status, 400);
        assert.match(
          early.body.detail,
          new RegExp(`^Trained memory rag model ${id} status is not COMPLETED, current status: `),
        );
      }
      const { status, progress } = await atRest(server, id);
      assert.equal(status, 'COMPLETED');
      assert.equal(progress.pages_done, 2);
      const { body } = await ask(server, id, templated('What is the parking fee at Nordhaven?'));
      assert.deepEqual([body.outputs, body.finish_reason], [['12 dollars'], ['stop']]);
      const [citation] = body.citations;
      assert.deepEqual(
        [citation.file, citation.page, citation.heading, citation.text],
        ['handbook.pdf', 2, 'Parking', 'The parking fee at Nordhaven is 12 dollars.'],
      );
      assert.ok(citation.score > 0.5 && citation.score <= 1);
      assert.equal(body.retrieval.question, 'What is the parking fee at Nordhaven?');
      const log = await server.call('GET', `/alpha/memory-rag/training_log/${id}`);
      assert.match(log.body.join('\n'), /Read handbook\.pdf[\s\S]*COMPLETED/);
    });

    it('answers a bare prompt, in the requested schema, from the passages only', async () => {
      const { body } = await ask(server, both, 'What is the code of the red valve?');
      assert.deepEqual(body.outputs, ['RV-2207']);
      assert.equal(body.citations[0].heading, 'Valves');
      const shaped = await ask(server, both, 'What is the code of the red valve?', { output_type: { code: 'str' } });
      assert.deepEqual(Object.keys(shaped.body.outputs[0]), ['code']);
      const same = await ask(server, both, 'What is the code of the red valve?');
      assert.deepEqual(same.body, body);
    });

    it('reports that the documents do not hold the answer, without asking the model', async () => {
      const { body } = await ask(server, alone, templated('Which opera did Verdi write last?'));
      assert.deepEqual(
        [body.outputs, body.citations, body.retrieval.found],
        [['The documents do not say.'], [], false],
      );
      assert.ok(body.retrieval.best < body.retrieval.threshold);
      const shaped = await ask(server, alone, 'How many moons does Saturn have?', { output_type: { moons: 'int' } });
      assert.deepEqual(shaped.body.outputs, [{ moons: 0 }]);
    });

    it('streams the citations, then the answer as it grows', async () => {
      const { body } = await ask(server, alone, 'When does the Brimoor library open?', { stream: true });
      const events = body
        .split('\n\n')
        .filter((line: string) => line.startsWith('data: {'))
        .map((line: string) => JSON.parse(line.slice(6)));
      assert.equal(events[0].citations[0].file, 'library.md');
      assert.equal(
        events.at(-1).output,
        events
          .slice(1, -1)
          .map(({ delta }: { delta: string }) => delta)
          .join(''),
      );
      assert.equal(events.at(-1).finish_reason, 'stop');
    });

    it('serves chat clients, with and without streaming', async () => {
      const models = await server.call('GET', '/inf/models');
      assert.ok(models.body.data.some((model: { id: string }) => model.id === 'index/the library'));
      const messages = [{ role: 'user', content: 'What is the code of the red valve?' }];
      const asked = { messages, answer: 'generate' };
      for (const model of [`index/${alone}`, 'index/the library']) {
        const { status, body } = await server.call('POST', '/inf/chat/completions', { body: { model, ...asked } });
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual([body.model, body.choices[0].message.content], [model, 'RV-2207']);
        assert.equal(body.citations[0].heading, 'Valves');
      }
      const streamed = await server.call('POST', '/inf/chat/completions', {
        body: { model: `index/${alone}`, ...asked, stream: true },
      });
      const chunks = streamed.body.match(/^data: \{.*$/gm).map((line: string) => JSON.parse(line.slice(6)));
      assert.equal(chunks[0].citations[0].heading, 'Valves');
      assert.equal(chunks.map((chunk: any) => chunk.choices[0].delta.content ?? '').join(''), 'RV-2207');
      const stranger = await server.call('POST', '/inf/chat/completions', {
        body: { model: `index/${alone}`, messages: [{ role: 'user', content: 'Who discovered penicillin?' }] },
      });
      assert.deepEqual(
        [stranger.body.choices[0].message.content, stranger.body.citations],
        ['The documents do not say.', []],
      );
      assert.equal(
        (await server.call('POST', '/inf/chat/completions', { body: { model: 'index/none', messages } })).status,
        404,
      );
      assert.equal((await server.call('GET', `/inf/models/index%2F${alone}`)).body.id, 'index/the library');
    });

    it('accepts a plain text that can be found as soon as the call returns', async () => {
      const id = await built(server, { 'library.md': library });
      const added = await server.call('POST', '/alpha/memory-rag/add-index', {
        body: { prompt: 'The lifeguard of Nordhaven is called Ilse Brandt.', job_id: id },
      });
      assert.deepEqual(added.body, { job_id: id, status: 'success' });
      const { body } = await ask(server, id, 'Who is the lifeguard of Nordhaven?');
      assert.match(body.citations[0].text, /Ilse Brandt/);
    });

    it('suggests questions that the documents answer, none of them twice', async () => {
      const seen = new Set<string>();
      for (;;) {
        const { status, body } = await server.call('POST', '/alpha/memory-rag/suggestions', { body: { job_id: both } });
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(body.length <= 5);
        for (const [at, pair] of body.entries()) {
          const { [`Question ${at + 1}`]: question, [`Answer ${at + 1}`]: answer } = pair;
          assert.ok(!seen.has(question), question);
          seen.add(question);
          assert.ok((library + travel).includes(answer.replace(/\.$/, '')), answer);
        }
        if (body.length === 0) break;
      }
      assert.ok(seen.size >= 3, `${seen.size} questions`);
    });
  });

  describe('files', () => {
    it('fail with name and reason without affecting other files', async () => {
      const id = await send(server, [
        ['good.txt', travel],
        ['empty.pdf', ''],
        ['cut.pdf', pdf.slice(0, 200)],
        ['notes/good.txt', library],
        ['../../etc/passwd', 'Mira Tolland is the treasurer of the rowing club.'],
        // A file sent twice is stored once.
        ['good.txt', travel],
      ]);
      const { status, error, progress } = await atRest(server, id);
      assert.equal(status, 'PARTIALLY COMPLETED');
      assert.match(error!, /^2 files failed, the first of them: empty\.pdf: it is empty/);
      assert.deepEqual([progress.files, progress.files_done, progress.files_failed], [5, 3, 2]);
      const files = await filesOf(server, id);
      assert.deepEqual(
        files.map(({ name, state }) => `${name} ${state}`),
        ['good.txt done', 'empty.pdf failed', 'cut.pdf failed', 'notes/good.txt done', 'passwd done'],
      );
      const failed = await send(server, { 'empty.txt': '' });
      assert.equal((await atRest(server, failed)).status, 'FAILED');
      const asked = await ask(server, failed, 'Anything?');
      assert.equal(asked.status, 400);
      assert.match(asked.body.detail, /current status: FAILED\. .*empty\.txt: it is empty/);
    });

    it('are added, deduplicated, listed, downloaded and deleted', async () => {
      const id = await built(server, { 'travel.txt': travel });
      const body = documentForm(
        [
          ['travel.txt', travel],
          ['copy.txt', travel],
          ['secret.txt', 'The xylophonist is Berta Oom.'],
          ['copy.txt', travel],
        ],
        { metadata: '{"team": "music", "year": 2026}' },
      );
      const added = await server.call('POST', `/v1/indexes/${id}/files`, { body });
      assert.deepEqual(added.body.unchanged, ['travel.txt', 'copy.txt']);
      assert.deepEqual(added.body.files.map(({ name }: { name: string }) => name).sort(), ['copy.txt', 'secret.txt']);
      await atRest(server, id);
      const search = async (query: string, filter?: object) =>
        (await server.call('POST', `/v1/indexes/${id}/search`, { body: { query, filter } })).body.passages.map(
          ({ file }: { file: string }) => file,
        );
      // The same text is found once.
      assert.deepEqual(await search('Who approves travel?', { files: ['travel.txt', 'copy.txt'] }), ['travel.txt']);
      assert.deepEqual(await search('Who approves travel?', { files: ['cop*'] }), ['copy.txt']);
      assert.deepEqual((await search('travel', { metadata: { team: 'music' } })).sort(), ['copy.txt', 'secret.txt']);
      assert.deepEqual(await search('travel', { metadata: { team: 'sports' } }), []);
      const secret = (await filesOf(server, id)).find(({ name }) => name === 'secret.txt')!;
      assert.deepEqual(secret.metadata, { team: 'music', year: 2026 });
      const download = await server.call('GET', `/v1/indexes/${id}/files/${secret.id}/download`);
      assert.equal(download.body, 'The xylophonist is Berta Oom.');
      assert.equal((await search('xylophonist'))[0], 'secret.txt');
      const gone = await server.call('DELETE', `/v1/indexes/${id}/files/${secret.id}`);
      assert.deepEqual(gone.body, { deleted: secret.id });
      assert.ok(!(await search('xylophonist')).includes('secret.txt'));
      for (const folder of ['vectors', 'files'])
        assert.equal(
          execFileSync('sh', ['-c', 'grep -rl xylophonist "$0" || true', join(server.home, folder)], {
            encoding: 'utf8',
          }),
          '',
        );
    });

    it('return the place and the context of a passage for every kind of file', async () => {
      const paragraphs = Array.from({ length: 9 }, (_, at) => `In room ${at} the clock shows ${at} past noon.`);
      const heading = '<w:pStyle w:val="Heading1"/>';
      const docx = docxFile(
        'Rooms',
        paragraphs.flatMap((text, at) => [paragraph(`Room ${at}`, heading), paragraph(text)]),
      );
      const html = `<!DOCTYPE html><body>${paragraphs.map((text, at) => `<h2>Room ${at}</h2><p>${text}</p>`).join('')}</body>`;
      for (const [name, content] of [
        ['rooms.html', html],
        ['rooms.docx', new Uint8Array(docx)],
      ] as const) {
        const id = await built(server, { [name]: content });
        const [file] = await filesOf(server, id);
        const around = async (from: number, limit: number) =>
          (await server.call('GET', `/v1/indexes/${id}/files/${file!.id}/passages?from=${from}&limit=${limit}`)).body;
        const { body } = await server.call('POST', `/v1/indexes/${id}/search`, { body: { query: paragraphs[4] } });
        const [cited] = body.passages;
        assert.deepEqual([cited.text, cited.page, cited.line], [paragraphs[4], null, null], name);
        // The document's text is that of its blocks.
        const text = paragraphs.map((text, at) => `Room ${at}\n${text}`).join('\n');
        assert.equal(text.slice(cited.start, cited.end), cited.text);
        const { passages, next } = await around(cited.passage - 1, 3);
        assert.deepEqual(
          passages.map(({ text }: any) => text),
          paragraphs.slice(3, 6),
        );
        assert.equal(next, cited.passage + 2);
        assert.equal((await around(8, 3)).next, null);
      }
    });

    it('are cancelled before they are processed', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `${at}.txt`,
          Array.from(
            { length: 60 },
            (_, line) =>
              `Paragraph ${line} of file ${at} speaks of number ${at * 977 + line}, ${'and of more '.repeat(20)}.`,
          ).join('\n\n'),
        ]),
      );
      const id = await send(server, many);
      const cancelled = await server.call('POST', `/v1/indexes/${id}/cancel`, {});
      assert.equal(cancelled.body.status, 'CANCELLED');
      const states = new Set((await filesOf(server, id)).map(({ state }) => state));
      assert.ok(states.has('cancelled') && !states.has('waiting') && !states.has('reading'), [...states].join());
      const added = await server.call('POST', `/v1/indexes/${id}/files`, {
        body: documentForm({ 'travel.txt': travel }),
      });
      assert.equal(added.status, 200);
      assert.equal((await atRest(server, id)).ready, true);
    });
  });

  describe('an index', () => {
    it('is renamed, listed and deleted with all its data', async () => {
      const id = await built(server, { 'travel.txt': travel, 'handbook.pdf': pdf }, { name: 'first' });
      const other = await built(server, { 'library.md': library }, { name: 'second' });
      assert.equal((await server.call('PATCH', `/v1/indexes/${id}`, { body: { name: 'second' } })).status, 497);
      assert.equal((await server.call('PATCH', `/v1/indexes/${id}`, { body: { name: 'third' } })).body.name, 'third');
      const list = async () => (await server.call('GET', '/v1/indexes')).body.indexes.map((index: any) => index.job_id);
      assert.ok((await list()).includes(id));
      const files = async () => (await readdir(join(server.home, 'files/documents'))).length;
      const tables = async () => (await readdir(join(server.home, 'vectors'))).length;
      const [blobs, vectors] = [await files(), await tables()];
      assert.deepEqual((await server.call('DELETE', `/v1/indexes/${id}`)).body, { deleted: id });
      assert.equal((await server.call('GET', `/v1/indexes/${id}`)).status, 404);
      assert.deepEqual([await files(), await tables()], [blobs - 2, vectors - 1]);
      assert.ok((await list()).includes(other));
    });

    it('streams events as they happen', async () => {
      const id = await send(server, { 'travel.txt': travel });
      const { body } = await server.call('GET', `/v1/indexes/${id}/events`);
      const events = body.match(/^data: .*$/gm).map((line: string) => JSON.parse(line.slice(6)));
      assert.deepEqual(
        events.filter(({ kind }: any) => kind === 'status').map(({ status }: any) => status),
        ['CREATED', 'COMPLETED'],
      );
      assert.ok(events.some(({ text }: any) => text === 'Read travel.txt'));
      const rest = await server.call('GET', `/v1/indexes/${id}/events?after=${events.at(-2).id}`);
      assert.match(rest.body, /COMPLETED/);
      assert.doesNotMatch(rest.body, /CREATED/);
      const resumed = await server.call('GET', `/v1/indexes/${id}/events`, {
        headers: { 'last-event-id': String(events.at(-2).id) },
      });
      assert.equal(resumed.body, rest.body);
    });

    it('streams events before indexing is done', async () => {
      const text = Array.from({ length: 3000 }, (_, at) => `## ${at}\n\nIt plays piece ${at * 977}.\n`).join('\n');
      const id = await send(server, { 'long.md': text });
      const response = await fetch(`${server.url}/v1/indexes/${id}/events`, {
        headers: { authorization: `Bearer ${adminKey}` },
      });
      let stream = '';
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        stream += piece;
        if (/"text":"\d+ passages embedded"/.test(stream)) break;
      }
      assert.equal((await server.call('GET', `/v1/indexes/${id}`)).body.status, 'LOADING DATA');
      assert.equal((await server.call('DELETE', `/v1/indexes/${id}`)).status, 200);
    });

    it('can be created empty and then finds nothing', async () => {
      const created = await server.call('POST', '/v1/indexes', { body: { model_name: 'lorekeep/quill' } });
      const id = created.body.job_id;
      assert.equal((await atRest(server, id)).status, 'COMPLETED');
      assert.deepEqual((await ask(server, id, 'Anything?')).body.outputs, ['The documents do not say.']);
      assert.deepEqual((await server.call('POST', '/alpha/memory-rag/suggestions', { body: { job_id: id } })).body, []);
    });

    it('does not exist for another account', async () => {
      const id = await built(server, { 'travel.txt': travel }, { name: 'mine' });
      const [file] = await filesOf(server, id);
      const { key } = await server.member(`stranger ${crypto.randomUUID()}`);
      const calls: [string, string, object?][] = [
        ['POST', '/alpha/memory-rag/status', { job_id: id }],
        ['GET', `/alpha/memory-rag/status?job_id=${id}`],
        ['POST', '/alpha/memory-rag/completions', { job_id: id, prompt: 'Who?' }],
        ['POST', '/alpha/memory-rag/add-index', { job_id: id, prompt: 'x' }],
        ['POST', '/alpha/memory-rag/suggestions', { job_id: id }],
        ['GET', `/alpha/memory-rag/training_log/${id}`],
        ['GET', `/v1/indexes/${id}`],
        ['PATCH', `/v1/indexes/${id}`, { name: 'theirs' }],
        ['DELETE', `/v1/indexes/${id}`],
        ['POST', `/v1/indexes/${id}/cancel`],
        ['GET', `/v1/indexes/${id}/files`],
        ['GET', `/v1/indexes/${id}/files/${file!.id}`],
        ['GET', `/v1/indexes/${id}/files/${file!.id}/passages`],
        ['GET', `/v1/indexes/${id}/files/${file!.id}/download`],
        ['DELETE', `/v1/indexes/${id}/files/${file!.id}`],
        ['POST', `/v1/indexes/${id}/search`, { query: 'travel' }],
        ['GET', `/v1/indexes/${id}/events`],
        ['POST', `/v1/indexes/${id}/files`, documentForm({ 'theirs.txt': 'x' })],
        ['PATCH', `/v1/indexes/${id}/files/${file!.id}`, { metadata: { a: 1 } }],
      ];
      for (const [method, path, body] of calls) {
        const answer = await server.call(method, path, { key, ...(body && { body }) });
        assert.deepEqual([answer.status, answer.body.code], [404, 'index_not_found'], `${method} ${path}`);
      }
      assert.deepEqual(await filesOf(server, id), [file]);
      for (const model of [`index/${id}`, 'index/mine']) {
        const chat = await server.call('POST', '/inf/chat/completions', {
          key,
          body: { model, messages: [{ role: 'user', content: 'Who?' }] },
        });
        assert.equal(chat.status, 404);
      }
      assert.deepEqual((await server.call('GET', '/v1/indexes', { key })).body.indexes, []);
      // The file number of this index is not accessible through their own index.
      const theirs = await send(server, { 'own.txt': 'The moon is grey.' }, {}, key);
      await atRest(server, theirs, key);
      const crossed = await server.call('POST', `/v1/indexes/${theirs}/search`, {
        key,
        body: { query: 'travel', filter: { file_ids: [file!.id] } },
      });
      assert.deepEqual(crossed.body.passages, []);
      assert.equal((await server.call('GET', `/v1/indexes/${theirs}/files/${file!.id}`, { key })).status, 404);
    });
  });
});
