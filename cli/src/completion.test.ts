// Completion as people have it: the file that the command prints, put where its help says, in real shells on a pseudo-terminal, with Tab pressed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OnTerminal, onTerminalOf, run } from './testing/program.ts';

interface Shell {
  program: string[];
  /** Where the file belongs, below the home. */
  file: string;
  /** What a shell that reads nothing of this machine is told first. */
  begin: string;
  /** How often Tab is pressed to see all that there is. */
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
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'lorekeep-shell-'));
      const printed = await run(['completion', name], { HOME: home });
      assert.equal(printed.code, 0, printed.error);
      await mkdir(dirname(join(home, file)), { recursive: true });
      await writeFile(join(home, file), printed.out);
      await mkdir(join(home, 'bin'));
      await mkdir(join(home, 'place'));
      // Says what it was called with, so that what was completed is told by the shell itself.
      await writeFile(join(home, 'bin/lorekeep'), '#!/bin/sh\nprintf "ran"; printf " <%s>" "$@"; echo "."\n');
      await chmod(join(home, 'bin/lorekeep'), 0o755);
      for (const one of ['facts.csv', 'list of mine.pdf']) await writeFile(join(home, 'place', one), '');
      const environment = { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}`, LC_ALL: 'C.UTF-8' };
      shell = onTerminalOf(['sh', '-c', 'cd ~/place; exec "$@"', 'sh', ...program], environment);
      shell.type(`${begin}\rlorekeep begun\r`);
      await shell.until(/ran <begun>\./);
    });
    after(async () => {
      shell.type('\u0015exit\r');
      await shell.ended;
      await rm(home, { recursive: true });
    });

    /** What the program is called with when the line is completed and sent. */
    const completed = async (line: string) => {
      const before = shell.said().length;
      shell.type(`${line}\t\r`);
      for (let tries = 0; tries < 600; tries++) {
        const ran = /ran( <.*>)?\./.exec(shell.said().slice(before));
        if (ran) return ran[1]?.trim() ?? '';
        await sleep(50);
      }
      throw new Error(`"${line}" was not sent:\n${shell.said().slice(before)}`);
    };
    /** Waits until all of these are offered. */
    const offers = async (line: string, wanted: string[]) => {
      const before = shell.said().length;
      shell.type(`${line}${'\t'.repeat(tabs)}`);
      const missing = () => wanted.filter((word) => !new RegExp(`(^|\\s)${word}\\b`).test(shell.said().slice(before)));
      for (let tries = 0; tries < 600 && missing().length > 0; tries++) await sleep(50);
      assert.deepEqual(missing(), [], shell.said().slice(before));
      // What stands on the line is taken back; a Ctrl-C would also take what is typed behind it.
      shell.type('\u0015lorekeep next\r');
      while (!shell.said().slice(before).includes('ran <next>.')) await sleep(50);
    };

    it('completes the first word, and the second behind it', async () => {
      assert.equal(await completed('lorekeep comp'), '<completion>');
      assert.equal(await completed('lorekeep jobs can'), '<jobs> <cancel>');
      assert.equal(await completed('lorekeep models forg'), '<models> <forget>');
    });

    it('offers what there is', async () => {
      await offers('lorekeep ', ['tune', 'jobs', 'ask', 'export', 'import', 'doctor']);
      await offers('lorekeep jobs ', ['list', 'show', 'watch', 'cancel', 'resume', 'logs']);
    });

    it('completes the options of the command that stands there, and no others', async () => {
      assert.equal(await completed('lorekeep export --pe'), '<export> <--peft>');
      assert.equal(await completed('lorekeep tune facts.csv --pla'), '<tune> <facts.csv> <--plan>');
      assert.equal(await completed('lorekeep index delete --js'), '<index> <delete> <--json>');
      assert.equal(await completed('lorekeep jobs show --pe'), '<jobs> <show> <--pe>');
      assert.equal(await completed('lorekeep index delete --metad'), '<index> <delete> <--metad>');
    });

    it('completes files where a command takes them, and not where it takes none', async () => {
      assert.equal(await completed('lorekeep tune fac'), '<tune> <facts.csv>');
      assert.equal(await completed('lorekeep index fac'), '<index> <facts.csv>');
      assert.equal(await completed('lorekeep index of-mine list\\ o'), '<index> <of-mine> <list of mine.pdf>');
      assert.equal(await completed('lorekeep jobs fac'), '<jobs> <fac>');
    });
  });
