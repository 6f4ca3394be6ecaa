// lorekeep index: makes document indexes from files, and searches them.
import { openAsBlob } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Index, IndexFile, Upload } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context, ParsedArguments } from '../command.ts';
import { EndedError, Interrupted, PartlyError, UsageError } from '../exit.ts';
import { bytes, count, shortTime, wholeNumber } from '../format.ts';
import { bar } from '../progress.ts';
import { saveTo } from '../save.ts';
import { sourceOf } from '../sources.ts';
import { stripControls, table } from '../terminal.ts';
import { defaultModel } from './ask.ts';
import { indexNumber } from './index-number.ts';
import { valueIn } from './tune.ts';

const numberOf = async (context: Context, words: string[]) => await indexNumber(context, words[0]!);

export const indexFiles: Command = {
  name: 'index',
  needsEngine: true,
  summary: 'make an index of files, or add files to one, and wait until they are read',
  words: 'FILE...',
  options: {
    name: { value: 'NAME', about: 'name of the index' },
    model: { value: 'NAME', short: 'm', names: 'models', about: `the model that answers; ${defaultModel} without it` },
    to: { value: 'INDEX', names: 'indexes', about: 'add the files to this index' },
    metadata: {
      value: 'NAME=VALUE',
      multiple: true,
      about: 'metadata of these files, such as year=2026; may be repeated',
    },
    detach: { about: 'do not wait' },
  },
  more:
    'PDF, DOCX, PPTX, XLSX, HTML, Markdown, text, CSV, JSON, mails, and ZIP files of these. A folder is all files in it. Prints the number of the index.\n' +
    'With --to, a file replaces the one of its name once it is read. The name of a file in a folder is its path there.\n' +
    'A file named like a command behind index is written ./list.',
  async run(context, given) {
    const client = context.client();
    const fields = given.all('metadata').map(field);
    const metadata = fields.length > 0 ? JSON.stringify(Object.fromEntries(fields)) : undefined;
    const to = given.text('to');
    if (to !== undefined && (given.text('name') ?? given.text('model')) !== undefined)
      throw new UsageError(
        '--to names an index that has its name and its model; --name and --model do not go with it.',
      );
    const files = await uploads(given);
    let id: number;
    let isAwaited: ((file: IndexFile) => boolean) | undefined;
    if (to === undefined) {
      const model_name = given.text('model') ?? defaultModel;
      ({ job_id: id } = await client.buildIndex({ model_name, files, name: given.text('name'), metadata }, context));
    } else {
      id = await indexNumber(context, to);
      const { files: added, unchanged, replaces } = await client.addFiles({ id, files, metadata }, context);
      const [ids, known] = [new Set(added.map((file) => file.id)), new Set(unchanged)];
      // Earlier files that failed are told by "index watch".
      isAwaited = (file) => ids.has(file.id) || known.has(file.name);
      if (unchanged.length > 0) context.terminal.say(`${count(unchanged.length, 'file')} known already.`);
      for (const name of replaces.slice(0, maxNames))
        context.terminal.say(stripControls(`${name} replaces the earlier one once it is read.`));
      if (replaces.length > maxNames) context.terminal.say(`So do ${count(replaces.length - maxNames, 'more file')}.`);
    }
    if (given.is('detach')) context.show(await client.showIndex({ id }, context), () => String(id));
    else await follow(context, id, isAwaited);
  },
};

const maxNames = 5;

/**
 * Collects files. A given file keeps its base name; files of a given folder keep the path relative to it; where some would have one name,
 * they keep their paths in the folder that all of them are in. Contents are streamed.
 */
async function uploads(given: ParsedArguments): Promise<Upload[]> {
  const found: { name: string; path: string; content: Blob }[] = [];
  for (const path of given.words) {
    const about = await stat(path).catch(() => undefined);
    if (!about) throw new UsageError(`There is no file "${path}".`);
    if (about.isDirectory())
      for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name);
        const name = relative(path, file);
        if (entry.isFile() && !/(^|[/\\])\./.test(name))
          found.push({ name, path: file, content: await openAsBlob(file) });
      }
    else found.push({ name: basename(path), path, content: await openAsBlob(path) });
  }
  if (found.length === 0) throw new UsageError('There is no file in it.');
  const paths = new Map<string, string[]>();
  for (const { name, path } of found) paths.set(name, [...(paths.get(name) ?? []), resolve(path)]);
  return found.map(({ name, path, content }) => {
    const alike = paths.get(name)!;
    return { name: alike.length > 1 ? relative(commonFolder(alike), resolve(path)) : name, content };
  });
}

