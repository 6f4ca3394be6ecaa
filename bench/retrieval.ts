// ./lorekeep bench retrieval: how well what is asked for is found in real manuals, by meaning, by words, both, and reranked, beside LlamaIndex and BM25 with
// the same embedder; and how many questions are refused as not answered here, of those that are and of those about the other manuals. `--questions 300`, `--half choosing` asks the other half of the questions, by which settings are chosen, `--characters 600000` of each
// collection, `--threads 1`, `--alone` without the others, `--packages FOLDER` keeps their packages there, `--keep FOLDER` what was built.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultPassages } from '../server/src/documents/answers/answers.ts';
import { type Caller, callerOf, untilEmbedding } from './index/calls.ts';
import { withPeers } from './index/peers.ts';
import { startProduct } from './processes.ts';
import { type Collection, collections, digest, type Manual } from './retrieval/manuals.ts';
import { kinds, plainWords, type Question, questionsOf } from './retrieval/questions.ts';

const nearest = 10;
const sides = [
  ['dense', { mode: 'vectors' }],
  ['full text', { mode: 'text' }],
  ['hybrid', {}],
  ['hybrid, reranked', { rerank: true }],
] as const;

type SearchHits = { file: string; text: string }[];

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '300' },
    half: { type: 'string', default: 'reporting' },
    characters: { type: 'string', default: '600000' },
    threads: { type: 'string', default: '1' },
    alone: { type: 'boolean', default: false },
    packages: { type: 'string' },
    keep: { type: 'string' },
  },
});
const folder = values.keep ? resolve(values.keep) : await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
try {
  const all = await collections(join(folder, 'scratch'), Number(values.characters));
  for (const collection of all)
    await measure(
      collection,
      all.filter((other) => other !== collection).flatMap(({ manuals }) => questionsFor(manuals).map(describe)),
    );
} finally {
  if (!values.keep) await rm(folder, { recursive: true, force: true });
}

function questionsFor(manuals: Manual[]): Question[] {
  return questionsOf(manuals, 2 * Number(values.questions));
}

/** True for questions of the requested half. */
function asked(_: unknown, at: number): boolean {
  return at % 2 === (values.half === 'choosing' ? 0 : 1);
}

/** `strange` are questions about other manuals, which these do not answer. */
async function measure(collection: Collection, strange: string[]): Promise<void> {
  const { name, manuals } = collection;
  const all = questionsFor(manuals);
  const questions = all.filter(asked);
  const characters = manuals.reduce((sum, { text }) => sum + text.length, 0);
  const print = digest(manuals.map(({ name, text }) => `${name}\n${text}`).join('\n')).slice(0, 12);
  process.stdout.write(
    `\n${name}: ${manuals.length} manuals, ${characters} characters (${print}), ${questions.length} questions for ${values.half}\n\n`,
  );
  if (questions.length < 30) {
    process.stdout.write('Too few manuals of this kind are on this machine.\n');
    return;
  }
  const here = join(folder, name);
  await mkdir(join(here, 'files'), { recursive: true });
  for (const { name, text } of manuals) await writeFile(join(here, 'files', name), text);
  const modelClient = JSON.stringify(all.map(describe));
  const questionsFile = join(here, 'questions.json');
  // Results of the peers are kept for the same questions only.
  if (existsSync(questionsFile) && (await readFile(questionsFile, 'utf8')) !== modelClient)
    await rm(join(here, 'found.json'), { force: true });
  await writeFile(questionsFile, modelClient);
  const found = await foundByUs(here, collection, questions, strange.filter(asked));
  const others = values.alone ? {} : await foundByOthers(here);
  for (const [side, lists] of Object.entries(others)) found[side] = lists.filter(asked);
  table(found, questions);
}

async function foundByUs(
  here: string,
  { manuals }: Collection,
  questions: Question[],
  strange: string[],
): Promise<Record<string, SearchHits[]>> {
  const settings = { LOREKEEP_ENGINE_THREADS: values.threads, LOREKEEP_SLOTS: '0' };
  const server = await startProduct(join(here, 'home'), settings);
  const { call, form, atRest } = callerOf(server);
  try {
    await untilEmbedding(call);
    const { indexes } = await call('GET', '/v1/indexes');
    const id = indexes[0]?.job_id ?? (await call('POST', '/alpha/memory-rag/train', form(manuals))).job_id;
    const { status, error, progress } = await atRest(id);
    if (status !== 'COMPLETED') throw new Error(`${status}: ${error}`);
    process.stdout.write(`${progress.passages} passages\n`);
    const found: Record<string, SearchHits[]> = {};
    for (const [side, more] of sides) found[side] = await answers(call, id, questions, more);
    const refused = await shareRefused(call, id, questions.map(describe));
    const through = 1 - (await shareRefused(call, id, strange));
    process.stdout.write(
      `Of its own questions ${refused.toFixed(3)} are refused as not held by these manuals; of ${strange.length} about the others ${through.toFixed(3)} are let through.\n\n`,
    );
    return found;
  } finally {
    await server.stop();
  }
}

async function answers(call: Caller, id: number, questions: Question[], more: object): Promise<SearchHits[]> {
  const found: SearchHits[] = [];
  for (const { question: query } of questions)
    found.push((await call('POST', `/v1/indexes/${id}/search`, { query, limit: nearest, ...more })).passages);
  return found;
}

async function shareRefused(call: Caller, id: number, questions: string[]): Promise<number> {
  let refused = 0;
  for (const query of questions)
    if (!(await call('POST', `/v1/indexes/${id}/search`, { query, limit: defaultPassages })).retrieval.found) refused++;
  return refused / Math.max(1, questions.length);
}

function describe({ question }: Question): string {
  return question;
}

/** Finds answers to the questions of both halves, so that the stored result serves both. */
async function foundByOthers(here: string): Promise<Record<string, SearchHits[]>> {
  const packages = resolve(values.packages ?? join(folder, 'packages'));
  const resultsFile = join(here, 'found.json');
  if (!existsSync(resultsFile))
    withPeers('retrieval/peers.py', [here, String(nearest)], { packages, threads: values.threads });
  return JSON.parse(await readFile(resultsFile, 'utf8')) as Record<string, SearchHits[]>;
}

/** Only one passage is relevant, so the gain is that of its first rank. */
function gain(found: SearchHits, { file, sentence }: Question): number {
  const place = found.findIndex((one) => one.file === file && plainWords(one.text).includes(sentence));
  return place < 0 ? 0 : 1 / Math.log2(place + 2);
}

function table(found: Record<string, SearchHits[]>, questions: Question[]): void {
  const mean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const rows = [
    `| | nDCG@10 | ${kinds.join(' | ')} | first | among ten | words of ten |`,
    '|---|---|---|---|---|---|---|---|',
  ];
  for (const [side, lists] of Object.entries(found)) {
    const gains = questions.map((question, at) => gain(lists[at]!, question));
    const of = (kind: string) => mean(gains.filter((_, at) => questions[at]!.kind === kind));
    const words = mean(lists.map((list) => list.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0)));
    const cells = [
      mean(gains),
      ...kinds.map(of),
      mean(gains.map((one) => +(one === 1))),
      mean(gains.map((one) => +(one > 0))),
    ];
    rows.push(`| ${side} | ${cells.map((cell) => cell.toFixed(3)).join(' | ')} | ${words.toFixed(0)} |`);
  }
  process.stdout.write(`${rows.join('\n')}\n`);
}
