// OCR of pages that are images, by tesseract and poppler's pdftoppm if they are installed. Both run as separate processes, one page at a
// time.
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Block, type Box, blocks, plainText } from './block.ts';

const run = promisify(execFile);
/** Environment variables for both programs. */
export type Environment = Record<string, string>;

const dotsPerInch = 200;
const pointsPerPixel = 72 / dotsPerInch;
const secondsPerPage = 120;
/** Minimum confidence of tesseract in a word, in percent. */
const minConfidence = 30;

export const canReadImages = (): boolean => ['tesseract', 'pdftoppm'].every(isInstalled);

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The blocks of one page of a PDF; none if nothing is recognised. */
export async function readImage(
  pdf: string,
  page: number,
  scratch: string,
  given: Environment,
  signal?: AbortSignal,
): Promise<Block[]> {
  const image = join(scratch, `page-${page}`);
  const env = { ...given, OMP_THREAD_LIMIT: '1' };
  const options = {
    timeout: secondsPerPage * 1000,
    killSignal: 'SIGKILL' as const,
    maxBuffer: 16 * 1024 * 1024,
    env,
    ...(signal ? { signal } : {}),
  };
  try {
    await mkdir(scratch, { recursive: true });
    const only = String(page);
    await run(
      'pdftoppm',
      ['-r', String(dotsPerInch), '-gray', '-f', only, '-l', only, '-singlefile', pdf, image],
      options,
    );
    const { stdout } = await run(
      'tesseract',
      [`${image}.pgm`, 'stdout', '-l', await languages(env), '--dpi', String(dotsPerInch), 'tsv'],
      options,
    );
    return paragraphs(stdout, page);
  } catch (error) {
    if (signal?.aborted) throw error;
    return [];
  }
}

let installedLanguages: Promise<string> | undefined;

/** All installed languages, up to a limit. */
function languages(env: Environment): Promise<string> {
  installedLanguages ??= run('tesseract', ['--list-langs'], { timeout: 10_000, env }).then(({ stdout }) => {
    const names = stdout
      .split('\n')
      .slice(1)
      .filter((name) => /^[a-z]{3}(_\w+)?$/.test(name) && name !== 'osd');
    return names.slice(0, 4).join('+') || 'eng';
  });
  return installedLanguages;
}

/** Parses tesseract's output table: one word per row, with its block, paragraph and line. */
function paragraphs(table: string, page: number): Block[] {
  const found = new Map<string, { words: string[]; box: Box }>();
  for (const row of table.split('\n').slice(1)) {
    const [level, , block, paragraph, , , left, top, width, height, sure, text] = row.split('\t');
    if (level !== '5' || !text?.trim() || Number(sure) < minConfidence) continue;
    const box = {
      x: Number(left) * pointsPerPixel,
      y: Number(top) * pointsPerPixel,
      width: Number(width) * pointsPerPixel,
      height: Number(height) * pointsPerPixel,
    };
    const key = `${block}/${paragraph}`;
    const known = found.get(key);
    if (known) {
      known.words.push(text);
      known.box = around(known.box, box);
    } else found.set(key, { words: [text], box });
  }
  return [...found.values()].flatMap(({ words, box }) => [
    ...blocks({ kind: 'paragraph', text: plainText(words.join(' ')), page, box: rounded(box) }),
  ]);
}

function around(one: Box, other: Box): Box {
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}

const rounded = ({ x, y, width, height }: Box): Box => ({
  x: Math.round(x),
  y: Math.round(y),
  width: Math.round(width),
  height: Math.round(height),
});
