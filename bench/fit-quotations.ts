// ./lorekeep bench fit-quotations: fits the weights of quotations (server/src/documents/quoting/weights.ts) to the development documents of
// `bench answers`, prints them, and counts the answers by the present weights and by weights fitted without the document asked about.
// `--penalty 0.0002` is the L2 penalty of the weights.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { featureNames } from '../server/src/documents/quoting/features.ts';
import { excerptOf, quoteFrom, type Ranked, rankedBy } from '../server/src/documents/quoting/quote.ts';
import { cosine } from '../server/src/documents/quoting/quoter.ts';
import type { QuotedPassage } from '../server/src/documents/quoting/units.ts';
import { questionWords } from '../server/src/documents/quoting/words.ts';
import { type Asked, documentsOf, isRight, questionsOf, type Side } from './answers/documents.ts';
import type { Recorded } from './answers/record-passages.ts';
import { type Fit, fitted, type Group, scoreOf } from './answers/regression.ts';
import { type Caller, callerOf, untilEmbedding } from './index/calls.ts';
import { startProduct } from './processes.ts';

const sides: Side[] = ['choosing', 'unseen', 'various', 'short'];
const { values } = parseArgs({ options: { penalty: { type: 'string', default: '0.0002' } } });
const penalty = Number(values.penalty);

interface Example extends Group {
  asked: Asked;
  passages: QuotedPassage[];
  ranked: Ranked[];
  /** Whether the lines that contain the answer were removed. */
  without: boolean;
}

const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const recording = join(folder, 'recorded.jsonl');
const server = await startProduct(folder, {
  LOREKEEP_SLOTS: '0',
  RECORDED_PASSAGES: recording,
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'answers/record-passages.ts')}`,
});
const examples: Example[] = [];
try {
  const { call, atRest } = callerOf(server);
  await untilEmbedding(call);
  for (const side of sides) examples.push(...(await examplesOf(side, call, atRest)));
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

const fit = fitted(examples, featureNames.length, penalty);
process.stdout.write(`const bias = ${rounded(fit.bias)};\n`);
for (const [at, name] of featureNames.entries())
  process.stdout.write(`  ${/\W/.test(name) ? `'${name}'` : name}: ${rounded(fit.weights[at]!)},\n`);

process.stdout.write(
  '\n| weights | right | wrong | not answered | answered without the lines that answer |\n|---|---|---|---|---|\n',
);
process.stdout.write(counted('present', () => undefined));
process.stdout.write(counted('fitted', () => fit));
const byFile = new Map<string, Fit>();
for (const file of new Set(examples.map(({ asked }) => asked.file))) {
  const others = examples.filter(({ asked }) => asked.file !== file);
  byFile.set(file, fitted(others, featureNames.length, penalty));
}
process.stdout.write(counted('fitted to the other documents', ({ file }) => byFile.get(file)));

/** Each question twice, with the passages as found and without the lines that answer it. */
async function examplesOf(side: Side, call: Caller, atRest: ReturnType<typeof callerOf>['atRest']): Promise<Example[]> {
  const form = new FormData();
  form.append('model_name', 'lorekeep/quill');
  for (const { name, bytes } of await documentsOf(side)) form.append('files', new Blob([bytes]), name);
  const { job_id } = await call('POST', '/alpha/memory-rag/train', form);
  const { status, error, embedder } = await atRest(job_id);
  if (status !== 'COMPLETED') throw new Error(`${status}: ${error}`);
  const found: Example[] = [];
  for (const asked of await questionsOf(side)) {
    await call('POST', '/alpha/memory-rag/completions', { job_id, prompt: asked.question, answer: 'quote' });
    const { passages } = JSON.parse((await readFile(recording, 'utf8')).trim().split('\n').at(-1)!) as Recorded;
    found.push(await exampleOf(asked, passages, false, embedder, call));
    if (asked.right.length === 0) continue;
    const others = passages.map((passage) => ({ ...passage, text: withoutAnswers(passage.text, asked) }));
    found.push(await exampleOf(asked, others, true, embedder, call));
  }
  return found;
}

async function exampleOf(
  asked: Asked,
  passages: QuotedPassage[],
  without: boolean,
  model: string,
  call: Caller,
): Promise<Example> {
  const words = questionWords(asked.question);
  const ranked = await rankedBy(asked.question, words, passages, async (question, texts) => {
    const { data } = await call('POST', '/v1/embeddings', { model, input: [question, ...texts] });
    const [first, ...others] = (data as { embedding: number[] }[]).map(({ embedding }) => Float32Array.from(embedding));
    return others.map((vector) => cosine(first!, vector));
  });
  const right = ranked.map((one) => isRight(asked, excerptOf(one, ranked, passages, words)?.text ?? ''));
  return { asked, passages, ranked, without, candidates: ranked.map(({ features }) => features), right };
}

function withoutAnswers(text: string, { right }: Asked): string {
  return text
    .split('\n')
    .filter((line) => !isRight({ file: '', question: '', right }, line))
    .join('\n');
}

/** A row of the table: counts of the answers chosen by the weights for each question. */
function counted(name: string, fitOf: (asked: Asked) => Fit | undefined): string {
  const count = { right: 0, wrong: 0, none: 0, without: 0 };
  for (const { asked, passages, ranked, without } of examples) {
    const fit = fitOf(asked);
    const again = fit
      ? ranked
          .map((one) => ({ ...one, confidence: scoreOf(one.features, fit) }))
          .sort((one, other) => other.confidence - one.confidence)
      : ranked;
    const quote = quoteFrom(again, asked.question, passages, questionWords(asked.question));
    if (without) count.without += quote ? 1 : 0;
    else if (asked.right.length > 0) count[!quote ? 'none' : isRight(asked, quote.text) ? 'right' : 'wrong']++;
    else count.wrong += quote ? 1 : 0;
  }
  return `| ${name} | ${count.right} | ${count.wrong} | ${count.none} | ${count.without} |\n`;
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
