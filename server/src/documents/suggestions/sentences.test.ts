// Questions generated from sentences and tables, and texts that yield none.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DocumentReader, defaultPassageLimits, type Passage } from '@lorekeep/reader';
import { embedderTokenizer } from '../../../../reader/src/testing/embedder.ts';
import { englishFaultsOf } from '../../../../reader/src/testing/english.ts';
import { testFolder } from '../../../../reader/src/testing/reading.ts';
import { checkout } from '../../config/settings.ts';
import { hashOf, isGrounded } from './grounded.ts';
import { questionsOf } from './sentences.ts';

const passage = (text: string, more: Partial<Passage> = {}) => ({ text, headings: [] as string[], ...more }) as Passage;
const asked = (text: string, more: Partial<Passage> = {}) =>
  questionsOf(passage(text, more)).map(({ question, answer }) => `${question} = ${answer}`);

describe('questions from a sentence', () => {
  const expected: Record<string, string[]> = {
    'The Brimoor library opens at 9 am.': ['When does the Brimoor library open? = 9 am'],
    'The library opens at 9:30 and closes at 8 pm on weekdays.': [
      'When does the library open? = 9:30',
      'When does the library close? = 8 pm',
    ],
    'The lighthouse was built in 1871 by Emil Sato.': [
      'When was the lighthouse built? = 1871',
      'Who was the lighthouse built by? = Emil Sato',
    ],
    'The yearly fair is held in Nordhaven.': ['Where is the yearly fair held? = Nordhaven'],
    'The code of the red valve is RV-2207.': ['What is the code of the red valve? = RV-2207'],
    'The travel budget is 4,000 dollars a year.': ['What is the travel budget? = 4,000 dollars a year'],
    'A day pass costs 12 dollars.': ['How much does a day pass cost? = 12 dollars'],
    'Tickets cost 5 dollars each.': ['How much do tickets cost? = 5 dollars each'],
    'Dana Reyes approves travel expenses.': ['Who approves travel expenses? = Dana Reyes'],
    'Mira Tolland is the treasurer of the rowing club.': ['Who is the treasurer of the rowing club? = Mira Tolland'],
    'The treasurer of the rowing club is Mira Tolland.': ['Who is the treasurer of the rowing club? = Mira Tolland'],
    'The lifeguard of Nordhaven is called Ilse Brandt.': ['What is the lifeguard of Nordhaven called? = Ilse Brandt'],
    'Check-in starts at 3 pm. Bring an identity card for Check-in.': ['When does Check-in start? = 3 pm'],
    'A flange is a rim that holds two pipes together.': ['What is a flange? = a rim that holds two pipes together'],
    'Node.js is a runtime for programs.': ['What is Node.js? = a runtime for programs'],
  };
  for (const [sentence, questions] of Object.entries(expected))
    test(sentence, () => {
      assert.deepEqual(asked(sentence), questions);
      for (const { question, answer } of questionsOf(passage(sentence))) {
        assert.deepEqual(englishFaultsOf(question), []);
        assert.ok(isGrounded({ question, answer }, sentence), question);
      }
    });

  test('skip fragments, references to earlier text, and other languages', () => {
    for (const sentence of [
      ...['It is red.', 'This is so.', 'There are many.', 'x'.repeat(5000), '', '🙂 is 🙂.', 'Ada Quist runs it.'],
      'After the server is started a file is written.',
      'Options are given by name.',
      'Dana Reyes is a climber.',
      'The file is a list of names.',
      'The default is 0.',
      'The first of these is 12.',
      'Setting the option costs 12 dollars.',
      'The option, which is old, costs 12 dollars.',
      'The count starts at 1.',
      'The valve was opened in 1024 places.',
      'Every member costs 12 dollars.',
      'The usually open gate costs 12 dollars.',
      'Parking is a problem of everybody.',
    ])
      assert.deepEqual(asked(sentence), [], sentence.slice(0, 60));
  });
});

describe('questions from a table', () => {
  test("ask for a column of the row's subject", () => {
    const rows = 'Room | Price | Hours\nSauna | 12 dollars | 9 to 5\nPool | 8 dollars | 7 to 9';
    assert.deepEqual(asked(rows), [
      'What is the price of Sauna? = 12 dollars',
      'What is the price of Pool? = 8 dollars',
      'What are the hours of Sauna? = 9 to 5',
      'What are the hours of Pool? = 7 to 9',
    ]);
    assert.deepEqual(asked('Sauna | Ada', { header: 'Room | Keeper' }), ['What is the keeper of Sauna? = Ada']);
  });

  test('skip tables without column names and rows without a name', () => {
    for (const rows of [
      'Ada | nurse\nBen | cook',
      'Room | Price\nPool | 1\nPool | 2',
      'Room | Is open\nPool | 1',
      '1 | 2\n3 | 4',
    ])
      assert.deepEqual(asked(rows), [], rows);
  });
});

test('the first sentence under a heading is used last', () => {
  const [first, last] = asked('The sauna opens at 9 am. Bring a towel with you.', {
    headings: ['The warm rooms'],
    title: 'Handbook',
  });
  assert.equal(first, 'When does the sauna open? = 9 am');
  assert.equal(last, 'What is said under "The warm rooms" in "Handbook"? = The sauna opens at 9 am');
});

test('questions from real manuals are many, and all in English', {
  skip: embedderTokenizer ? false : 'the engine is not set up',
}, async () => {
  const manuals = [
    ...globSync('node_modules/*/README.md', { cwd: checkout }).map((path) => join(checkout, path)),
    ...globSync('/usr/share/doc/{valgrind,shared-mime-info,libxml2*}/**/*.html'),
  ].filter((path, at) => at % 20 === 0 && readFileSync(path).length < 200_000);
  const limits = defaultPassageLimits;
  const reader = new DocumentReader({
    scratch: join(await testFolder(), 'manuals'),
    passages: { tokenizer: embedderTokenizer!, limits },
  });
  const found = new Map<string, string>();
  try {
    for (const path of manuals)
      for await (const one of reader.read({ path, name: path }))
        if (one.type === 'passage')
          for (const suggestion of questionsOf(one))
            if (isGrounded(suggestion, [...one.headings, one.header, one.text].join('\n')))
              found.set(hashOf(suggestion.question), suggestion.question);
  } finally {
    await reader.close();
  }
  assert.ok(found.size >= 20, `${found.size} questions of ${manuals.length} manuals`);
  for (const question of found.values()) assert.deepEqual(englishFaultsOf(question), [], question);
});
