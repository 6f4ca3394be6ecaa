// Contradictions of proposals in other words: listed beside each proposal, and decided before proposals are accepted.
import type { FindRewordedConflictsAnswer, Proposal } from '@lorekeep/client';
import type { Context, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { sourceText } from '../sources.ts';
import { choose, fetchRewordedConflicts, sideBySide } from './contradiction.ts';

export type Reworded = FindRewordedConflictsAnswer['reworded'][number];
type Edit = { input: string | undefined; output: string | undefined };

/** Maximum number of proposals in one call. */
const atOnce = 1000;

export const partsOf = (numbers: number[]): number[][] =>
  Array.from({ length: Math.ceil(numbers.length / atOnce) }, (_, at) => numbers.slice(at * atOnce, (at + 1) * atOnce));

/** A fact, or another of the proposals, that a proposal may contradict. */
export type Against = Pick<Reworded, 'stands' | 'likeness'> & { other: number | null };

/** Contradictions by the number of the proposal; none if the server cannot compare now. */
export async function contradictionsOf(
  context: Context,
  name: string,
  numbers: number[],
): Promise<Map<number, Against[]>> {
  const found = new Map<number, Against[]>();
  for (const proposals of partsOf(numbers))
    for (const { at, other, ...one } of await fetchRewordedConflicts(context, name, { proposals })) {
      const against = { ...one, other: other === null ? null : proposals[other]! };
      found.set(proposals[at]!, [...(found.get(proposals[at]!) ?? []), against]);
    }
  return found;
}

/** Questions of the facts that proposals replace, by number. A person or a flag decides before anything is accepted. */
export async function replacedBy(
  context: Context,
  given: ParsedArguments,
  name: string,
  numbers: number[],
  edit: Edit,
): Promise<Map<number, string>> {
  if (given.is('beside') && given.is('replace'))
    throw new UsageError('Proposals are accepted with --beside or --replace.');
  if (given.is('beside')) return new Map();
  const found =
    (edit.input ?? edit.output) === undefined
      ? await contradictionsOf(context, name, numbers)
      : await ofEdited(context, name, numbers[0]!, edit);
  if (found.size === 0) return new Map();
  const shown: string[] = [];
  const replaced = new Map<number, string>();
  for (const [number, all] of found) {
    const proposal = await context.client().showProposal({ name, number }, context);
    for (const against of all) {
      shown.push(pairText({ ...proposal, ...withoutGaps(edit) }, against));
      if (against.stands) replaced.set(number, against.stands.input);
    }
  }
  // Two proposals that contradict each other replace nothing.
  const among = [...found.values()].flat().some(({ other }) => other !== null);
  const way = await choose(context, given, shown.join('\n'), among ? ['beside'] : ['replace', 'beside']);
  return way === 'replace' ? replaced : new Map();
}

async function ofEdited(context: Context, name: string, number: number, edit: Edit): Promise<Map<number, Against[]>> {
  const { input, output, withdraws } = await context.client().showProposal({ name, number }, context);
  const fact = { input: edit.input ?? input, output: edit.output ?? output };
  if (fact.output === null) return new Map();
  const all = await fetchRewordedConflicts(context, name, { facts: [{ ...fact, output: fact.output }] });
  const found = all.filter(({ stands }) => stands !== null && stands.input !== withdraws);
  return found.length === 0 ? new Map() : new Map([[number, found]]);
}

const withoutGaps = (edit: Edit) =>
  Object.fromEntries(Object.entries(edit).filter(([, text]) => text !== undefined)) as Partial<Proposal>;

function pairText(proposal: Proposal, { stands, other, likeness }: Against): string {
  const { number, input, output, by, created_at } = proposal;
  const origin = [placeOf(proposal), `proposal ${number} by ${by}`, created_at].filter(Boolean).join(', ');
  if (stands) return sideBySide({ input, output: output ?? '' }, { stands, likeness }, origin);
  return `It may contradict the proposal ${other}, likeness ${likeness.toFixed(2)}:\n  new: ${input}\n       ${output}\n       ${origin}`;
}

/** The source of a proposal; empty if there is none. */
export function placeOf({ kind, source, quote }: Pick<Proposal, 'kind' | 'source' | 'quote'>): string {
  const { document, page, conversation } = source;
  if (document !== null) return sourceText({ kind: 'document', name: document, page, quote });
  return conversation === null ? '' : sourceText({ kind, name: conversation, quote });
}
