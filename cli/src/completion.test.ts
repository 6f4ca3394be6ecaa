// Shell completion end to end: the printed script, installed as the help says, in real shells on a pseudo-terminal with Tab pressed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answersWith, neverAnswers, startScripted } from '../../client/src/testing/scripted-server.ts';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import { type OnTerminal, onTerminalOf, programOf, run } from './testing/program.ts';

interface Shell {
  program: string[];
  /** Path of the script below the home. */
  file: string;
  /** Command line of a shell that reads no configuration of this machine. */
  begin: string;
  /** Number of Tab presses that list all candidates. */
  tabs: number;
}

const shells: Record<string, Shell> = {
  bash: {
    program: ['bash', '--norc', '--noprofile', '-i'],
    file: '.local/share/bash-completion/completions/lorekeep',
    begin: '. ~/.local/share/bash-completion/completions/lorekeep',
    tabs: 2,
  },
  zsh: {
    program: ['zsh', '-f', '-i'],
    file: '.zfunc/_lorekeep',
    begin: 'fpath=(~/.zfunc $fpath); autoload -U compinit; compinit -u -D',
    tabs: 1,
  },
  fish: { program: ['fish', '-i'], file: '.config/fish/completions/lorekeep.fish', begin: 'true', tabs: 1 },
};

const isHere = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0;

for (const [name, { program, file, begin, tabs }] of Object.entries(shells))
  describe(`completion in ${name}`, { skip: isHere(name) ? false : `there is no ${name} here` }, () => {
    let home: string;
    let shell: OnTerminal;
    let server: TestServer;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'lorekeep-shell-'));
      const printed = await run(['completion', name], { HOME: home });
      assert.equal(printed.code, 0, printed.error);
      await mkdir(dirname(join(home, file)), { recursive: true });
      await writeFile(join(home, file), printed.out);
      await mkdir(join(home, 'bin'));
      await mkdir(join(home, 'place'));
      // A fake program that prints its arguments, so that the shell itself reveals the completed line.
      // Names come from the real program, which asks a server of this test.
      const names = programOf([])
        .map((word) => `"${word}"`)
        .join(' ');
      await writeFile(
        join(home, 'bin/lorekeep'),
        `#!/bin/sh\ncase $1 in __names) exec ${names} "$@" ;; esac\nprintf "ran"; printf " <%s>" "$@"; echo "."\n`,
      );
      await chmod(join(home, 'bin/lorekeep'), 0o755);
      for (const one of ['facts.csv', 'list of mine.pdf']) await writeFile(join(home, 'place', one), '');
      server = await startServer();
      const called = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey };
      const environment = {
        ...called,
        HOME: home,
        PATH: `${join(home, 'bin')}:${process.env.PATH}`,
        LC_ALL: 'C.UTF-8',
      };
      shell = onTerminalOf(['sh', '-c', 'cd ~/place; exec "$@"', 'sh', ...program], environment);
      shell.type(`${begin}\rlorekeep begun\r`);
      await shell.until(/ran <begun>\./);
    });
    after(async () => {
      shell.type('\u0015exit\r');
      await shell.ended;
      await server.end();
      await rm(home, { recursive: true });
    });

    /** Completes and submits the line; returns the arguments of the program. */
    const completed = async (line: string) => {
      const before = shell.output().length;
      shell.type(`${line}\t\r`);
      for (let attempt = 0; attempt < 600; attempt++) {
        const ran = /ran( <.*>)?\./.exec(shell.output().slice(before));
        if (ran) return ran[1]?.trim() ?? '';
        await sleep(50);
      }
      throw new Error(`"${line}" was not sent:\n${shell.output().slice(before)}`);
    };
    /** Waits until all these candidates are offered. */
    const offers = async (line: string, expected: string[]) => {
      const before = shell.output().length;
      shell.type(`${line}${'\t'.repeat(tabs)}`);
      const missing = () =>
        expected.filter((word) => !new RegExp(`(^|\\s)${word}\\b`).test(shell.output().slice(before)));
      for (let attempt = 0; attempt < 600 && missing().length > 0; attempt++) await sleep(50);
      assert.deepEqual(missing(), [], shell.output().slice(before));
      // The line is cleared with Ctrl-U; Ctrl-C would also drop the text typed after it.
      shell.type('\u0015lorekeep next\r');
      while (!shell.output().slice(before).includes('ran <next>.')) await sleep(50);
    };

    it('completes the first and the second word', async () => {
      assert.equal(await completed('lorekeep comp'), '<completion>');
      assert.equal(await completed('lorekeep jobs can'), '<jobs> <cancel>');
      assert.equal(await completed('lorekeep models forg'), '<models> <forget>');
    });

    it('lists the candidates', async () => {
      await offers('lorekeep ', ['tune', 'jobs', 'ask', 'export', 'import', 'doctor']);
      await offers('lorekeep jobs ', ['list', 'show', 'watch', 'cancel', 'resume', 'logs']);
    });

    it('completes only the options of the typed command', async () => {
      assert.equal(await completed('lorekeep export --pe'), '<export> <--peft>');
      assert.equal(await completed('lorekeep tune facts.csv --pla'), '<tune> <facts.csv> <--plan>');
      assert.equal(await completed('lorekeep index delete --js'), '<index> <delete> <--json>');
      assert.equal(await completed('lorekeep jobs show --pe'), '<jobs> <show> <--pe>');
      assert.equal(await completed('lorekeep index delete --metad'), '<index> <delete> <--metad>');
    });

    it('completes files only for commands that take them', async () => {
      assert.equal(await completed('lorekeep tune fac'), '<tune> <facts.csv>');
      assert.equal(await completed('lorekeep index fac'), '<index> <facts.csv>');
      assert.equal(await completed('lorekeep index of-mine list\\ o'), '<index> <of-mine> <list of mine.pdf>');
      assert.equal(await completed('lorekeep jobs fac'), '<jobs> <fac>');
    });

    it('completes names from the server after a command and after an option', async () => {
      // Without an answer in time nothing is completed, and the user presses the key again.
      const completes = async (line: string, expected: string) => {
        let found = await completed(line);
        for (let attempt = 0; attempt < 4 && found !== expected; attempt++) found = await completed(line);
        assert.equal(found, expected);
      };
      await completes('lorekeep ask -m lorekeep/q', '<ask> <-m> <lorekeep/quill>');
      await completes('lorekeep ask --model lorekeep/q', '<ask> <--model> <lorekeep/quill>');
      await completes('lorekeep keys revoke ', '<keys> <revoke> <1>');
      await completes('lorekeep models delete lorekeep/q', '<models> <delete> <lorekeep/quill>');
      assert.equal(await completed('lorekeep jobs show 9'), '<jobs> <show> <9>', 'there is none');
    });
  });

