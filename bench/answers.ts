// ./lorekeep bench answers: right, wrong and missing answers to questions about realistic documents, by the model and by
// quotations. `--side choosing` asks about the documents that quotations were developed on, `--side held-out` about unseen ones,
// with totals only; `--model lorekeep/quill`, `--threads 1`, `--by quote` for one way alone.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { expectedOf } from '../server/src/documents/quoting/expected.ts';
import { type Asked, documentsOf, isRight, questionsOf, sides } from './answers/documents.ts';
import { type Caller, callerOf, untilEmbedding } from './index/calls.ts';
import { startProduct } from './processes.ts';

const { values } = parseArgs({
  options: {
    side: { type: 'string', default: 'reporting' },
    model: { type: 'string', default: 'lorekeep/quill' },
    threads: { type: 'string', default: '1' },
    by: { type: 'string' },
  },
});
const side = sides.find((one) => one === values.side);
if (!side) throw new Error(`--side is one of ${sides.join(', ')}.`);
const ways = values.by ? [values.by] : ['generate', 'quote'];
const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const server = await startProduct(folder, { LOREKEEP_ENGINE_THREADS: values.threads, LOREKEEP_SLOTS: '0' });
try {
  const { call, atRest } = callerOf(server);
  await untilEmbedding(call);
  const form = new FormData();
  form.append('model_name', values.model);
  for (const { name, bytes } of await documentsOf(side)) form.append('files', new Blob([bytes]), name);
  const { job_id } = await call('POST', '/alpha/memory-rag/train', form);
  const { status, error } = await atRest(job_id);
  if (status !== 'COMPLETED') throw new Error(`${status}: ${error}`);
  const questions = await questionsOf(side);
  const rows = [];
  for (const way of ways) rows.push(await measured(call, job_id, questions, way));
  process.stdout.write(
    `\n${side} side, ${values.model}: ${questions.filter(({ right }) => right.length > 0).length} questions that the documents answer, ` +
      `${questions.filter(({ right }) => right.length === 0).length} that they do not.\n\n` +
      `| | right | wrong | not answered | the right file first | declined of those not answered there | wrong numbers |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`,
  );
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measured(call: Caller, job_id: number, questions: Asked[], answer: string): Promise<string> {
  const count = { right: 0, wrong: 0, none: 0, first: 0, declined: 0, numbers: 0 };
  for (const asked of questions) {
    const body = { job_id, prompt: asked.question, answer, max_tokens: 64 };
    const { outputs, citations } = await call('POST', '/alpha/memory-rag/completions', body);
    const said = String(outputs[0]).trim();
    const none = said === 'The documents do not say.';
    const verdict = none ? 'none' : isRight(asked, said) ? 'right' : 'wrong';
    if (side !== 'held-out') process.stdout.write(`${answer} ${verdict}: ${asked.question} ${JSON.stringify(said)}\n`);
    count.numbers += verdict === 'wrong' && asksNumber(asked) && /\d/.test(said) ? 1 : 0;
    if (asked.right.length === 0) count.declined += none ? 1 : 0;
    else {
      count[verdict]++;
      count.first += citations[0]?.file === asked.file ? 1 : 0;
    }
  }
  const { right, wrong, none, first, declined, numbers } = count;
  return `| ${answer} | ${right} | ${wrong} | ${none} | ${first} | ${declined} | ${numbers} |`;
}

function asksNumber({ question }: Asked): boolean {
  return ['number', 'money', 'time'].includes(expectedOf(question)?.kind ?? 'none');
}
