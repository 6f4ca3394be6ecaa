// Erases texts of facts in rows of the database: prompts and answers of runs, questions and answers of evaluations, reports
// of jobs and changes, messages of webhooks. The texts are overwritten and the rows stay.
import { type SqlBool, sql } from 'kysely';
import { erasedMark } from '../erased-text.ts';
import { type ErasureScope, preselects, rowsAtOnce } from './kept-place.ts';
import { eraseDecisions, eraseVotes } from './stored-feedback.ts';
import { type ErasedProposals, eraseProposals } from './stored-proposals.ts';
import { eraseOrdered, eraseSources } from './stored-sources.ts';

const jsonMark = JSON.stringify(erasedMark);
export interface ErasedTexts {
  /** Number of overwritten and deleted rows by table. */
  counts: Record<string, number>;
  proposals: ErasedProposals['rejected'];
  /** Versions whose models keep a source with a quote of an erased fact. */
  quoting: number[];
}

export async function eraseTexts(place: ErasureScope): Promise<ErasedTexts> {
  const counts: Record<string, number> = {};
  const add = (table: string, count: number) => {
    if (count > 0) counts[table] = (counts[table] ?? 0) + count;
  };
  for (const [table, work] of Object.entries({ runs, evaluations, ...plainTables })) add(table, await work(place));
  add('answer_decisions', await eraseDecisions(place));
  add('feedback', await eraseVotes(place));
  add('memory_changes', await eraseOrdered(place));
  const sources = await eraseSources(place);
  add('memory_facts', sources.count);
  const proposals = await eraseProposals(place);
  add('memory_proposals', proposals.count);
  return { counts, proposals: proposals.rejected, quoting: sources.versions };
}

async function runs(place: ErasureScope): Promise<number> {
  const { change, accountId, text, models } = place;
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await change
      .selectFrom('runs')
      .select(['id', 'model', 'request', 'error'])
      .where('account_id', '=', accountId)
      .where('id', '>', after)
      .where((eb) =>
        eb.or([
          preselects(place, 'request'),
          eb.exists(
            eb
              .selectFrom('answers')
              .select('place')
              .whereRef('run_id', '=', 'runs.id')
              .where(preselects(place, 'output', 'memory')),
          ),
        ]),
      )
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute();
    if (rows.length === 0) return count;
    after = rows.at(-1)!.id;
    for (const { id, model, request } of rows) {
      const left = text.withoutIn(request, models.has(model));
      if (left !== undefined) {
        await change.updateTable('runs').set({ request: left }).where('id', '=', id).execute();
        count++;
      }
      const gone = left === undefined ? new Set<number>() : placesIn(left);
      const answers = await change.selectFrom('answers').selectAll().where('run_id', '=', id).execute();
      for (const { place: at, output, memory, error } of answers) {
        const whole = gone.has(at);
        const ours = models.has(model);
        const next = {
          output: whole ? jsonMark : text.withoutIn(output, ours),
          ...(memory !== null && { memory: whole ? 'null' : text.withoutIn(memory, ours) }),
          ...(error !== null && { error: whole ? null : text.withoutIn(error, ours) }),
        };
        const set = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
        if (Object.keys(set).length === 0) continue;
        await change.updateTable('answers').set(set).where('run_id', '=', id).where('place', '=', at).execute();
        count++;
      }
    }
  }
}

/** Indexes of overwritten prompts. A request holds a list of prompts or a single one. */
function placesIn(request: string): Set<number> {
  const { prompts, prompt } = JSON.parse(request) as { prompts?: unknown; prompt?: unknown };
  const all: unknown[] = Array.isArray(prompts)
    ? prompts
    : Array.isArray(prompt)
      ? prompt
      : [prompts ?? prompt ?? request];
  return new Set(all.flatMap((one, at) => (JSON.stringify(one).includes(erasedMark) ? [at] : [])));
}

