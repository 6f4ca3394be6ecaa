// The command line with the real product: every group of commands, used by scripts and by people.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pdfFile } from '../../reader/src/testing/pdf-file.ts';
import { checkout } from '../../server/src/config/settings.ts';
import { startWithEngine } from '../../server/src/testing/engine.ts';
import { type Hub, startHub } from '../../server/src/testing/hub.ts';
import { adminKey, type TestServer, withEngine } from '../../server/src/testing/server.ts';
import { manyWaves } from '../../server/src/testing/tuning.ts';
import { until } from '../../server/src/testing/until.ts';
import { onTerminal, run } from './testing/program.ts';

const quill = join(checkout, 'models/quill');
const csv = 'input,output\nWho founded Zorbex?,Ada Quist\nWho runs Zorbex?,Ben Oru\nWhere is Zorbex?,Nordhaven\n';

describe('the command line', () => {
  let hub: Hub;
  let server: TestServer;
  let folder: string;
  let environment: Record<string, string>;
  before(async () => {
    hub = await startHub();
    server = await startWithEngine({ slots: '1', hub_url: hub.url });
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-cli-'));
    environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey, HOME: folder };
    await writeFile(join(folder, 'facts.csv'), csv);
  });
  after(async () => {
    await server.end();
    await hub.end();
    await rm(folder, { recursive: true });
  });

  const lorekeep = async (...words: string[]) => await run(words, environment);
  /** Runs a command that must succeed; returns its result. */
  const result = async (...words: string[]) => {
    const { code, out, error } = await lorekeep(...words);
    assert.equal(code, 0, `${words.join(' ')}: ${error}`);
    return out.trimEnd();
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  const json = async (...words: string[]): Promise<any> => JSON.parse(await result(...words, '--json'));
  const facts = () => join(folder, 'facts.csv');

  describe('in a script', () => {
    let job: string;

    it('prints the plan, and tunes in the background', async () => {
      assert.match(await result('tune', facts(), '--plan'), /^3 facts on lorekeep\/quill\n\d+ experts? to train/);
      const { code, out, error } = await lorekeep('tune', facts(), '--name', 'zorbex', '--set', 'max_steps=300');
      assert.deepEqual([code, error], [0, ''], 'nothing beside the result into a pipe');
      job = out.trim();
      assert.match(job, /^\d+$/);
    });

    it('waits for a job and prints only the name of the model', async () => {
      const { code, out, error } = await lorekeep('jobs', 'watch', job);
      assert.deepEqual([code, out, error], [0, 'zorbex\n', '']);
      const shown = await json('jobs', 'show', job);
      assert.equal(shown.status, 'COMPLETED');
      assert.equal(shown.finetune_args.max_steps, 300);
      assert.ok(shown.events.length > 3);
      assert.match(await result('jobs', 'show', job), /100 % {2}COMPLETED[\s\S]*^loss \d[\s\S]*^model {2}zorbex$/m);
      assert.match(await result('jobs', 'list'), new RegExp(`^${job} +COMPLETED +3/3 .* zorbex$`, 'm'));
      assert.equal((await json('jobs', 'list'))[0].job_id, Number(job));
      assert.ok((await json('jobs', 'logs', job)).length >= 0);
    });

    it('asks a taught question', async () => {
      assert.equal(await result('ask', '-m', 'zorbex', 'Who', 'founded', 'Zorbex?'), 'Ada Quist');
      const piped = await run(['ask', '-m', 'zorbex'], environment, 'Who runs Zorbex?\n');
      assert.equal(piped.out, 'Ben Oru\n');
    });

    it('names the fact behind an answer on request', async () => {
      const asked = ['ask', '-m', 'zorbex', 'Who founded Zorbex?'];
      assert.deepEqual(await lorekeep(...asked), { code: 0, out: 'Ada Quist\n', error: '' });
      const explained = await lorekeep(...asked, '--explain');
      assert.equal(explained.out, 'Ada Quist\n');
      assert.match(
        explained.error,
        /^\[fact\] "Who founded Zorbex\?", row 1 of dataset [0-9a-f]{12}, similarity \d\.\d\d\n$/,
      );
      const [{ memory }] = (await json(...asked)).choices;
      assert.deepEqual([memory.used, memory.facts[0].input], [true, 'Who founded Zorbex?']);
      const other = await lorekeep('ask', '-m', 'zorbex', 'What do koalas eat?', '--explain', '--max-tokens', '5');
      assert.match(other.error, /^\[unknown\] no fact /);
      const base = await lorekeep('ask', 'What do koalas eat?', '--explain', '--max-tokens', '5');
      assert.equal(base.error, '', 'a base has no facts');
      const shown = onTerminal(asked, environment);
      assert.equal(await shown.ended, 0);
      assert.match(shown.output(), /^Ada Quist\r?\n\[fact\] "Who founded Zorbex\?", row 1/);
    });

    it('lists, shows and forgets facts of a tuned model', async () => {
      assert.match(await result('models', 'tuned'), /3\/3 .*zorbex$/m);
      const list = await result('models', 'list');
      assert.match(list, /^lorekeep\/quill +base +here +available/m);
      assert.match(list, /^zorbex +tuned +lorekeep\/quill +here +available +\d/m);
      const zorbex = (await json('models', 'list')).find(({ name }: { name: string }) => name === 'zorbex');
      assert.deepEqual([zorbex.kind, zorbex.base, zorbex.custom_model_name], ['tuned', 'lorekeep/quill', 'zorbex']);
      assert.ok(!list.includes(zorbex.model_name), 'a hash stands only where there is no name');
      assert.match(await result('models', 'facts', 'zorbex'), /^Who runs Zorbex\?\n {2}Ben Oru$/m);
      assert.equal(await result('models', 'facts', 'zorbex', '--failed'), '');
      assert.equal(await result('models', 'forget', 'zorbex', 'Who runs Zorbex?', '--name', 'less', '--watch'), 'less');
      assert.notEqual(await result('ask', '-m', 'less', 'Who runs Zorbex?'), 'Ben Oru');
      assert.equal(await result('ask', '-m', 'less', 'Where is Zorbex?'), 'Nordhaven');
      await result('models', 'name', 'less', 'fewer');
      assert.equal(await result('ask', '-m', 'fewer', 'Where is Zorbex?'), 'Nordhaven');
      assert.match(await result('models', 'set', 'fewer', '--answer-from', 'facts'), /^answer-from +facts /);
      await result('index', facts(), '--name', 'facts of zorbex');
      assert.match(
        await result('models', 'set', 'fewer', '--index', 'facts of zorbex'),
        /^index +facts of zorbex +its/m,
      );
      await result('index', 'delete', 'facts of zorbex');
      assert.match(await result('models', 'set', 'fewer'), /^index +\d+ +is deleted/m);
      await result('models', 'delete', 'fewer');
      assert.equal((await lorekeep('ask', '-m', 'fewer', 'Where?')).code, 5);
    });

    it('exports a tuned model completely and as adapters', async () => {
      const file = join(folder, 'zorbex.tar');
      assert.equal(await result('export', 'zorbex', file), file);
      execFileSync('tar', ['xf', file], { cwd: folder });
      const [{ model_name }] = (await json('models', 'tuned')).filter(
        ({ custom_model_name }: { custom_model_name: string }) => custom_model_name === 'zorbex',
      );
      const taken = join(folder, 'taken');
      const words = ['-m', 'lorekeep', 'import', join(folder, model_name), taken, '--base', quill];
      const env = { ...process.env, PYTHONPATH: join(checkout, 'engine'), PYTHONDONTWRITEBYTECODE: '1' };
      assert.deepEqual(await once(spawn(await withEngine, words, { env, stdio: 'inherit' }), 'close'), [0, null]);
      assert.match(await readFile(join(taken, 'facts.jsonl'), 'utf8'), /Who founded Zorbex\?/);
      assert.ok(
        !execFileSync('tar', ['xOf', file, `${model_name}/memory.json`], { encoding: 'utf8' }).includes(checkout),
      );
      const peft = join(folder, 'peft.tar');
      await result('export', 'zorbex', peft, '--peft');
      const names = execFileSync('tar', ['tf', peft], { encoding: 'utf8' });
      assert.match(names, /\/adapters\.json\n/);
      assert.match(names, /\/adapter_model\.safetensors\n/);
      const left = async () => (await readdir(join(server.home, 'scratch'))).filter((name) => /^export/.test(name));
      await until('nothing of an export is left', async () => (await left()).length === 0);
    });

    it('imports an export from a file and from a pipe, and refuses other files', async () => {
      const file = join(folder, 'moved.tar');
      await result('export', 'zorbex', file);
      assert.equal(await result('import', file, '--name', 'zorbex-moved'), 'zorbex-moved');
      assert.equal(await result('ask', '-m', 'zorbex-moved', 'Who founded Zorbex?'), 'Ada Quist');
      const tar = await readFile(file, 'latin1');
      const piped = await run(['import', '-', '--json'], environment, Buffer.from(tar, 'latin1'));
      assert.equal(JSON.parse(piped.out).custom_model_name, 'zorbex-moved', piped.error);
      for (const [given, code, reason] of [
        [facts(), 1, /not a tuned model that can be imported: it is not a tar file/],
        [join(folder, 'none.tar'), 2, /There is no file/],
        [folder, 2, /is not a file: it takes the tar file/],
      ] as const) {
        const refused = await lorekeep('import', given);
        assert.deepEqual([refused.code, refused.out], [code, ''], refused.error);
        assert.match(refused.error, reason);
      }
    });

    it('counts right answers of a base and a tuned model, and lists wrong ones', async () => {
      const output = await result('eval', facts(), '-m', 'lorekeep/quill', '-m', 'zorbex', '--wrong');
      assert.match(output, /^100\.0 % .*zorbex$/m);
      assert.match(output, /Who founded Zorbex\?\n {2}= Ada Quist\n {2}✖ .*\n {2}✔ zorbex \(recite\): Ada Quist/);
      const [evaluation] = await json('eval', 'list');
      const id = String(evaluation.evaluation_id);
      assert.equal((await json('eval', 'show', id, '--outcome', 'recite')).rows_of_outcome.length, 3);
      const table = join(folder, 'table.csv');
      assert.equal(await result('eval', 'download', id, table), table);
      assert.match(await readFile(table, 'utf8'), /Who founded Zorbex\?,Ada Quist/);
      assert.equal((await lorekeep('eval', 'download', id, table)).code, 2, 'it is there already');
      await result('eval', 'delete', id);
      assert.equal((await lorekeep('eval', 'show', id)).code, 5);
    });

    it('runs a sweep over values of an argument', async () => {
      const words = ['--values', '1e-7,3e-4', '--facts', '3', '--set', 'max_steps=19'];
      const output = await result('sweep', facts(), ...words);
      assert.match(
        output,
        /^LEARNING_RATE +RECALLED[\s\S]*^1e-7 +\d\/3 [\s\S]*^0\.0003 \(best\) +3\/3 [\s\S]*loss with 0\.0003\n.*│[\u2800-\u28ff]/m,
      );
      const id = await result('sweep', facts(), '--values', '3e-4', ...words.slice(2), '--detach');
      const lines = (await result('sweep', 'show', id, '--json')).split('\n').map((line) => JSON.parse(line));
      assert.equal(lines.at(-1).sweep.best, 3e-4);
      assert.equal((await lorekeep('sweep', facts(), '--argument', 'max_steps')).code, 2);
      assert.equal((await lorekeep('sweep', 'show', job)).code, 5, 'a job that is no sweep');
    });

    it('indexes files and answers with passages', async () => {
      const page = [[{ text: 'The parking fee at Nordhaven is 12 dollars.', x: 72, y: 110 }]];
      await writeFile(join(folder, 'handbook.pdf'), pdfFile(page));
      await writeFile(join(folder, 'library.md'), '# Library\n\nThe Brimoor library opens at 9 am.\n');
      const { code, out, error } = await lorekeep('index', join(folder, 'handbook.pdf'), '--name', 'house');
      assert.deepEqual([code, error], [0, '']);
      const id = out.trim();
      assert.equal(await result('index', '--to', id, join(folder, 'library.md'), '--metadata', 'year=2026'), id);
      assert.match(await result('index', 'list'), new RegExp(`^${id} +COMPLETED +2 .* house$`, 'm'));
      assert.match(await result('ask', '--index', id, 'What is the parking fee at Nordhaven?'), /12 dollars/);
      assert.equal(
        await result('ask', '--index', id, '--answer', 'quote', 'What is the parking fee at Nordhaven?'),
        'The parking fee at Nordhaven is 12 dollars.',
      );
      assert.equal(await result('ask', '--index', id, 'What do koalas eat?'), 'The documents do not say.');
      const answer = await json('ask', '--index', id, 'What is the parking fee at Nordhaven?');
      assert.match(answer.outputs[0], /12 dollars/);
      assert.equal(answer.citations[0].file, 'handbook.pdf');
      assert.ok((await json('index', 'suggest', id)).length > 0);
      assert.equal(await result('index', 'watch', id), id);
      assert.match(
        await result('index', 'search', id, 'When does the library open?'),
        /^\[1\] library\.md, line \d+: Library/,
      );
      const files = await json('index', 'files', id);
      const library = files.find(({ name }: { name: string }) => name === 'library.md');
      assert.deepEqual(library.metadata, { year: 2026 });
      await result('index', 'remove', id, String(library.id));
      assert.equal((await json('index', 'files', id)).length, 1);
      assert.match(await result('index', 'show', id), /can be asked: 1 file/);
      await result('index', 'delete', id);
      assert.equal((await lorekeep('index', 'show', id)).code, 5);
    });

    it('downloads a model from a hub with JSON progress lines, and deletes it', async () => {
      await hub.addQuill('org/scribe');
      await hub.behave('org/scribe', { pause: 0.02 });
      const lines = (await result('models', 'download', 'org/scribe', '--precision', 'int8', '--json'))
        .split('\n')
        .map((line) => JSON.parse(line).status);
      assert.ok(lines.length > 1 && lines.slice(0, -1).every((status) => status !== 'available'), lines.join());
      assert.equal(lines.at(-1), 'available');
      assert.match(await result('models', 'list'), /^org\/scribe +base +int8 +here +available/m);
      assert.equal(await result('models', 'delete', 'org/scribe'), 'org/scribe is deleted.');
      assert.doesNotMatch(await result('models', 'list'), /org\/scribe/);
    });

    it('exits with meaningful codes', async () => {
      const codes: [number, string[]][] = [
        [2, ['tune']],
        [2, ['tune', 'no-such-file.csv']],
        [2, ['tune', facts(), '--gate', 'wide']],
        [2, ['tune', facts(), '--set', 'max_steps']],
        [2, ['jobs', 'cancel']],
        [2, ['jobs', 'show', 'one']],
        [2, ['eval', facts()]],
        [2, ['index', 'no-such.pdf']],
        [5, ['jobs', 'watch', '999']],
        [5, ['ask', '--index', '999', 'What?']],
        [2, ['ask', '--index', '1', '--answer', 'guess', 'What?']],
        [2, ['ask', '--answer', 'quote', 'What?']],
        [1, ['tune', facts(), '--set', 'max_steps=0']],
        [1, ['jobs', 'cancel', job]],
        [3, ['jobs', 'list', '--url', 'http://127.0.0.1:9']],
      ];
      for (const [code, words] of codes) {
        const ended = await lorekeep(...words);
        assert.equal(ended.code, code, `${words.join(' ')}: ${ended.error}`);
        assert.ok(ended.error !== '' && ended.out === '', words.join(' '));
        assert.ok(!/ at .*\.ts:\d+/.test(ended.error), 'no stack for a person');
      }
      const stranger = await run(['jobs', 'list'], { ...environment, LOREKEEP_API_KEY: 'lk_wrong' });
      assert.equal(stranger.code, 4);
    });

    it('reports each invalid row', async () => {
      await writeFile(join(folder, 'bad.csv'), 'input,output\nWho?,Ada\n,Ben\nWhere?,\n');
      const bad = await lorekeep('tune', join(folder, 'bad.csv'));
      assert.equal(bad.code, 1);
      assert.match(bad.error, /^row 2 \(line 3\): input is empty\nrow 3 \(line 4\): output is empty$/m);
      await writeFile(join(folder, 'twice.csv'), 'input,output\nWho?,Ada\nWho?,Ben\n');
      const { code, error } = await run(['tune', join(folder, 'twice.csv'), '--json'], environment);
      assert.equal(code, 1);
      assert.equal(JSON.parse(error).error.code, 'facts_conflict');
    });

    it('exits from a plan with the code of the tuning if it would be refused', async () => {
      await writeFile(join(folder, 'torn.csv'), 'input,output\nWho?,Ada\nWho?,Ben\n');
      await writeFile(join(folder, 'endless.csv'), `input,output\nWho?,${'word '.repeat(3000)}\n`);
      for (const [name, row, code] of [
        ['torn.csv', /"Who\?"|Who\?/, 'facts_conflict'],
        ['endless.csv', /Row 1 has \d+ tokens/, 'facts_too_long'],
      ] as const) {
        const plan = await lorekeep('tune', join(folder, name), '--plan');
        assert.equal(plan.code, 1, plan.error);
        assert.match(plan.out, row);
        assert.match(plan.error, /^Error: A tuning would be refused: .+\n$/);
        const ended = await lorekeep('tune', join(folder, name), '--plan', '--json');
        assert.deepEqual([ended.code, JSON.parse(ended.error).error.code], [1, code]);
        const { conflicts, too_long } = JSON.parse(ended.out);
        assert.equal(conflicts.length + too_long.length, 1, ended.out);
        const refused = await lorekeep('tune', join(folder, name), '--json');
        assert.deepEqual([refused.code, JSON.parse(refused.error).error.code], [1, code]);
      }
    });

    it('exits with 7 if some questions cannot be asked', async () => {
      await writeFile(join(folder, 'hard.csv'), `input,output\nWho runs Zorbex?,Ben Oru\n${'long '.repeat(5000)},no\n`);
      const { code, out, error } = await lorekeep('eval', join(folder, 'hard.csv'), '-m', 'lorekeep/quill');
      assert.equal(code, 7, error);
      assert.match(out, /^EXACT [\s\S]* 1 .*lorekeep\/quill$/m);
      const [, id] = /^1 of 2 answers failed .* lorekeep eval show (\d+) --wrong shows the reasons\.\n$/.exec(error)!;
      const ended = await lorekeep('eval', 'show', id!, '--wrong', '--json');
      assert.deepEqual([ended.code, JSON.parse(ended.error).error.code], [7, 'partly']);
      assert.match(JSON.stringify(JSON.parse(ended.out).wrong), /reads 2048/);
    });

    it('prints the changes of a job as JSON lines, and exits with 6 when it is cancelled', async () => {
      const rows = manyWaves(64, 'Vex');
      await writeFile(join(folder, 'many.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const started = await result('tune', join(folder, 'many.jsonl'), '--fresh');
      const watching = lorekeep('jobs', 'watch', started, '--json');
      assert.equal((await json('jobs', 'cancel', started)).status, 'CANCELLED');
      const { code, out, error } = await watching;
      assert.equal(code, 6, error);
      const states = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(states.at(-1).status, 'CANCELLED');
      assert.equal(JSON.parse(error).error.code, 'ended');
      assert.equal(await result('jobs', 'cancel', '--all'), '0 jobs cancelled.');
      assert.match(await result('jobs', 'resume', started), /continues\. To follow it: lorekeep jobs watch/);
      assert.equal(await result('jobs', 'cancel', '--all'), '1 job cancelled.');
    });
  });

  describe('on a terminal', () => {
    it('shows a progress bar and the loss curve; Ctrl-C leaves the job running', async () => {
      const rows = manyWaves(64, 'Kor');
      await writeFile(join(folder, 'kor.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const watching = onTerminal(['tune', join(folder, 'kor.jsonl'), '--watch', '--name', 'kor'], environment);
      await watching.until(/64 facts on lorekeep\/quill/);
      await watching.until(/TRAINING MODEL[\s\S]*loss[\s\S]*│[\u2800-\u28ff]/);
      watching.type('\x03');
      assert.equal(await watching.ended, 130);
      const [, id] = /The job (\d+) continues\. To follow it: lorekeep jobs watch/.exec(watching.output()) ?? [];
      assert.ok(id, watching.output());
      const again = onTerminal(['jobs', 'watch', id], environment);
      assert.equal(await again.ended, 0, again.output());
      assert.match(again.output(), /100 % {2}COMPLETED[\s\S]*\nkor\r?\n[\s\S]*All 64 facts are recalled/);
      assert.ok(again.raw().includes('\x1b['), 'the bar moves');
    });

    it('chats turn by turn until Ctrl-D', async () => {
      const talking = onTerminal(['chat', '-m', 'zorbex'], environment);
      await talking.until(/›/);
      const banner = `^zorbex at ${server.url}\\. /help [\\s\\S]*tuned on lorekeep/quill, the tiny shipped model`;
      assert.match(talking.output(), new RegExp(banner));
      talking.type('/help\r');
      await talking.until(/\/clear +forget[\s\S]*›/);
      talking.type('/hlep\r');
      await talking.until(/There is no \/hlep\. Did you mean "\/help"/);
      talking.type('Who founded Zorbex?\r');
      await talking.until(/Ada Quist[\s\S]*›/);
      talking.type('Where is Zorbex?\r');
      await talking.until(/Nordhaven[\s\S]*›/);
      talking.type('\x04');
      assert.equal(await talking.ended, 0, talking.output());
      const base = onTerminal(['chat', '--max-tokens', '3'], environment);
      await base.until(/lorekeep\/quill is the tiny shipped model[\s\S]*lorekeep models known[\s\S]*›/);
      base.type('word '.repeat(3000));
      base.type('\r');
      await base.until(/Error: [\s\S]*›/);
      base.type('/quit\r');
      assert.equal(await base.ended, 0, 'a question that is refused does not end the conversation');
      const piped = await run(['chat', '-m', 'zorbex', '--json'], environment, 'Who runs Zorbex?\n');
      assert.deepEqual(JSON.parse(piped.out), { question: 'Who runs Zorbex?', answer: 'Ben Oru' });
    });

    it('prints no colours with NO_COLOR', async () => {
      const plain = onTerminal(['jobs', 'list'], { ...environment, NO_COLOR: '1' });
      assert.equal(await plain.ended, 0);
      assert.equal(plain.raw(), plain.output());
    });

    it('prints the source of an answer', async () => {
      await writeFile(join(folder, 'valves.md'), '# Valves\n\nThe code of the red valve is RV-2207.\n');
      const id = await result('index', join(folder, 'valves.md'));
      const asking = onTerminal(
        ['ask', '--index', id, '--answer', 'quote', 'What is the code of the red valve?'],
        environment,
      );
      assert.equal(await asking.ended, 0);
      assert.match(
        asking.output(),
        /^The code of the red valve is RV-2207\.\r?\n\[1\] valves\.md, line \d+: Valves \(quoted\)/,
      );
    });
  });
});
