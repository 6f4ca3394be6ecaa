// ./lorekeep bench use: how far taught facts are used: asked in other words, on from earlier messages, turned around, several at
// once, in a form. Each question is asked of the base, of the base with facts in the prompt, of a lookup, of a document index of the
// facts as sentences, of a LoRA, of a model that only recites, and of the product. `--side develop`, `--seed 3`, `--each 20`,
// `--base FOLDER`, `--embedder FOLDER`, `--systems base,product`, `--epochs 10` of the LoRA.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerOf, untilEmbedding } from './index/calls.ts';
import { runPython } from './memory/python.ts';
import { startProduct } from './processes.ts';

const given = process.argv.slice(2);
const systems = given[given.indexOf('--systems') + 1];
const asksDocuments = !given.includes('--systems') || systems?.split(',').includes('documents') === true;

if (given.includes('--help') || given.includes('-h') || !asksDocuments) runPython('memory/use.py', given);
else {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-use-'));
  try {
    runPython('memory/use.py', [...given, '--write', folder]);
    if (!process.exitCode) {
      await writeFile(join(folder, 'answers.jsonl'), await answersOfIndex(folder));
      runPython('memory/use.py', [...given, '--documents', join(folder, 'answers.jsonl')]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The answers of a document index of the facts as sentences, a line each. */
async function answersOfIndex(folder: string): Promise<string> {
  const server = await startProduct(join(folder, 'home'), { LOREKEEP_SLOTS: '0' });
  try {
    const { call, form, atRest } = callerOf(server);
    await untilEmbedding(call);
    const text = await readFile(join(folder, 'facts.txt'), 'utf8');
    const { job_id } = await call('POST', '/alpha/memory-rag/train', form([{ name: 'facts.txt', text }]));
    const { status, error } = await atRest(job_id);
    if (status !== 'COMPLETED') throw new Error(`${status}: ${error}`);
    const asked = JSON.parse(await readFile(join(folder, 'questions.json'), 'utf8')) as unknown[];
    const lines: string[] = [];
    for (const messages of asked) {
      const begun = performance.now();
      const body = { model: `index/${job_id}`, messages, max_tokens: 64 };
      const { choices, usage } = await call('POST', '/v1/chat/completions', body);
      const seconds = (performance.now() - begun) / 1000;
      lines.push(JSON.stringify({ text: choices[0].message.content, tokens: usage.prompt_tokens, seconds }));
    }
    return `${lines.join('\n')}\n`;
  } finally {
    await server.stop();
  }
}
