// Reads the facts of a tuned model from its facts.jsonl.
import { createReadStream } from 'node:fs';
import type { AnswerOf, FactSource, listModelFacts } from '@lorekeep/contract';
import { jsonLines } from '@lorekeep/reader';
import type { TunedFolders } from './tuned-folders.ts';

export interface ModelFact {
  input: string;
  output: string;
  row: number;
  dataset_id: string | null;
  topic: string | null;
  recalled: boolean;
  /** A date, or a time in UTC. */
  valid_from?: string | undefined;
  valid_until?: string | undefined;
  source?: FactSource | undefined;
}

export async function* factsOf(folders: TunedFolders, model: string): AsyncGenerator<ModelFact> {
  for await (const line of jsonLines(createReadStream(await folders.facts(model))))
    if (line !== '') yield JSON.parse(line) as ModelFact;
}

/** A page of the facts of a model; `after` is the position of the last one of the previous page, from 1. */
export async function pageOfFacts(
  folders: TunedFolders,
  model: string,
  limit: number,
  after = 0,
): Promise<AnswerOf<typeof listModelFacts>> {
  const facts: AnswerOf<typeof listModelFacts>['facts'] = [];
  let place = 0;
  for await (const { row, input, output, dataset_id, recalled, ...known } of factsOf(folders, model)) {
    if (++place <= after) continue;
    if (facts.length === limit) return { facts, next: place - 1 };
    facts.push({ row, input, output, dataset_id, recalled, ...detailsOf(known) });
  }
  return { facts, next: null };
}

/** The details that the fact has. Imported models may hold null for a missing one. */
function detailsOf({ valid_from, valid_until, source }: Pick<ModelFact, 'valid_from' | 'valid_until' | 'source'>) {
  const known = source && Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null));
  return {
    ...(valid_from && { valid_from }),
    ...(valid_until && { valid_until }),
    ...(known && { source: known as FactSource }),
  };
}