/** The innermost folder that all these files are in. */
function commonFolder([first, ...others]: string[]): string {
  let folder = dirname(first!);
  while (!others.every((path) => path.startsWith(join(folder, sep)))) folder = dirname(folder);
  return folder;
}

function field(text: string): [string, string | number | boolean] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (!name || value === undefined)
    throw new UsageError(`--metadata "${text}": it takes NAME=VALUE, such as year=2026.`);
  return [name, valueIn(value)];
}

export const indexList: Command = {
  name: 'index list',
  summary: 'the indexes of the account, newest first',
  async run(context) {
    const found = await collectItems(context.client().allIndexes({ limit: 1000 }, context));
    const row = (one: Index) => [
      String(one.job_id),
      one.status,
      String(one.progress.files),
      String(one.progress.passages),
      shortTime(one.created_at),
      one.name ?? '',
    ];
    context.show(found, () => table([['ID', 'STATUS', 'FILES', 'PASSAGES', 'MADE', 'NAME'], ...found.map(row)]));
  },
};

export const indexShow: Command = {
  name: 'index show',
  summary: 'one index with its events',
  words: 'INDEX',
  names: 'indexes',
  async run(context, given) {
    const id = await numberOf(context, given.words);
    const index = await context.client().showIndex({ id }, context);
    const log = await context.client().indexLog({ id }, context);
    context.show({ ...index, log }, () =>
      [
        `${index.job_id}  ${index.name ?? ''}`.trimEnd(),
        `${index.status}${readShare(index)}${index.ready ? ', can be asked' : ''}: ${count(index.progress.files, 'file')}, ${count(index.progress.passages, 'passage')}`,
        `${index.model_name} answers; OpenAI clients ask it as ${index.model}`,
        '',
        ...log,
      ].join('\n'),
    );
  },
};

export const indexWatch: Command = {
  name: 'index watch',
  summary: 'show the progress of an index until it is done',
  words: 'INDEX',
  names: 'indexes',
  async run(context, given) {
    await follow(context, await numberOf(context, given.words));
  },
};

export const indexFilesList: Command = {
  name: 'index files',
  summary: 'the files of an index, each with its state and the reason where it failed',
  words: 'INDEX',
  names: 'indexes',
  async run(context, given) {
    const id = await numberOf(context, given.words);
    const found = await collectItems(context.client().allFiles({ id, limit: 1000 }, context));
    const row = (one: IndexFile) => [
      String(one.id),
      one.state,
      one.pages === null ? '' : String(one.pages),
      String(one.passages),
      bytes(one.bytes),
      [one.name, one.reason ?? one.notices[0]].filter(Boolean).join(': '),
    ];
    context.show(found, () => table([['ID', 'STATE', 'PAGES', 'PASSAGES', 'SIZE', 'NAME'], ...found.map(row)]));
  },
};

export const indexSearch: Command = {
  name: 'index search',
  needsEngine: true,
  summary: 'find passages, without an answer',
  words: 'INDEX QUESTION...',
  names: 'indexes',
  options: { limit: { value: 'NUMBER', about: 'number of passages; 10 without it' } },
  async run(context, given) {
    const id = await numberOf(context, given.words);
    const query = given.words.slice(1).join(' ');
    const answer = await context.client().searchIndex({ id, query, limit: given.number('limit') }, context);
    context.show(answer, () =>
      answer.passages
        .map((passage, at) => `${sourceOf(passage, at + 1)}  ${passage.score.toFixed(2)}\n${indented(passage.text)}`)
        .join('\n\n'),
    );
    if (!context.json && !answer.retrieval.found)
      context.terminal.tell('No passage is similar enough to the question to count as an answer.');
  },
};

const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

export const indexSuggest: Command = {
  name: 'index suggest',
  needsEngine: true,
  summary: 'a few questions that the documents answer',
  words: 'INDEX',
  names: 'indexes',
  async run(context, given) {
    const found = await context.client().suggestQuestions({ job_id: await numberOf(context, given.words) }, context);
    context.show(found, () => found.map((pair) => Object.values(pair).join('\n  ')).join('\n'));
  },
};

