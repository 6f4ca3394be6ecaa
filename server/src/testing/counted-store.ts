// A store that counts the queries and the rows that are read through it.
import type { KyselyPlugin } from 'kysely';
import type { Store } from '../store/database.ts';

export interface Read {
  queries: number;
  rows: number;
}

export function countedStore(store: Store): { store: Store; read: (work: () => Promise<unknown>) => Promise<Read> } {
  let now: Read = { queries: 0, rows: 0 };
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      now.queries++;
      now.rows += result.rows.length;
      return result;
    },
  };
  return {
    store: { ...store, db: store.db.withPlugin(counter) },
    read: async (work) => {
      now = { queries: 0, rows: 0 };
      await work();
      return now;
    },
  };
}
