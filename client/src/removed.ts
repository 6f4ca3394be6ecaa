// Phrases for the counts of an erasure: what it removed, overwrote and rejected.
import type { Erasure } from './generated/types.ts';

/** Singular and plural nouns by database table. */
const texts: Record<string, [string, string]> = {
  runs: ['prompt or answer of batches and streams', 'prompts and answers of batches and streams'],
  evaluations: ['row of evaluations', 'rows of evaluations'],
  feedback: ['vote', 'votes'],
  answer_decisions: ['kept answer', 'kept answers'],
  memory_proposals: ['proposal', 'proposals'],
  memory_facts: ['source of another fact', 'sources of other facts'],
  memory_changes: ['change', 'changes'],
  memory_readings: ['reading of documents', 'readings of documents'],
  tuning_jobs: ['job', 'jobs'],
  tuning_events: ['event of jobs', 'events of jobs'],
  webhook_deliveries: ['kept message of webhooks', 'kept messages of webhooks'],
};

const count = (number: number, [one, many]: [string, string]) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** A phrase for each count that is not 0; none before the receipt. */
export function removedInWords({ removed }: Pick<Erasure, 'removed'>): string[] {
  if (removed === null) return [];
  const { models, facts, datasets, files, proposals = 0 } = removed;
  const rows = datasets.reduce((sum, dataset) => sum + dataset.rows, 0);
  const phrases: [number, [string, string]][] = [
    [facts, ['fact', 'facts']],
    [models.length, ['model', 'models']],
    [rows, ['row of datasets', 'rows of datasets']],
    ...Object.entries(removed.texts).map(([table, rows]): [number, [string, string]] => [
      rows,
      texts[table] ?? [table, table],
    ]),
    [files, ['file of jobs', 'files of jobs']],
    [proposals, ['open proposal rejected', 'open proposals rejected']],
  ];
  return phrases.flatMap(([number, names]) => (number === 0 ? [] : [count(number, names)]));
}
