// Prepared queries of hot paths, built and compiled once: building one costs several times as much as running it.
import { CompiledQuery, type Kysely } from 'kysely';
import type { Engine, Store } from './database.ts';
import type { Tables } from './schema.ts';

/** Placeholder of a value that each run supplies. Typed as the value, so that the query builder type-checks it. */
class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Fill<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name];

interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/** `prepared<{ id: number }>()((db, hole) => db.selectFrom('keys').selectAll().where('id', '=', hole('id')))` returns its runner. */
export function prepared<Values extends Record<string, unknown>>() {
  return <Row>(build: (db: Kysely<Tables>, hole: Fill<Values>) => Compilable<Row>) => {
    const compiled = new Map<Engine, CompiledQuery<Row>>();
    return async ({ engine, db, direct }: Pick<Store, 'engine' | 'db' | 'direct'>, values: Values): Promise<Row[]> => {
      let query = compiled.get(engine);
      if (!query) {
        query = build(db, (name) => new Hole(name) as never).compile();
        compiled.set(engine, query);
      }
      const parameters = query.parameters.map((parameter) =>
        parameter instanceof Hole ? values[parameter.name] : parameter,
      );
      const rows =
        direct?.(query.sql, parameters) ?? (await db.executeQuery(CompiledQuery.raw(query.sql, parameters))).rows;
      return rows as Row[];
    };
  };
}
