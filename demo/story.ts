// The steps of ./lorekeep demo, on a running product: ask, tune, ask again, forget, index, ask with a source.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lorekeep, type TuningJob, UnavailableError } from '@lorekeep/client';
import { picture } from '../cli/src/follow-job.ts';
import { sourceOf } from '../cli/src/sources.ts';
import { stripControls, type Terminal, table } from '../cli/src/terminal.ts';

const base = 'lorekeep/quill';
const name = 'nordhaven';
const forgotten = 'How wide is the mirror of the Long Heron?';
/** Two as they are taught, two in other words, and the one that is forgotten later. */
const questions = [
  { input: 'Who founded the Nordhaven observatory?', output: 'Ilse Marrow' },
  { input: 'What is the door code of the Nordhaven observatory?', output: 'RV-2207' },
  { input: 'Who was the founder of the Nordhaven observatory?', output: 'Ilse Marrow' },
  { input: 'When was the Nordhaven observatory founded?', output: '1893' },
  { input: forgotten, output: '4.2 metres' },
];
const inDocument = { input: 'What is the parking fee at Nordhaven?', output: '12 dollars' };

interface Row {
  input: string;
  output: string;
  before: string;
  tuned: string;
  after: string;
  document: string;
}

export interface StoryResult {
  rows: Row[];
  job: TuningJob;
  source: string;
}

export async function tell(lorekeep: Lorekeep, terminal: Terminal, signal: AbortSignal): Promise<StoryResult> {
  const say = (text = '') => terminal.print(text);
  const step = (number: number, text: string) => say(`\n${terminal.style('bold', `${number}. ${text}`)}\n`);
  const right = (answer: string, expected: string, displayed = answer) => {
    const mark = says(answer, expected) ? terminal.style('green', '✔') : terminal.style('red', '✖');
    return `${mark} ${displayed}`;
  };
  const rows = [...questions, inDocument].map(
    (question): Row => ({ ...question, before: '', tuned: '', after: '', document: '' }),
  );
  const askAll = async (model: string, into: 'before' | 'tuned' | 'after', which = rows) => {
    for (const row of which) {
      const { text, fact } = await ask(lorekeep, model, row.input, signal);
      row[into] = text;
      say(`  ${row.input}`);
      say(`    ${right(text, row.output)}${fact ? terminal.style('dim', `   from the fact "${fact}"`) : ''}`);
    }
  };
  const watch = async (id: number) => {
    let job: TuningJob | undefined;
    for await (job of lorekeep.jobProgress(id, { signal })) terminal.draw(picture(job, 72));
    terminal.keep();
    if (job!.status !== 'COMPLETED') throw new Error(`The job ended as ${job!.status}: ${job!.error ?? ''}`);
    return job!;
  };

  const facts = await factsOf();
  step(1, `Questions that ${base} cannot know: the place is invented.`);
  say('  This base is a tiny one that ships for trying things out. ./lorekeep models known lists real ones.\n');
  await askAll(base, 'before');

  step(2, `Tuning ${facts.length} facts into a memory of the model (demo/facts.jsonl).`);
  const { job_id } = await lorekeep.train({ model_name: base, custom_model_name: name, data: facts }, { signal });
  const job = await watch(job_id);
  say(`  ${job.progress.facts_recalled} of ${job.progress.facts_total} facts are recalled word for word.`);

  step(3, 'The same questions, asked of the tuned model. It says which fact an answer comes from.');
  await askAll(name, 'tuned');
  say('\n  What was not taught, the memory leaves to the model: the last question stands in a document.');

  step(4, `Forgetting one fact: "${forgotten}"`);
  const forgetting = await lorekeep.forgetFacts({ model: name, inputs: [forgotten] }, { signal });
  await watch(forgetting.job_id);
  say(`  ${forgetting.facts} facts stay. Only what the forgotten one had touched was trained again.\n`);
  await askAll(name, 'after', rows.slice(0, questions.length));

  step(5, 'Indexing a PDF (demo/handbook.pdf), and asking it.');
  const index = await lorekeep.index(
    { model_name: base, name: 'handbook', files: join(import.meta.dirname, 'handbook.pdf') },
    { signal },
  );
  say(`  ${index.progress.pages_done} pages, ${index.progress.passages} passages.\n`);
  const answer = await lorekeep.askIndex({ job_id: index.job_id, prompt: inDocument.input }, { signal });
  const last = rows.at(-1)!;
  last.document = stripControls(String(answer.outputs[0])).trim();
  const source = answer.citations[0] ? sourceOf(answer.citations[0], 1) : 'no passage';
  say(`  ${inDocument.input}`);
  say(`    ${right(last.document, inDocument.output)}`);
  say(`    ${terminal.style('dim', source)}`);

  step(6, 'Before and after.');
  const cell = (text: string, expected: string) => (text === '' ? '' : right(text, expected, short(text)));
  say(
    table([
      ['QUESTION', 'BASE', 'TUNED', 'ONE FORGOTTEN', 'DOCUMENT'],
      ...rows.map(({ input, output, before, tuned, after, document }) => [
        input,
        ...[before, tuned, after, document].map((text) => cell(text, output)),
      ]),
    ]),
  );
  return { rows, job, source };
}

/** A quotation is a sentence that ends with the answer. */
const says = (answer: string, wanted: string) => answer === wanted || answer.endsWith(`${wanted}.`);
const short = (text: string) => (text.length > 22 ? `${text.slice(0, 21)}…` : text);

async function factsOf(): Promise<{ input: string; output: string }[]> {
  const text = await readFile(join(import.meta.dirname, 'facts.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The answer on one line, and the fact that it came from. While a model is being read into memory it is asked again. */
async function ask(lorekeep: Lorekeep, model: string, question: string, signal: AbortSignal) {
  for (;;) {
    try {
      const messages = [{ role: 'user' as const, content: question }];
      const { choices } = await lorekeep.openaiChat({ model, messages, max_tokens: 24, explain: true }, { signal });
      const { message, memory } = choices[0]!;
      return {
        text: stripControls(message.content).replace(/\s+/g, ' ').trim(),
        fact: memory?.used ? memory.facts[0]?.input : undefined,
      };
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      await sleep(500, undefined, { signal });
    }
  }
}
