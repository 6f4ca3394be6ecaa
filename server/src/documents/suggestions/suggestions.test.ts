// Choice of suggested questions: grounded in a passage, those that the model answers first, and none repeated until all
// were returned.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, test } from 'node:test';
import type { Passage } from '@lorekeep/reader';
import type { ModelClient } from '../../inference/model-client.ts';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import { onDatabase, type TestDatabase } from '../../testing/databases.ts';
import { accountRecord } from '../../testing/records.ts';
import type { OwnIndex } from '../rows.ts';
import { hashOf, isGrounded, sameAnswer } from './grounded.ts';
import { Suggestions } from './suggestions.ts';

const text = 'The Brimoor library opens at 9 am. Ada Quist runs it. A flange is a rim that holds two pipes together.';

describe('a question is kept', () => {
  test('when its answer occurs in the passage, ignoring case and space', () => {
    assert.ok(isGrounded({ question: 'When does the Brimoor library open?', answer: '9 am' }, text));
    assert.ok(isGrounded({ question: 'What does the Brimoor library do?', answer: 'opens  at\n9 AM' }, text));
    assert.ok(
      isGrounded({ question: 'What is 图书馆 of Brimoor?', answer: '九点' }, 'The 图书馆 of Brimoor 早上九点开放'),
    );
  });

  test('unless the answer is invented, part of a word or given away, or the question is about something else', () => {
    for (const wrong of [
      { question: 'When does the Brimoor library open?', answer: '10 am' },
      { question: 'When does the Brimoor library open?', answer: 'Quis' },
      { question: 'Who runs the Brimoor library?', answer: 'da Quist' },
      { question: 'Does the Brimoor library open at 9 am?', answer: '9 am' },
      { question: 'Who painted the chapel ceiling?', answer: 'Ada Quist' },
      { question: 'When does the Brimoor library open?', answer: '' },
      { question: 'When does the Brimoor library open?', answer: '.' },
      { question: 'when does the library open', answer: '9 am' },
      { question: 'Who?', answer: 'Ada Quist' },
      { question: `When does the Brimoor library open${' library'.repeat(100)}?`, answer: '9 am' },
    ])
      assert.equal(isGrounded(wrong, text), false, JSON.stringify(wrong));
  });
});

test('case, space and punctuation do not distinguish questions or answers', () => {
  assert.equal(hashOf('When does the  Library open?'), hashOf('When does the library open ?'));
  assert.notEqual(hashOf('When does room 1 open?'), hashOf('When does room 2 open?'));
  assert.ok(sameAnswer('at 9 AM.', '9 am'));
  assert.ok(sameAnswer('It is a rim that holds two pipes together.', 'a rim that holds two pipes together'));
  assert.equal(sameAnswer('9 am', '10 am'), false);
  assert.equal(sameAnswer('', '9 am'), false);
});

