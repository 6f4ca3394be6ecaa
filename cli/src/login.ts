// Stores the address and the key of `lorekeep login` in a file that only its owner can read.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Login {
  url: string;
  key: string;
}

type Environment = Record<string, string | undefined>;

export function loginFile(environment: Environment): string {
  const base = environment.XDG_CONFIG_HOME || environment.APPDATA || join(environment.HOME || homedir(), '.config');
  return join(base, 'lorekeep', 'login.json');
}

export function readLogin(environment: Environment): Login | undefined {
  try {
    const { url, key } = JSON.parse(readFileSync(loginFile(environment), 'utf8')) as Partial<Login>;
    return url && key ? { url, key } : undefined;
  } catch {
    // A missing or invalid file means not logged in.
    return undefined;
  }
}

export function writeLogin(environment: Environment, login: Login): string {
  const file = loginFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
  return file;
}

export function forgetLogin(environment: Environment): void {
  rmSync(loginFile(environment), { force: true });
}
