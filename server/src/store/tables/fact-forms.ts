// Migration that recomputes the lookup columns of facts (question key, search text), since their format has changed.
import { type Kysely, sql } from 'kysely';
import { questionKey } from '../../files/question-key.ts';
import { searchForm } from '../../files/search-form.ts';

const rowsAtOnce = 1000;

interface Row {
  id: number;
  input: string;
  output: string;
  subject: string | null;
  /** JSON; an erasure may have overwritten texts of it and left them in `search`. */
  source: string | null;
  question: string;
  search: string;
}

export const factFormsMigration = {
  name: 'forms by which facts are found',
  async up(db: Kysely<never>): Promise<void> {
    for (let after = 0; ; ) {
      const { rows } = await sql<Row>`
        select id, input, output, subject, source, question, search from memory_facts where id > ${after} order by id limit ${rowsAtOnce}`.execute(
        db,
      );
      for (const { id, question, search, ...fact } of rows) {
        const now = { question: questionKey(fact.input), search: searchOf(fact) };
        if (now.question !== question || now.search !== search)
          await sql`update memory_facts set question = ${now.question}, search = ${now.search} where id = ${id}`.execute(
            db,
          );
      }
      if (rows.length < rowsAtOnce) return;
      after = Number(rows.at(-1)!.id);
    }
  },
};

function searchOf({ input, output, subject, source }: Pick<Row, 'input' | 'output' | 'subject' | 'source'>): string {
  const { name = '', quote = '' } = source === null ? {} : (JSON.parse(source) as { name?: string; quote?: string });
  const texts = source === null ? [] : [name, quote];
  return searchForm([input, output, subject ?? '', ...texts].join('\n'));
}
