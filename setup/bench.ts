// ./lorekeep bench NAME: runs one of the measurements of bench/. Without a name it lists them, each with its first line.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../bench');
const [name, ...rest] = process.argv.slice(2);
const script = join(folder, `${name}.ts`);

if (name && /^[a-z-]+$/.test(name) && existsSync(script)) {
  process.exitCode =
    spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...rest], { stdio: 'inherit' })
      .status ?? 1;
} else {
  if (name && !name.startsWith('-')) {
    process.stderr.write(`There is no bench "${name}".\n\n`);
    process.exitCode = 2;
  }
  for (const file of globSync(join(folder, '*.ts')).sort()) {
    const about = /^\/\/ (\.\/lorekeep bench .*)/.exec(readFileSync(file, 'utf8'))?.[1];
    if (about)
      process.stdout.write(`${basename(file, '.ts').padEnd(12)} ${about.replace(/^\.\/lorekeep bench \S+: /, '')}\n`);
  }
}