export const indexDownload: Command = {
  name: 'index download',
  summary: 'a file of an index as it was sent',
  words: 'INDEX FILE-ID [FILE]',
  names: 'indexes',
  async run(context, given) {
    const place = { id: await numberOf(context, given.words), file: wholeNumber(given.words[1], 'a file') };
    await saveTo(context, await context.client().downloadIndexFile(place, context), given.words[2]);
  },
};

export const indexRemove: Command = {
  name: 'index remove',
  summary: 'remove a file from an index',
  words: 'INDEX FILE-ID',
  names: 'indexes',
  async run(context, given) {
    const place = { id: await numberOf(context, given.words), file: wholeNumber(given.words[1], 'a file') };
    const answer = await context.client().deleteIndexFile(place, context);
    context.show(answer, () => `The file ${answer.deleted} is removed and is no longer found.`);
  },
};

export const indexCancel: Command = {
  name: 'index cancel',
  summary: 'stop reading files; those already read are kept',
  words: 'INDEX',
  names: 'indexes',
  async run(context, given) {
    const index = await context.client().cancelIndex({ id: await numberOf(context, given.words) }, context);
    context.show(
      index,
      () => `The index ${index.job_id} has stopped reading. It has ${count(index.progress.files_done, 'file')}.`,
    );
  },
};

export const indexDelete: Command = {
  name: 'index delete',
  summary: 'delete an index with its files',
  words: 'INDEX',
  names: 'indexes',
  async run(context, given) {
    const answer = await context.client().deleteIndex({ id: await numberOf(context, given.words) }, context);
    context.show(answer, () => `The index ${answer.deleted} is deleted.`);
  },
};

const maxNotices = 3;

/** Reason why a file failed, or its skipped parts. */
function problemsOf({ state, reason, notices }: IndexFile): string[] {
  if (state === 'failed') return [reason ?? 'it could not be read'];
  const more = notices.length - maxNotices;
  return [...notices.slice(0, maxNotices), ...(more > 0 ? [`and ${count(more, 'notice')} more`] : [])];
}

/** Follows an index until its work is done; prints its number. `isAwaited` chooses the files whose outcome counts; all without it. */
async function follow(
  context: Context,
  id: number,
  isAwaited: (file: IndexFile) => boolean = () => true,
): Promise<void> {
  const index = await atRest(context, id);
  const { status, error, progress } = index;
  context.show(index, () => String(id));
  let [files, done] = [0, 0];
  for await (const file of context.client().allFiles({ id, limit: 1000 }, context)) {
    if (!isAwaited(file)) continue;
    files++;
    if (file.state === 'done') done++;
    if (context.json) continue;
    for (const text of problemsOf(file)) context.terminal.tell(stripControls(`${file.name}: ${text}`));
  }
  if (done < files && status === 'PARTIALLY COMPLETED')
    throw new PartlyError(`${done} of ${count(files, 'file')} could be read.`);
  if (done < files || (files === 0 && ['FAILED', 'CANCELLED'].includes(status)))
    throw new EndedError(`The index ${id} is ${status}${error ? `: ${error}` : '.'}`);
  context.terminal.say(`${count(progress.passages, 'passage')}. To ask: ${context.program} ask --index ${id} "..."`);
}

/** The share of an index at work that is read. */
function readShare({ finished_at, progress: { bytes: all, bytes_read } }: Index): string {
  if (finished_at !== null || all === 0) return '';
  return `, ${Math.floor((bytes_read / all) * 100)}% of ${bytes(all)} read`;
}

async function atRest(context: Context, id: number): Promise<Index> {
  let index: Index | undefined;
  try {
    for await (index of context.client().indexProgress(id, context)) {
      const { files, files_done, pages_done, bytes: all, bytes_read, passages } = index.progress;
      if (context.json) {
        if (index.finished_at === null) context.show(index, () => '');
      } else
        context.terminal.draw([
          `${bar(all === 0 ? 0 : bytes_read / all, 30)} ${files_done} of ${count(files, 'file')}${readShare(index)}  ${count(pages_done, 'page')}, ${count(passages, 'passage')}`,
        ]);
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    throw new Interrupted(
      `The files are stored and are being read. To follow it: ${context.program} index watch ${id}. To stop it: ${context.program} index cancel ${id}.`,
    );
  }
  return index!;
}
