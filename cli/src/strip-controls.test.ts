// Sanitized output: text from a server cannot move the cursor or change the colours of a terminal, in any command.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answersWith, startScripted } from '../../client/src/testing/scripted-server.ts';
import { run } from './testing/program.ts';

const evil = '\x1b[2J\x1b]0;mine\x07red\u009b31m\nnext\tcell';
/** A hostile text, used for every text of an answer. */
const one = {
  id: 1,
  job_id: 1,
  dataset_id: 'a'.repeat(64),
  name: evil,
  key_name: evil,
  prefix: evil,
  model_name: evil,
  custom_model_name: evil,
  base_model: evil,
  day: evil,
  status: evil,
  source: evil,
  scopes: [evil],
  targets: [{ name: evil, exact: 1 }],
  history: '[]',
  input: evil,
  output: evil,
  recalled: true,
  first_rows: [{ input: evil, output: evil }],
  progress: { files: 1, passages: 1, facts_total: 1, facts_done: 1 },
  created_at: '2026-11-21T09:30:00.000Z',
  requests: 1,
  rows: 1,
  bytes: 1,
  facts: 1,
  facts_recalled: 1,
  prompt_tokens: 1,
  completion_tokens: 1,
  slot_seconds: 1,
};
const lists = Object.fromEntries(
  ['datasets', 'keys', 'models', 'indexes', 'evaluations', 'usage'].map((name) => [name, [one]]),
);

describe('names from a server', () => {
  it('are shown as text, each in its own row', async () => {
    const page = answersWith(200, { ...one, ...lists, total: one, next: null });
    const bare = answersWith(200, [one]);
    for (const [turn, words, lines] of [
      [page, ['datasets', 'list'], 2],
      [page, ['datasets', 'show', 'a'.repeat(64)], undefined],
      [page, ['keys', 'list'], 2],
      [page, ['models', 'tuned'], 2],
      [answersWith(200, { facts: [one], next: null }), ['models', 'facts', 'x'], undefined],
      [page, ['index', 'list'], 2],
      [page, ['eval', 'list'], 2],
      [page, ['usage'], 3],
      [
        (request, response) => (request.url!.startsWith('/v1/models') ? page : bare)(request, response),
        ['models', 'list'],
        3,
      ],
      [bare, ['jobs', 'list'], 2],
      [page, ['datasets', 'list', '--json'], 1],
      [answersWith(400, { detail: evil, code: 'x' }), ['jobs', 'list'], undefined],
    ] as [Parameters<typeof startScripted>[0], string[], number | undefined][]) {
      const server = await startScripted(turn);
      const { out, error } = await run(words, { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: 'lk_x' });
      await server.end();
      const printed = out + error;
      assert.match(printed, /red/, words.join(' '));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
      assert.doesNotMatch(printed, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, words.join(' '));
      if (lines !== undefined)
        assert.equal(printed.trimEnd().split('\n').length, lines, `${words.join(' ')}: ${printed}`);
    }
  });
});
