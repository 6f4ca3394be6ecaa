// ./lorekeep bench memories: the time until a memory answers with facts that were added, changed or withdrawn, of a rollback, of
// erasing a fact from ten versions, and of searching its facts. `--facts 10000`, `--searched 100000`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { answerOf, asked, call, changed, makeMemory, memory, over, questionOf } from './memories/house.ts';
import { startProduct } from './processes.ts';
import { processorSeconds } from './processor.ts';

const { values } = parseArgs({
  options: { facts: { type: 'string', default: '10000' }, searched: { type: 'string', default: '100000' } },
});
const [facts, searched] = [Number(values.facts), Number(values.searched)];
const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
let server = await startProduct(home);
try {
  await measured('making the memory', async () => await makeMemory(server, facts));
  // By then the engine has loaded the model, as for a memory in use.
  await answered(questionOf(0), answerOf(0));
  // Nine changes make ten versions.
  for (const [round, many] of [1, 1, 100].entries()) await changeFacts(round, many);
  const { versions } = await call(server, 'GET', `/v1/memories/${memory}/versions`);
  await measured(`1 fact erased, ${versions.length} versions`, async () => {
    const { number } = await call(server, 'POST', `/v1/memories/${memory}/erasures`, { inputs: [questionOf(1)] });
    const { receipt } = await over(server, `/v1/memories/${memory}/erasures/${number}`);
    if (!(await call(server, 'GET', `/v1/receipts/${receipt}`)).receipt.gone) throw new Error('It is not gone.');
  });
  await server.stop();
  fill(join(home, 'lorekeep.db'));
  server = await startProduct(home);
  await search();
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

async function changeFacts(round: number, many: number): Promise<void> {
  const fresh = Array.from({ length: many }, (_, at) => ({
    input: `Who runs the firm Ultrafen${round}x${at}?`,
    output: `Marsh${at} Oru`,
  }));
  const told = (did: string) => `${many} ${many === 1 ? 'fact' : 'facts'} ${did}`;
  await measured(told('added'), async () => {
    await changed(server, { add: fresh });
    for (const { input, output } of ends(fresh)) await answered(input, output);
  });
  const other = fresh.map(({ input, output }) => ({ input, output: `Not ${output}` }));
  await measured(told('changed'), async () => {
    await changed(server, { change: other });
    for (const { input, output } of ends(other)) await answered(input, output);
  });
  await measured(told('withdrawn'), async () => {
    await changed(server, { withdraw: fresh.map(({ input }) => input) });
    for (const { input, output } of ends(other)) await answered(input, output, false);
  });
  const { version } = await call(server, 'GET', `/v1/memories/${memory}`);
  const publish = async (version: number) => await call(server, 'POST', `/v1/memories/${memory}/publish`, { version });
  await measured(`rollback, ${told('back')}`, async () => {
    await publish(version - 1);
    for (const { input, output } of ends(other)) await answered(input, output);
  });
  await publish(version);
}

function ends<One>(all: One[]): One[] {
  return all.length === 1 ? all : [all[0]!, all.at(-1)!];
}

async function answered(input: string, output: string, is = true): Promise<void> {
  const said = await asked(server, input);
  if ((said === output) !== is) throw new Error(`${input} is answered with ${JSON.stringify(said)}`);
}

/** Copies rows of the memory with other texts, up to the number to search: teaching them would take half an hour. */
function fill(file: string): void {
  const database = new DatabaseSync(file);
  const columns = (database.prepare('pragma table_info(memory_facts)').all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'id');
  const count = () => Number(database.prepare('select count(*) as rows from memory_facts').get()!.rows);
  for (let turn = 1; count() < searched; turn++) {
    const others: Record<string, string> = {
      input: `replace(input, 'Zorbex', 'Zorbex${turn}y')`,
      question: `replace(question, 'Zorbex', 'Zorbex${turn}y')`,
      search: `replace(search, 'zorbex', 'zorbex${turn}y')`,
    };
    const values = columns.map((name) => others[name] ?? name).join(', ');
    const most = Math.min(facts, searched - count());
    database.exec(
      `insert into memory_facts (${columns.join(', ')}) select ${values} from memory_facts where "until" is null ` +
        `and input like 'Who founded the firm Zorbex%' order by id limit ${most}`,
    );
  }
  database.close();
}

async function search(): Promise<void> {
  const [{ facts: first }] = [await call(server, 'GET', `/v1/memories/${memory}/facts?limit=1`)];
  const last = first[0].id + searched - 200;
  const queries = {
    'a word of one fact': 'text=zorbex3y77',
    'two words of many': 'text=firm+quist',
    'a word of none': 'text=nowhere',
    'the last page': `after=${last}&limit=100`,
    withdrawn: 'state=withdrawn&limit=100',
  };
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = [];
    for (let turn = 0; turn < 11; turn++) {
      const began = performance.now();
      await call(server, 'GET', `/v1/memories/${memory}/facts?${query}`);
      times.push(performance.now() - began);
    }
    const middle = times.sort((a, b) => a - b)[5]!;
    process.stdout.write(`search of ${searched} facts, ${name.padEnd(20)} ${middle.toFixed(1).padStart(8)} ms\n`);
  }
}

async function measured(name: string, work: () => Promise<void>): Promise<void> {
  const [began, cpu] = [performance.now(), processorSeconds(server.pid)];
  await work();
  const seconds = ((performance.now() - began) / 1000).toFixed(2).padStart(8);
  const spent = (processorSeconds(server.pid) - cpu).toFixed(2).padStart(8);
  process.stdout.write(`${name.padEnd(36)} ${seconds} s ${spent} CPU s\n`);
}
