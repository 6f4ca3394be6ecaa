// Finds contradictions between paraphrases: new facts, or open proposals, are searched for in the published version with the model's own
// router.
import { type AnswerOf, type BodyOf, type findRewordedConflicts, Refusal } from '@lorekeep/contract';
import type { AlikeFact, SpareWorker } from '../../cluster/spare-worker.ts';
import { questionKey } from '../../files/question-key.ts';
import type { TunedFolders } from '../../models/tuned-folders.ts';
import type { Store } from '../../store/database.ts';
import { type OwnMemory, versionOf } from '../memory-store.ts';
import { proposalsNumbered, publishedFacts, shownStanding } from './rows.ts';

export interface RewordedDependencies {
  store: Store;
  folders: TunedFolders;
  spare: SpareWorker;
}

type Found = AnswerOf<typeof findRewordedConflicts>;

interface Offered {
  /** Index in the request. */
  at: number;
  input: string;
  output: string;
  /** Questions of the facts that it changes or withdraws itself. */
  replaces: string[];
}

export async function rewordedConflicts(
  { store, folders, spare }: RewordedDependencies,
  memory: OwnMemory,
  body: BodyOf<typeof findRewordedConflicts>,
  signal: AbortSignal,
): Promise<Found> {
  const { name, published } = memory;
  if (published === null) throw new Refusal('memory_empty', { name });
  const { model_name } = await versionOf(store.db, memory, published);
  const offered = body.facts ? offeredFacts(body.facts) : await offeredProposals(store, memory, body.proposals ?? []);
  if (offered.length === 0) return { version: published, reworded: [] };
  const facts = offered.map(({ input, output }) => ({ input, output }));
  const found = await spare.alike(await folders.model(model_name), facts, signal);
  return { version: published, reworded: await shown(store, memory, offered, found) };
}

async function shown(
  { db }: Store,
  memory: OwnMemory,
  offered: Offered[],
  found: AlikeFact[][],
): Promise<Found['reworded']> {
  const keys = found.flat().flatMap(({ input }) => (input === undefined ? [] : questionKey(input)));
  const rows = [...(await publishedFacts(db, memory, keys)).values()];
  const facts = await shownStanding(db, memory, rows);
  const stand = new Map(rows.map(({ question }, place) => [question, facts[place]!]));
  return offered.flatMap(({ at, replaces }, place) =>
    found[place]!.flatMap(({ input, other, likeness }): Found['reworded'] => {
      if (input === undefined) return [{ at, stands: null, other: offered[other!]!.at, likeness }];
      const fact = stand.get(questionKey(input));
      return fact && !replaces.includes(questionKey(input)) ? [{ at, stands: fact, other: null, likeness }] : [];
    }),
  );
}

const offeredFacts = (facts: { input: string; output: string }[]): Offered[] =>
  facts.map(({ input, output }, at) => ({ at, input, output, replaces: [] }));

/** A proposal that only withdraws a fact contradicts nothing. */
async function offeredProposals({ db }: Store, memory: OwnMemory, numbers: number[]): Promise<Offered[]> {
  const rows = await proposalsNumbered(db, memory, numbers);
  return rows.flatMap(({ input, output, withdraws }, at) =>
    output === null ? [] : [{ at, input, output, replaces: withdraws === null ? [] : [questionKey(withdraws)] }],
  );
}
