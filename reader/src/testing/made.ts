// Generates real documents from manuals of the system with a browser and an office suite, if these are installed.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const execOptions = { timeout: 120_000, killSignal: 'SIGKILL' as const, maxBuffer: 64 * 1024 * 1024 };

export const installed = (program: string) => spawnSync('which', [program]).status === 0;

/** Reason to skip a test, or false. */
export const missing = (needs: { programs?: string[]; files?: string[] }): string | false => {
  const program = needs.programs?.find((name) => !installed(name));
  if (program) return `${program} is not installed`;
  const file = needs.files?.find((path) => !existsSync(path));
  return file ? `${file} is not on this machine` : false;
};

const chromiumOptions =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
    ' ',
  );

export async function printedByBrowser(page: string, folder: string, name = 'printed.pdf'): Promise<string> {
  const path = join(folder, name);
  const profile = `--user-data-dir=${join(folder, 'browser')}`;
  await run(
    'chromium',
    [...chromiumOptions, profile, '--no-pdf-header-footer', `--print-to-pdf=${path}`, pathToFileURL(page).href],
    execOptions,
  );
  return path;
}

/** `format` as LibreOffice names it: "docx:MS Word 2007 XML". */
export async function convertedByOffice(
  source: string,
  format: string,
  folder: string,
  filter?: string,
): Promise<string> {
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'office')).href}`;
  await run(
    'soffice',
    [
      '--headless',
      profile,
      ...(filter ? [`--infilter=${filter}`] : []),
      '--convert-to',
      format,
      '--outdir',
      folder,
      source,
    ],
    execOptions,
  );
  return join(folder, source.replace(/^.*\//, '').replace(/\.[^.]*$/, `.${format.split(':')[0]}`));
}

export async function output(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args, { ...execOptions, env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' } }))
    .stdout;
}
