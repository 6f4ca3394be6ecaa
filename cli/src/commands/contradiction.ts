// Checks a fact that is added or changed for contradictions in the memory, before anything is changed. Both facts are shown with their
// sources and dates, and a person decides at the terminal, or a script by a flag.
import {
  type FindRewordedConflictsAnswer,
  InvalidRequestError,
  type MemoryFact,
  UnavailableError,
} from '@lorekeep/client';
import { askLine } from '../ask-person.ts';
import type { Context, Option, ParsedArguments } from '../command.ts';
import { Interrupted, UsageError } from '../exit.ts';
import { datasetText, sourceText, timesText } from '../sources.ts';
import { stripControls } from '../terminal.ts';
import type { NewFact } from './fact-details.ts';
import { inCommands } from './in-commands.ts';

type Reworded = FindRewordedConflictsAnswer['reworded'][number];
type Standing = NonNullable<Reworded['stands']>;

export interface Against {
  stands: Standing;
  /** Set if the questions are only similar, so that both facts may be right. */
  likeness?: number;
}

export const beside: Option = {
  about: 'add it without looking for contradictions; other facts are kept',
};

export const replace: Option = { about: 'replace the fact that contradicts it' };

/** Returns the change that adds the fact, after a decision about any contradiction. */
export async function prepareAddition(context: Context, given: ParsedArguments, name: string, fact: NewFact) {
  if (given.is('beside') && given.is('replace')) throw new UsageError('A fact is added with --beside or --replace.');
  if (given.is('beside')) return { add: [fact] };
  const { version } = await context.client().showMemory({ name }, context);
  const { conflicts, known } = await findConflicts(context, name, fact);
  const stands = conflicts[0]?.stands;
  if (known.length > 0)
    throw new InvalidRequestError({
      code: 'change_invalid',
      detail: `The memory answers ${JSON.stringify(fact.input)} with this answer already. Nothing was changed. --beside adds the question in these letters as well.`,
    });
  const against: Against[] = stands
    ? [{ stands }]
    : version === null
      ? []
      : await rewordedContradictions(context, name, [fact]);
  if (against.length === 0) return { add: [fact] };
  const decided = await decide(context, given, fact, against, stands ? ['replace'] : ['replace', 'beside']);
  if (decided === 'beside') return { add: [fact] };
  const change = [{ ...fact, subject: undefined, input: against[0]!.stands.input }];
  return { change, expected_version: given.number('expected') ?? version ?? undefined };
}

/** Like prepareAddition, for a changed answer. The old answer of the same fact is no contradiction. */
export async function prepareChange(context: Context, given: ParsedArguments, name: string, fact: NewFact) {
  const change = { change: [fact] };
  if (given.is('beside')) return change;
  const { conflicts } = await findConflicts(context, name, fact);
  // The server refuses an unknown fact. An unchanged answer causes no new contradiction.
  if (conflicts.length === 0) return change;
  const against = await rewordedContradictions(context, name, [fact]);
  if (against.length > 0) await decide(context, given, fact, against, ['beside']);
  return change;
}

const findConflicts = async (context: Context, name: string, { input, output }: NewFact) =>
  await context.client().findConflicts({ name, facts: [{ input, output }] }, context);

/** Facts of the memory that may contradict these in other words, each with the index of the fact that it contradicts. */
export async function rewordedContradictions(context: Context, name: string, facts: NewFact[]) {
  if (facts.length === 0) return [];
  const asked = { facts: facts.map(({ input, output }) => ({ input, output })) };
  const found = await fetchRewordedConflicts(context, name, asked);
  return found.flatMap(({ at, stands, likeness }) => (stands ? [{ at, stands, likeness }] : []));
}

/** Contradictions in other words; none if the server cannot compare now. */
export async function fetchRewordedConflicts(
  context: Context,
  name: string,
  asked: { facts: Pick<NewFact, 'input' | 'output'>[] } | { proposals: number[] },
): Promise<Reworded[]> {
  const once = { ...context, retries: 0 };
  const found = await context
    .client()
    .findRewordedConflicts({ name, ...asked }, once)
    .catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) throw error;
      context.terminal.say(`Questions in other words were not looked for: ${inCommands(error, context.program)}`);
    });
  return found?.reworded ?? [];
}

type Decision = 'replace' | 'beside';

const questions: Record<Decision, string> = { replace: 'replace it', beside: 'beside it' };

const decide = async (context: Context, given: ParsedArguments, fact: NewFact, against: Against[], ways: Decision[]) =>
  await choose(context, given, against.map((one) => sideBySide(fact, one)).join('\n'), ways);

/** Takes the decision from a flag, or asks a person, who has seen both facts. */
export async function choose(
  context: Context,
  given: ParsedArguments,
  shown: string,
  ways: Decision[],
): Promise<Decision> {
  const decided = ways.find((way) => given.is(way));
  if (decided) return decided;
  const asks = context.input().isTTY === true && context.terminal.watched && !context.json;
  if (!asks) {
    const flags = ways.map((way) => `--${way} ${about(way)}`).join(', ');
    throw new InvalidRequestError({ code: 'contradiction', detail: `${shown}\nNothing was changed. ${flags}.` });
  }
  context.terminal.tell(stripControls(shown));
  const choices = ways.map((way) => `[${way[0]}] ${questions[way]}`).join(', ');
  for (;;) {
    const line = await askLine(`${choices}, [k] keep the current fact: `, context.signal);
    const said = line?.trim().toLowerCase();
    const way = ways.find((one) => said === one[0] || said === one);
    if (way) return way;
    if (said === undefined || said === 'k' || said === 'keep') throw new Interrupted('Nothing was changed.');
  }
}

const about = (way: Decision) => (way === 'replace' ? 'replaces the current fact' : 'continues, and keeps both');

/** Shows the current fact above the new one, each with its source and date. */
export function sideBySide(fact: NewFact, { stands, likeness }: Against, origin?: string): string {
  const title =
    likeness === undefined
      ? 'The memory answers this otherwise:'
      : `It may contradict in other words, likeness ${likeness.toFixed(2)}:`;
  const given =
    origin ?? `${sourceText(fact.source ?? undefined) || 'source: this command'}, ${new Date().toISOString()}`;
  return [
    title,
    `  now: ${stands.input}\n       ${stands.output}${timesText(stands)}\n       ${originOf(stands)}`,
    `  new: ${fact.input}\n       ${fact.output}${timesText(fact)}\n       ${given}`,
  ].join('\n');
}

/** The source of a current fact, with the version and the date since which it is valid. */
export function originOf({
  source,
  since,
  since_version,
}: Pick<Standing, 'source' | 'since' | 'since_version'>): string {
  return `${sourceText(source) || taughtBy(source)}, since version ${since_version}, ${since}`;
}

function taughtBy({ change, dataset_id, row }: MemoryFact['source']): string {
  if (change !== null) return `source: change ${change}`;
  return dataset_id === null ? 'source: not known' : `source: row ${row} of ${datasetText(dataset_id)}`;
}
