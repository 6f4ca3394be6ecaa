// Every command with --json against a real server: the output is JSON and the exit code is the documented one. This server has no
// engine, so that commands that ask a model are refused; cli.test.ts tests their answers.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import { commands, findCommand } from './commands.ts';
import { exitCodes } from './exit.ts';
import { readLogin } from './login.ts';
import { onTerminal, programOf, run, runProgram } from './testing/program.ts';

const { done, failed, unreachable, missing, ended } = exitCodes;

describe('every command', () => {
  let server: TestServer;
  let home: string;
  let environment: Record<string, string>;
  const ran = new Set<string>();
  before(async () => {
    const none = Promise.reject(new Error('no Python'));
    none.catch(() => {});
    server = await startServer({}, none);
    home = await mkdtemp(join(tmpdir(), 'lorekeep-every-'));
    environment = { LOREKEEP_BASE_URL: server.url, HOME: home };
    await writeFile(join(home, 'facts.csv'), 'input,output\nWho founded Zorbex?,Ada Quist\n');
    await writeFile(join(home, 'two.csv'), 'input,output\nWho founded Zorbex?,Ada Quist\nWho runs Zorbex?,Ben Oru\n');
    await writeFile(join(home, 'valves.md'), '# Valves\n\nThe code of the red valve is RV-2207.\n');
  });
  after(async () => {
    await server.end();
    await rm(home, { recursive: true });
  });
  const file = (name: string) => join(home, name);

  /** Runs a command; returns the last line that it printed. */
  const ends = async (code: number, words: string[], input = '') => {
    const { command } = findCommand(words)!;
    ran.add(command.name);
    const outcome = await run([...words, '--json'], environment, input);
    const about = `${words.join(' ')}\n${outcome.out}${outcome.error}`;
    assert.equal(outcome.code, code, about);
    const values = outcome.out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    if (code === done) assert.deepEqual([values.length > 0, outcome.error], [true, ''], about);
    else assert.equal(typeof JSON.parse(outcome.error.trim().split('\n').at(-1)!).error.code, 'string', about);
    return values.at(-1);
  };

  it('stores a login that is typed on a terminal without echo, and removes it', async () => {
    const wrong = onTerminal(['login'], environment);
    await wrong.until(/The key for http/);
    wrong.type('lk_wrong\r');
    assert.equal(await wrong.ended, 4, wrong.output());
    const left = onTerminal(['login'], environment);
    await left.until(/The key for http/);
    left.type('lk_half\x03');
    assert.equal(await left.ended, 130, left.output());
    assert.equal(readLogin({ HOME: home }), undefined);
    const login = onTerminal(['login'], environment);
    await login.until(/The key for http/);
    login.type(`${adminKey}x\x7f\r`);
    assert.equal(await login.ended, 0, login.output());
    assert.match(login.output(), /Logged in at http:\/\/127\.0\.0\.1:\d+ as/);
    assert.ok(!(wrong.raw() + left.raw() + login.raw()).match(/lk_|test-admin/), 'nothing of a key is shown');
    assert.deepEqual(readLogin({ HOME: home }), { url: server.url, key: adminKey });
    const { out } = await run(['logout'], environment);
    assert.match(out, new RegExp(`still works: lorekeep keys revoke ID --url ${server.url} ends it`));
    assert.equal(readLogin({ HOME: home }), undefined);
    assert.equal((await ends(done, ['login'], `${adminKey}\n`)).url, server.url);
  });

  it('prints JSON for keys, usage and states', async () => {
    const created = await ends(done, ['keys', 'create', 'script', '--scopes', 'read', '--expires', '30d']);
    assert.deepEqual([created.name, created.scopes], ['script', ['read']]);
    const next = await ends(done, ['keys', 'rotate', String(created.id), '--grace', '0s']);
    assert.notEqual(next.key, created.key);
    assert.equal((await ends(done, ['keys', 'revoke', String(next.id)])).status, 'revoked');
    assert.ok((await ends(done, ['keys'])).some(({ name }: { name: string }) => name === 'script'));
    assert.equal((await ends(done, ['usage'])).total.requests, 0);
    assert.ok((await ends(ended, ['doctor'])).length > 3);
  });

  it('prints JSON for datasets', async () => {
    const { dataset_id: id } = await ends(done, ['datasets', 'upload', file('facts.csv'), '--name', 'founders']);
    assert.equal((await ends(done, ['datasets', 'list']))[0].name, 'founders');
    assert.equal((await ends(done, ['datasets', 'show', id.slice(0, 8)])).rows, 1);
    assert.equal((await ends(done, ['datasets', 'download', id, file('rows.jsonl')])).file, file('rows.jsonl'));
    assert.match(await readFile(file('rows.jsonl'), 'utf8'), /Ada Quist/);
    assert.equal((await ends(done, ['datasets', 'conflicts', id])).total, 0);
    // A single row needs no comparison; two rows need the engine.
    assert.equal((await ends(done, ['datasets', 'conflicts', id, '--reworded'])).compared, 1);
    const { dataset_id: two } = await ends(done, ['datasets', 'upload', file('two.csv')]);
    await ends(unreachable, ['datasets', 'conflicts', two, '--reworded']);
    await ends(done, ['datasets', 'delete', id]);
    await ends(missing, ['datasets', 'show', id]);
  });

  it('prints JSON for memories', async () => {
    assert.deepEqual(await ends(done, ['memory', 'list']), []);
    await ends(missing, ['memory', 'create', 'house', '--model', 'none', '--reason', 'to try']);
    await ends(missing, ['memory', 'create', 'house', '--job', '999']);
    for (const words of [
      ['add', 'Who?', 'She'],
      ['change', 'Who?', 'He'],
      ['withdraw', 'Who?', 'Why?'],
    ])
      await ends(missing, ['memory', words[0]!, 'house', ...words.slice(1), '--reason', 'so', '--expected', '1']);
    for (const words of [['move'], ['move', 'org/base', '--reason', 'so', '--expected', '1', '--watch']])
      await ends(missing, ['memory', words[0]!, 'house', ...words.slice(1)]);
    for (const words of [['facts', 'word'], ['changes'], ['compare', '1', '2'], ['publish', '1'], ['delete']])
      await ends(missing, ['memory', words[0]!, 'house', ...words.slice(1)]);
    const about = [
      '--from',
      '2026-01-01',
      '--until',
      '2026-12-31',
      '--document',
      'a.pdf',
      '--page',
      '2',
      '--quote',
      'She',
    ];
    await ends(missing, ['memory', 'add', 'house', 'Who?', 'She', ...about]);
    await ends(missing, ['memory', 'apply', 'house', 'a'.repeat(64), '--dry-run']);
    await ends(missing, ['memory', 'change', 'house', 'Who?', 'She', '--until', 'none', '--person', 'Dov']);
    await ends(missing, ['memory', 'facts', 'house', '--valid-at', '2026-01-01', '--source', 'person']);
    await ends(exitCodes.usage, ['memory', 'add', 'house', 'Who?', 'She', '--page', '2']);
    await ends(failed, ['memory', 'add', 'house', 'Who?', 'She', '--from', 'soon', '--beside']);
    await ends(exitCodes.usage, ['memory', 'add', 'house', 'Who?', 'She', '--replace', '--beside']);
    const filters = ['--source-name', 'a.pdf', '--dataset', 'a'.repeat(64), '--all', '--limit', '2', '--after', '9'];
    await ends(missing, ['memory', 'facts', 'house', ...filters]);
    await ends(exitCodes.usage, ['memory', 'facts', 'house', '--all', '--withdrawn']);
    await ends(missing, ['memory', 'publish', 'house', '1', '--expected', '2']);
    await ends(exitCodes.usage, ['memory', 'publish', 'house', 'first']);
    for (const words of [[], ['--answers'], ['--on', file('facts.csv')], ['--answers', '--right', 'before']])
      await ends(missing, ['memory', 'compare', 'house', '1', '2', ...words]);
    for (const words of [
      ['--right', 'before'],
      ['--answers', '--right', 'both'],
    ])
      await ends(exitCodes.usage, ['memory', 'compare', 'house', '1', '2', ...words]);
    for (const words of [[], ['--set', file('facts.csv'), '--exact', '1'], ['--remove'], ['--version', '1']])
      await ends(missing, ['memory', 'gate', 'house', ...words]);
    for (const words of [
      ['--exact', '1'],
      ['--remove', '--version', '1'],
    ])
      await ends(exitCodes.usage, ['memory', 'gate', 'house', ...words]);
  });

  it('prints JSON for erasures and receipts', async () => {
    const usage = exitCodes.usage;
    await ends(missing, ['memory', 'erase', 'house', 'Who?', 'Why?', '--reason', 'asked', '--watch']);
    await ends(missing, ['memory', 'erase', 'house', '--about', 'Zorbex', '--dry-run']);
    await ends(missing, ['memory', 'erase', 'house', '--about', 'Zorbex', '--digest', 'a'.repeat(64)]);
    await ends(usage, ['memory', 'erase', 'house', '--about', 'Zorbex']);
    await ends(usage, ['memory', 'erase', 'house']);
    await ends(missing, ['memory', 'erase', 'house', '--again', '2']);
    await ends(usage, ['memory', 'erase', 'house', 'Who?', '--again', '2']);
    await ends(missing, ['memory', 'erasures', 'house']);
    await ends(missing, ['memory', 'verify', 'house', '1', '--experts', '2', '--seed', '7']);
    await ends(usage, ['memory', 'verify', 'house', 'first']);
    assert.deepEqual(await ends(done, ['receipts', 'list']), []);
    await ends(missing, ['receipts', 'show', '1', file('receipt.json')]);
    assert.equal((await ends(done, ['receipts', 'key', file('key.pem')])).file, file('key.pem'));
    await ends(usage, ['receipts', 'key', file('key.pem')]);
    const { fingerprint } = await ends(done, ['receipts', 'key']);
    const { readFileSync } = await import('node:fs');
    const { createPrivateKey, createHash, sign } = await import('node:crypto');
    const key = createPrivateKey(readFileSync(join(server.home, 'receipt-key.pem')));
    const salt = 'ab';
    const facts = [createHash('sha256').update(`${salt}["Who?","She"]`).digest('hex')];
    const body = `{"facts":${JSON.stringify(facts)},"gone":true,"memory":"house","number":1,"salt":"${salt}"}`;
    const signed = {
      receipt: JSON.parse(body),
      signature: sign(null, Buffer.from(body), key).toString('base64'),
      fingerprint,
    };
    await writeFile(file('receipt.json'), JSON.stringify(signed));
    const verify = ['receipts', 'verify', file('receipt.json'), '--key', file('key.pem')];
    assert.equal((await ends(done, [...verify, '--question', 'Who?', '--answer', 'She'])).sound, true);
    await ends(failed, [...verify, '--question', 'Who?', '--answer', 'He']);
    await ends(usage, [...verify, '--question', 'Who?']);
    await writeFile(file('changed.json'), JSON.stringify({ ...signed, receipt: { ...signed.receipt, number: 2 } }));
    await ends(failed, ['receipts', 'verify', file('changed.json'), '--key', file('key.pem')]);
    await ends(usage, ['receipts', 'verify', file('facts.csv'), '--key', file('key.pem')]);
  });

  it('prints JSON for proposals of memories', async () => {
    for (const words of [
      ['proposals', 'house', 'word', '--state', 'all', '--kind', 'person', '--confidence', '0.5'],
      ['propose', 'house', 'Who?', 'She', '--quote', 'She', '--document', 'a.md', '--page', '2', '--assignee', 'Maya'],
      ['accept', 'house', '1', '--answer', 'He', '--question', 'Who else?', '--reason', 'so'],
      ['accept', 'house', '--all', '--kind', 'document'],
      ['reject', 'house', '1', '2', '--reason', 'so'],
      ['assign', 'house', 'Maya', '1'],
      ['retract', 'house', '1', '--reason', 'so'],
      ['read', 'house', '1', '2', '--confidence', '0.9', '--assignee', 'Maya', '-w'],
      ['read', 'house', 'manuals'],
      ['readings', 'house'],
      ['conflicts', 'house', 'Who?', 'She', '--propose'],
    ])
      await ends(missing, ['memory', ...words]);
    for (const words of [
      ['accept', 'house'],
      ['accept', 'house', 'first'],
      ['accept', 'house', '1', '2', '--answer', 'He'],
      ['reject', 'house', '1'],
      ['read', 'house', '1', 'two'],
      ['assign', 'house', 'Maya', '1', '--all'],
    ])
      await ends(exitCodes.usage, ['memory', ...words]);
  });

  it('prints JSON for feedback', async () => {
    const answer = `chatcmpl-${'1'.repeat(32)}`;
    await ends(missing, ['feedback', 'give', answer, 'down', '--expected', 'She']);
    const named = ['--model', 'house', '--question', 'Who?', '--comment', 'no'];
    assert.equal(
      (await ends(done, ['feedback', 'give', answer, 'down', '--expected', 'She', ...named])).proposal,
      null,
    );
    await ends(exitCodes.usage, ['feedback', 'give', answer, 'sideways']);
    assert.equal((await ends(done, ['feedback', 'list', '--rating', 'down'])).length, 1);
    assert.deepEqual(await ends(done, ['feedback', 'keep', '7']), { decision_days: 7 });
    assert.deepEqual(await ends(done, ['feedback', 'keep']), { decision_days: 7 });
    assert.deepEqual(await ends(done, ['feedback', 'keep', 'none']), { decision_days: null });
    await ends(exitCodes.usage, ['feedback', 'keep', 'long']);
  });

  it('prints JSON for the audit log', async () => {
    const [row] = await ends(done, ['audit', 'list', '--action', 'key', '--limit', '1']);
    assert.match(row.action, /^key\./);
    const { last } = await ends(done, ['audit', 'verify']);
    await ends(done, ['audit', 'verify', '--noted', `${last.number}:${last.hash}`]);
    await ends(failed, ['audit', 'verify', '--noted', `${last.number}:${'f'.repeat(64)}`]);
    assert.equal((await ends(done, ['audit', 'export', file('audit.jsonl')])).file, file('audit.jsonl'));
    assert.match(await readFile(file('audit.jsonl'), 'utf8'), /"action":"key\.created"/);
  });

  it('prints JSON for evaluations', async () => {
    const started = await ends(done, ['eval', file('facts.csv'), '-m', 'lorekeep/quill', '--detach']);
    const id = String(started.evaluation_id);
    await ends(done, ['eval', 'cancel', id]);
    assert.equal((await ends(ended, ['eval', 'show', id])).status, 'cancelled');
    assert.equal((await ends(done, ['eval', 'list'])).length, 1);
    await ends(done, ['eval', 'download', id, file('answers.csv')]);
    await ends(done, ['eval', 'delete', id]);
  });

  it('prints JSON for indexes', async () => {
    const { job_id } = await ends(done, ['index', file('valves.md'), '--name', 'valves', '--detach']);
    const id = String(job_id);
    const [valves] = await ends(done, ['index', 'files', id]);
    await ends(done, ['index', 'download', id, String(valves.id), file('copy.md')]);
    assert.equal(await readFile(file('copy.md'), 'utf8'), await readFile(file('valves.md'), 'utf8'));
    await ends(done, ['index', 'cancel', id]);
    assert.equal((await ends(ended, ['index', 'watch', id])).job_id, job_id);
    assert.equal((await ends(done, ['index', 'show', id])).name, 'valves');
    assert.equal((await ends(done, ['index', 'list'])).length, 1);
    await ends(done, ['index', 'remove', id, String(valves.id)]);
    await ends(done, ['index', 'delete', id]);
    await ends(missing, ['index', 'search', id, 'valve']);
    await ends(missing, ['index', 'suggest', id]);
  });

  it('prints JSON for existing and missing models and jobs', async () => {
    for (const words of ['models list', 'models known', 'models tuned', 'jobs list', 'jobs cancel --all'])
      await ends(done, words.split(' '));
    for (const words of [
      'facts none',
      'forget none What?',
      'move none org/base',
      'name none other',
      'set none',
      'delete none',
    ])
      await ends(missing, ['models', ...words.split(' ')]);
    for (const word of ['show', 'watch', 'cancel', 'resume', 'logs']) await ends(missing, ['jobs', word, '999']);
    await ends(missing, ['sweep', 'show', '999']);
    await ends(missing, ['export', 'none', file('none.tar')]);
    await ends(unreachable, ['import', file('facts.csv')]);
  });

  it('reports problems of chat before the first question', async () => {
    for (const [code, words, own] of [
      [unreachable, ['chat', '--url', 'http://127.0.0.1:9'], {}],
      [exitCodes.refused, ['chat'], { LOREKEEP_API_KEY: 'lk_wrong' }],
      [missing, ['chat', '-m', 'nobody'], {}],
      [missing, ['chat', '-m', 'index/none'], {}],
    ] as const) {
      const asked = onTerminal([...words], { ...environment, ...own });
      assert.equal(await asked.ended, code, asked.output());
      assert.match(asked.output(), /Error: /);
      assert.doesNotMatch(asked.output(), /›/);
    }
  });

  it('is listed by its group', async () => {
    for (const words of [['models'], ['models', '--help'], ['models', '-h'], ['help', 'models']]) {
      const { code, out, error } = await run(words, environment);
      assert.deepEqual([code, error], [0, ''], words.join(' '));
      assert.match(
        out,
        /^lorekeep models COMMAND\n[\s\S]*^ {2}lorekeep models known +\S.*\n[\s\S]*^ {2}lorekeep models delete/m,
      );
      assert.ok(!out.includes('lorekeep jobs'));
    }
    const both = await run(['index', '--help'], environment);
    assert.match(both.out, /^lorekeep index FILE\.\.\. \[options\][\s\S]*^ {2}lorekeep index search /m);
    assert.equal((await run(['index'], environment)).code, exitCodes.usage, 'a command that lacks its files');
    assert.match((await run(['models', 'list', '--help'], environment)).out, /^lorekeep models list\n/);
    assert.match((await run(['help', 'models', 'list'], environment)).out, /^lorekeep models list\n/);
  });

  it('suggests the nearest command for a typo', async () => {
    for (const [words, meant] of [
      [['modls', 'list'], 'models'],
      [['jobs', 'wacth', '1'], 'jobs watch'],
      [['help', 'jbos'], 'jobs'],
      [['tune', 'x.csv', '--pln'], '--plan'],
      [['tune', 'x.csv', '--gate', 'strct'], 'strict'],
      [['models', 'download', 'SmolLM2-1.7B-Instrct'], 'HuggingFaceTB/SmolLM2-1.7B-Instruct'],
    ] as const) {
      const { code, error } = await run([...words], environment);
      assert.equal(code, exitCodes.usage, error);
      assert.ok(error.includes(`Did you mean "${meant}"?`), error);
    }
    const model = await run(['chat', '-m', 'lorekeep/quil'], environment, 'Who?\n');
    assert.equal(model.code, missing);
    assert.equal(
      model.error.trim(),
      'Error: There is no model "lorekeep/quil" here. Did you mean "lorekeep/quill"? lorekeep models list shows the existing ones.',
    );
    const far = await run(['deploy'], environment);
    assert.doesNotMatch(far.error, /Did you mean/);
    assert.match((await run(['models', 'download'], environment)).error, /needs NAME\. "models known" lists/);
  });

  it('runs the engine if a command needs one', async () => {
    const sweep = await ends(done, ['sweep', file('facts.csv'), '--detach']);
    await ends(done, ['jobs', 'cancel', String(sweep.job_id)]);
    await Promise.all([
      ends(unreachable, ['tune', file('facts.csv')]),
      ends(missing, ['ask', '-m', 'none', 'Who?']),
      ends(missing, ['chat', '-m', 'none'], 'Who?\n'),
      ends(failed, ['models', 'download', 'org/none']),
    ]);
  });

  it('reports a failed write of a result, and ignores a closed pipe', async () => {
    const within = (script: string, ...words: string[]) =>
      runProgram(['sh', '-c', script, 'sh', ...programOf(words)], environment);
    const full = await within('"$@" > /dev/full', '--version');
    assert.equal(full.code, failed, full.error);
    assert.match(full.error, /^Error: The result cannot be written: .*ENOSPC.*\n$/);
    const json = await within('"$@" > /dev/full', '--version', '--json');
    assert.deepEqual([json.code, JSON.parse(json.error).error.code], [failed, 'failed']);
    const left = await within('{ "$@"; echo "ended with $?" >&2; } | true', '--version');
    assert.equal(left.error, 'ended with 0\n');
  });

  it('was covered by the tests above', async () => {
    await ends(done, ['logout']);
    const never = commands.map(({ name }) => name).filter((name) => !ran.has(name));
    assert.deepEqual(never, ['completion'], 'what it prints is for a shell');
  });
});