async function evaluations(place: ErasureScope): Promise<number> {
  const { change, accountId, text, models } = place;
  const rows = await change
    .selectFrom('evaluations')
    .select(['id', 'request'])
    .where('account_id', '=', accountId)
    .execute();
  let count = 0;
  for (const { id, request } of rows) {
    const ours = [...models].some((model) => request.includes(JSON.stringify(model)));
    const left = text.withoutIn(request, ours);
    if (left !== undefined) {
      await change.updateTable('evaluations').set({ request: left }).where('id', '=', id).execute();
      count++;
    }
    const questions = await change
      .selectFrom('evaluation_questions')
      .selectAll()
      .where('evaluation_id', '=', id)
      .where(preselects(place, 'input', 'output'))
      .execute();
    for (const { row, input, output } of questions) {
      if (text.withoutIn(input, ours) === undefined && text.withoutIn(output, ours) === undefined) continue;
      const of = { evaluation_id: id, row };
      await change
        .updateTable('evaluation_questions')
        .set({ input: jsonMark, output: jsonMark })
        .where('evaluation_id', '=', id)
        .where('row', '=', row)
        .execute();
      await change
        .updateTable('evaluation_answers')
        .set({ output: jsonMark, error: null })
        .where('evaluation_id', '=', of.evaluation_id)
        .where('row', '=', row)
        .execute();
      count++;
    }
    const answers = await change
      .selectFrom('evaluation_answers')
      .select(['target', 'row', 'output'])
      .where('evaluation_id', '=', id)
      .where(preselects(place, 'output'))
      .execute();
    for (const { target, row, output } of answers) {
      if (text.withoutIn(output, ours) === undefined) continue;
      await change
        .updateTable('evaluation_answers')
        .set({ output: jsonMark })
        .where('evaluation_id', '=', id)
        .where('target', '=', target)
        .where('row', '=', row)
        .execute();
      count++;
    }
  }
  return count;
}

interface Columns {
  table: 'memory_changes' | 'memory_readings' | 'tuning_jobs' | 'tuning_events' | 'webhook_deliveries';
  columns: string[];
  /** Selects the rows of the account in a table with an id. */
  where: (accountId: number) => ReturnType<typeof sql<SqlBool>>;
}

const jobsOf = (accountId: number) =>
  sql<SqlBool>`job_id in (select id from tuning_jobs where account_id = ${accountId})`;

/** Columns of text, or of JSON with texts. Reports of jobs and changes name questions. */
const plainTables = Object.fromEntries(
  (
    [
      {
        table: 'memory_changes',
        columns: ['reason', 'error'],
        where: (id) => sql<SqlBool>`memory_id in (select id from memories where account_id = ${id})`,
      },
      {
        table: 'memory_readings',
        columns: ['notices'],
        where: (id) => sql<SqlBool>`memory_id in (select id from memories where account_id = ${id})`,
      },
      {
        table: 'tuning_jobs',
        columns: ['error', 'progress', 'warnings', 'arguments'],
        where: (id) => sql<SqlBool>`account_id = ${id}`,
      },
      { table: 'tuning_events', columns: ['reason'], where: jobsOf },
      {
        table: 'webhook_deliveries',
        columns: ['body'],
        where: (id) => sql<SqlBool>`webhook_id in (select id from webhooks where account_id = ${id})`,
      },
    ] satisfies Columns[]
  ).map((columns: Columns) => [columns.table, (place: ErasureScope) => overwrite(place, columns)]),
);

async function overwrite(place: ErasureScope, { table, columns, where }: Columns): Promise<number> {
  const { change, accountId, text } = place;
  const named = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<{ id: number } & Record<string, string | null>>`
    select id, ${named} from ${sql.table(table)} where ${where(accountId)} and ${preselects(place, ...columns)}`.execute(
    change,
  );
  let count = 0;
  for (const row of rows) {
    const set = columns.flatMap((column) => {
      const old = row[column];
      const left = old === null || old === undefined ? undefined : text.withoutIn(old, true);
      return left === undefined ? [] : [sql`${sql.ref(column)} = ${left}`];
    });
    if (set.length === 0) continue;
    await sql`update ${sql.table(table)} set ${sql.join(set)} where id = ${row.id}`.execute(change);
    count++;
  }
  return count;
}
