// The figures of evaluations by target: right answers, times, tokens, and for tuned models the right answers by outcome.
import { type Evaluation, type Outcome, outcomeNames } from '@lorekeep/contract';
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';

export type Figures = Omit<Evaluation['targets'][number], 'name' | 'model_name' | 'prompt' | 'job_id'>;

export const noFigures: Figures = {
  answered: 0,
  failed: 0,
  exact: null,
  normalised: null,
  outcomes: null,
  latency_ms: null,
  prompt_tokens: 0,
  completion_tokens: 0,
};

/** Figures by the id of the evaluation and the index of the target: "7 0". */
export async function figuresOf(store: Store, ids: number[]): Promise<Map<string, Figures>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('evaluation_answers')
    .select(['evaluation_id', 'target'])
    .select((eb) => [
      eb.fn.countAll<number>().as('answered'),
      eb.fn.count<number>('error').as('failed'),
      eb.fn.sum<number>('exact').as('exact'),
      eb.fn.sum<number>('normalised').as('normalised'),
      sql<number | null>`avg(case when error is null then milliseconds end)`.as('mean'),
      sql<number | null>`max(case when error is null then milliseconds end)`.as('longest'),
      eb.fn.sum<number>('prompt_tokens').as('prompt_tokens'),
      eb.fn.sum<number>('completion_tokens').as('completion_tokens'),
    ])
    .where('evaluation_id', 'in', ids)
    .groupBy(['evaluation_id', 'target'])
    .execute();
  const outcomes = await outcomesOf(store, ids);
  return new Map(
    rows.map((row) => {
      const target = `${row.evaluation_id} ${row.target}`;
      return [
        target,
        {
          answered: Number(row.answered),
          failed: Number(row.failed),
          exact: Number(row.exact) / Number(row.answered),
          normalised: Number(row.normalised) / Number(row.answered),
          outcomes: outcomes.get(target) ?? null,
          latency_ms: row.mean === null ? null : { mean: Math.round(Number(row.mean)), longest: Number(row.longest) },
          prompt_tokens: Number(row.prompt_tokens),
          completion_tokens: Number(row.completion_tokens),
        },
      ];
    }),
  );
}

type Outcomes = NonNullable<Figures['outcomes']>;

async function outcomesOf(store: Store, ids: number[]): Promise<Map<string, Outcomes>> {
  const rows = await store.db
    .selectFrom('evaluation_answers')
    .select(['evaluation_id', 'target', 'outcome'])
    .select((eb) => [
      eb.fn.countAll<number>().as('answered'),
      eb.fn.sum<number>('exact').as('exact'),
      eb.fn.sum<number>('normalised').as('normalised'),
    ])
    .where('evaluation_id', 'in', ids)
    .where('outcome', 'is not', null)
    .groupBy(['evaluation_id', 'target', 'outcome'])
    .execute();
  const found = new Map<string, Outcomes>();
  for (const { evaluation_id, target, outcome, answered, exact, normalised } of rows) {
    const name = `${evaluation_id} ${target}`;
    const counts = found.get(name) ?? noOutcomes();
    counts[outcome as Outcome] = {
      answered: Number(answered),
      exact: Number(exact),
      normalised: Number(normalised),
    };
    found.set(name, counts);
  }
  return found;
}

const noOutcomes = () =>
  Object.fromEntries(outcomeNames.map((name) => [name, { answered: 0, exact: 0, normalised: 0 }])) as Outcomes;