describe('the names for completion', () => {
  it('are empty, quickly and silently, without a server, with a wrong key, or with a silent server', async () => {
    const refusing = await startServer();
    const silent = await startScripted(neverAnswers);
    for (const environment of [
      { LOREKEEP_BASE_URL: 'http://127.0.0.1:1' },
      { LOREKEEP_BASE_URL: 'no address' },
      { LOREKEEP_BASE_URL: refusing.url, LOREKEEP_API_KEY: 'lk_wrong' },
      { LOREKEEP_BASE_URL: silent.url, LOREKEEP_API_KEY: 'lk_x' },
    ])
      for (const kind of ['models', 'jobs', 'nothing', '__proto__'])
        assert.deepEqual(await run(['__names', kind], environment), { code: 0, out: '', error: '' });
    await silent.end();
    await refusing.end();
  });

  it('leave out names with shell metacharacters', async () => {
    const named = (name: string) => ({ custom_model_name: name, model_name: 'hash' });
    const names = ['fine', 'Straße-1', '$(touch x)', '`id`', 'two words', '-rf', 'a;b', 'a\u001b[2J', '*'];
    const server = await startScripted(answersWith(200, { models: names.map(named), next: null }));
    const { out } = await run(['__names', 'tuned'], { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: 'lk_x' });
    assert.equal(out, 'fine\nStraße-1\n');
    await server.end();
  });
});
