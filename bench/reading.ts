// ./lorekeep bench reading: how many questions about prose that people wrote the base that ships answers from one passage among four
// others, through the service and in its words. `--asked 60`, `--threads 1`; `--write` keeps the figure in its lorekeep.json, where the
// service looks whether answers from documents are to be quotations.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { questionWithContext } from '../server/src/documents/answers/context.ts';
import { passageCharacters } from '../server/src/models/passage-characters.ts';
import { callerOf, untilEmbedding } from './index/calls.ts';
import { startProduct } from './processes.ts';
import { isRight, type Reading, readingsOf } from './reading/passages.ts';

const { values } = parseArgs({
  options: {
    asked: { type: 'string', default: '60' },
    threads: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const model = 'lorekeep/quill';
const folder = resolve(import.meta.dirname, '../models/quill');
const others = 4;

const readings = await readingsOf();
const all = readings.flatMap((reading) => reading.items.map((item) => ({ reading, ...item })));
const step = Math.max(1, all.length / Number(values.asked));
const chosen = Array.from({ length: Math.floor(all.length / step) }, (_, at) => all[Math.floor(at * step)]!);

/** The passage among others of other topics, in the prompt that the service makes of found passages. */
function prompt(reading: Reading, question: string, at: number, characters: number): string {
  const strange = readings.filter(({ topic }) => topic !== reading.topic);
  const beside = Array.from({ length: others }, (_, other) => strange[(at * 7 + other * 11) % strange.length]!);
  const passages = [...beside.slice(0, at % (others + 1)), reading, ...beside.slice(at % (others + 1))];
  return questionWithContext(
    question,
    passages.map(({ text }) => ({ text, title: null, heading: null, header: null })),
    characters,
  );
}

const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const server = await startProduct(home, { LOREKEEP_ENGINE_THREADS: values.threads, LOREKEEP_SLOTS: '0' });
try {
  const { call } = callerOf(server);
  await untilEmbedding(call);
  const characters = await passageCharacters(folder);
  let right = 0;
  for (const [at, { reading, question, answers }] of chosen.entries()) {
    const messages = [{ role: 'user', content: prompt(reading, question, at, characters) }];
    const { choices } = await call('POST', '/inf/chat/completions', { model, messages, max_tokens: 48 });
    const said = choices[0].message.content;
    const good = isRight(said, answers);
    right += good ? 1 : 0;
    process.stdout.write(`${good ? 'right' : 'wrong'} ${question} ${JSON.stringify(said)} (${answers[0]})\n`);
  }
  const reading = { asked: chosen.length, right };
  process.stdout.write(`${JSON.stringify(reading)}, ${(right / chosen.length).toFixed(3)}\n`);
  if (values.write) {
    const file = join(folder, 'lorekeep.json');
    const known = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, `${JSON.stringify({ ...known, reading }, null, 2)}\n`);
  }
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}
