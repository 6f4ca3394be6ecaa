// ./lorekeep bench NAME: runs one of the measurements of bench/; with --help it prints the head of its file. Without a name it lists them,
// each with the first sentence of its file.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../bench');
const [name, ...rest] = process.argv.slice(2);
const script = join(folder, `${name}.ts`);

// `lorekeep bench | head` closes the pipe before the list ends.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

if (name && /^[a-z-]+$/.test(name) && existsSync(script)) {
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(headOf(script));
    process.exit();
  }
  process.exitCode =
    spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...rest], { stdio: 'inherit' })
      .status ?? 1;
} else {
  if (name && !name.startsWith('-')) {
    process.stderr.write(`There is no bench "${name}".\n\n`);
    process.exitCode = 2;
  }
  for (const file of globSync(join(folder, '*.ts')).sort()) {
    const text = headOf(file).replaceAll('\n', ' ');
    const [, words, about] = /^\.\/lorekeep bench ([^:]+): (.*?)\.( |$)/.exec(text) ?? [];
    if (words && about) process.stdout.write(`./lorekeep bench ${words}\n    ${about}\n`);
  }
}

/** The comment that opens a file. */
function headOf(file: string): string {
  const [head = ''] = /^(\/\/ .*\n)*/.exec(readFileSync(file, 'utf8')) ?? [];
  return head.replaceAll(/^\/\/ /gm, '');
}
