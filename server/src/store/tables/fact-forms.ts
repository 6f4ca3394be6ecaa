// A migration that rewrites the columns by which facts of memories are found, since their form has changed.
import { type Kysely, sql } from 'kysely';
import { questionKey } from '../../files/question-key.ts';

const rowsAtOnce = 1000;

interface Row {
  id: number;
  input: string;
  question: string;
}

export const factFormsMigration = {
  name: 'forms by which facts are found',
  async up(db: Kysely<never>): Promise<void> {
    for (let after = 0; ; ) {
      const { rows } = await sql<Row>`
        select id, input, question from memory_facts where id > ${after} order by id limit ${rowsAtOnce}`.execute(db);
      for (const { id, input, question } of rows) {
        const now = questionKey(input);
        if (now !== question) await sql`update memory_facts set question = ${now} where id = ${id}`.execute(db);
      }
      if (rows.length < rowsAtOnce) return;
      after = Number(rows.at(-1)!.id);
    }
  },
};
