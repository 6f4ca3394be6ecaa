// Finds contradictions of new facts with the facts of a memory and among each other.
import type { AnswerOf, BodyOf, findConflicts } from '@lorekeep/contract';
import type { Change, OwnMemory } from '../memory-store.ts';
import { type Outcome, propose } from './propose.ts';
import { shownStanding } from './rows.ts';
import { looseKey, publishedFactsAsked } from './same-question.ts';

type Found = AnswerOf<typeof findConflicts>;

/** The caller holds the lock of the memory. */
export async function conflictsOf(
  change: Change,
  memory: OwnMemory,
  { facts, propose: wanted }: BodyOf<typeof findConflicts>,
  actor: string,
): Promise<{ found: Found; outcomes: Outcome[] }> {
  const questions = facts.map(({ input }) => looseKey(input));
  const stand = await publishedFactsAsked(
    change,
    memory,
    facts.map(({ input }) => [input]),
  );
  const same = Map.groupBy(facts.keys(), (at) => questions[at]!);
  const answer = (at: number) => facts[at]!.output.trim();
  const found: Found = { conflicts: [], known: [], fresh: [] };
  for (const [at, question] of questions.entries()) {
    const others = same.get(question)!.filter((other) => answer(other) !== answer(at));
    const fact = stand[at];
    if (fact?.output.trim() === answer(at)) found.known.push(at);
    else if (!fact && others.length === 0) found.fresh.push(at);
    else
      found.conflicts.push({
        ...{ at, others, proposal: null },
        stands: fact ? (await shownStanding(change, memory, [fact]))[0]! : null,
      });
  }
  const outcomes = wanted
    ? await propose(
        change,
        memory,
        found.conflicts.map(({ at }) => proposalOf(facts[at]!)),
        actor,
      )
    : [];
  for (const [place, conflict] of found.conflicts.entries()) conflict.proposal = outcomes[place]?.number ?? null;
  return { found, outcomes };
}

const proposalOf = (fact: BodyOf<typeof findConflicts>['facts'][number]) => ({
  ...{ kind: 'conflict' as const, ...fact, subject: fact.subject, withdraws: undefined, quote: undefined },
  ...{ source: undefined, confidence: undefined, assignee: undefined },
});