onDatabase('suggestions', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let store: Store;
  let index: OwnIndex;
  beforeEach(async () => {
    database = await make();
    store = await openStore(database.url);
    index = await emptyIndex(store);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });
  const callContext = { accountId: 1, keyId: 1, signal: new AbortController().signal };
  const until = async (suggestions: Suggestions) => {
    const calls: string[][] = [];
    for (;;) {
      const found = await suggestions.suggest(index, callContext);
      if (found.length === 0) return calls;
      calls.push(found.map(({ question }) => question));
      assert.ok(found.length <= 5 && calls.length < 200);
    }
  };

  it('go through all passages, even if few of them yield a question', async () => {
    const lines = Array.from({ length: 300 }, (_, at) =>
      at % 10 === 3 ? `Room ${at} costs ${at + 5} dollars.` : `nothing can be asked of line ${at}`,
    );
    await fill(store, index, lines);
    const calls = await until(new Suggestions(store, cannotAsk));
    assert.equal(new Set(calls.flat()).size, 30);
    assert.equal(calls.flat().length, 30);
  });

  it("come first if the model's answer equals the passage's", async () => {
    await fill(
      store,
      index,
      Array.from({ length: 8 }, (_, at) => `Room ${at} costs ${at + 50} dollars.`),
    );
    // The model can answer for every other room.
    const modelClient = {
      ...cannotAsk,
      readingOf: async () => ({ context: 2048, characters: 900 }),
      answer: async (_: string, { messages }: { messages: { content: string }[] }) => {
        const [, room, dollars] = /Room (\d+) costs (\d+)/.exec(messages[0]!.content)!;
        return { text: Number(room) % 2 === 0 ? `${dollars} dollars` : 'The documents do not say.' };
      },
    } as unknown as ModelClient;
    const [first] = await until(new Suggestions(store, modelClient));
    const rooms = first!.map((question) => Number(/Room (\d+)/.exec(question)![1]) % 2);
    assert.deepEqual(
      rooms,
      rooms.toSorted((one, other) => one - other),
    );
    assert.equal(rooms.filter((odd) => odd === 0).length >= 3, true, first!.join());
  });

  it('are of different forms where the documents allow it', async () => {
    const table = (at: number) =>
      `Valve | Code | Colour | Weight | Maker\nV${at}1 | C-1 | red | 4 kg | Quist\nV${at}2 | C-2 | blue | 5 kg | Oru`;
    await fill(
      store,
      index,
      Array.from({ length: 12 }, (_, at) => table(at)),
    );
    const found = await new Suggestions(store, cannotAsk).suggest(index, callContext);
    assert.deepEqual(found.map(({ question }) => question.replace(/V\d+/, 'V')).sort(), [
      'What is the code of V?',
      'What is the code of V?',
      'What is the colour of V?',
      'What is the maker of V?',
      'What is the weight of V?',
    ]);
  });

  it('fall back to sentences if the model gives unusable output', async () => {
    const rooms = [1, 2, 3, 4];
    await fill(
      store,
      index,
      rooms.map((room) => `Room ${room} costs 12 dollars.`),
    );
    const outputs = ['no JSON', '{"question":"When', '{}', 'null'];
    const modelClient = {
      readingOf: async () => ({ context: 2048, characters: Number.POSITIVE_INFINITY }),
      answer: async () => ({ text: outputs.shift() ?? '' }),
    } as unknown as ModelClient;
    const found = await new Suggestions(store, modelClient).suggest(index, callContext);
    assert.deepEqual(
      found.map(({ question }) => question).sort(),
      rooms.map((room) => `How much does Room ${room} cost?`),
    );
  });

  it('are returned once each to concurrent callers', async () => {
    await fill(
      store,
      index,
      Array.from({ length: 40 }, (_, at) => `Room ${at} costs ${at + 50} dollars.`),
    );
    const suggestions = new Suggestions(store, cannotAsk);
    const found = await Promise.all(Array.from({ length: 4 }, () => suggestions.suggest(index, callContext)));
    const questions = found.flat().map(({ question }) => question);
    assert.equal(new Set(questions).size, questions.length);
    assert.ok(found.every((some) => some.length > 0));
  });

  it('stay available for the next caller if the first disconnected', async () => {
    await fill(store, index, ['Room 1 costs 12 dollars.']);
    const gone = { ...callContext, signal: AbortSignal.abort() };
    const suggestions = new Suggestions(store, cannotAsk);
    await assert.rejects(suggestions.suggest(index, gone));
    assert.equal((await suggestions.suggest(index, callContext)).length, 1);
  });
});

/** A model that does not answer. */
const cannotAsk = {
  readingOf: async () => {
    throw new Error('no model');
  },
  answer: async () => {
    throw new Error('no model');
  },
} as unknown as ModelClient;

async function emptyIndex(store: Store): Promise<OwnIndex> {
  const { account: account_id, key: key_id } = await accountRecord(store, 'a');
  return await store.db
    .insertInto('indexes')
    .values({
      ...{ account_id, key_id, name: null, model: 'm', embedder: 'e', vectors: 'v', status: 'COMPLETED', error: null },
      ...{ measured: '{}', cancel: 0, ready_at: 1, deleted_at: null, owner: null, created_at: 1, finished_at: 1 },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function fill({ db }: Store, { id: index_id }: OwnIndex, texts: string[]): Promise<void> {
  const { id: file_id } = await db
    .insertInto('index_files')
    .values({
      ...{ index_id, name: 'rooms.txt', sha256: 's', bytes: 1, blob: 'b', state: 'done', reason: null, kind: 'text' },
      ...{ title: null, pages_done: 0, pages: null, passages: texts.length, notices: '[]', metadata: '{}' },
      ...{ created_at: 1, finished_at: 1 },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = texts.map((text, number) => ({
    ...{ index_id, file_id, number, embedded: String(number) },
    passage: JSON.stringify({ number, text, headings: [], context: '' } as Partial<Passage>),
  }));
  await db.insertInto('index_passages').values(rows).execute();
}
