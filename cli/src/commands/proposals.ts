// lorekeep memory proposals, propose, accept, reject, assign, retract: the review queue of a memory.
import { type FindRewordedConflictsAnswer, LorekeepError, type Proposal } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context, Option, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { count } from '../format.ts';
import { timesText } from '../sources.ts';
import { beside, fetchRewordedConflicts, originOf, replace } from './contradiction.ts';
import { inCommands } from './in-commands.ts';
import { type Against, contradictionsOf, partsOf, replacedBy } from './proposal-contradictions.ts';

type StandingFact = Proposal['stands'][number];

const kinds = ['document', 'feedback', 'conflict', 'stale', 'person'] as const;
const states = ['open', 'accepted', 'edited', 'rejected', 'withdrawn', 'all'] as const;
/** Maximum number of proposals in one call. */
const maxPerCall = 1000;

const filters: Record<string, Option> = {
  kind: { value: 'KIND', about: 'proposals of one kind', choices: kinds },
  confidence: { value: 'SHARE', about: 'proposals with at least this confidence, 0 to 1' },
  assignee: { value: 'WHO', about: "somebody's" },
};

const all: Record<string, Option> = {
  all: { about: 'all open proposals, or all that match these filters' },
  ...filters,
};

async function found(context: Context, given: ParsedArguments, state: (typeof states)[number]): Promise<Proposal[]> {
  const [name, ...words] = given.words as [string, ...string[]];
  const asked = {
    ...{ name, state, kind: given.text('kind') as (typeof kinds)[number] | undefined, limit: maxPerCall },
    ...{ min_confidence: given.number('confidence'), assignee: given.text('assignee') },
    text: words.join(' ') || undefined,
  };
  return await collectItems(context.client().allProposals(asked, context));
}

/** The given numbers, or with --all those that match the filters. */
async function numbersOf(context: Context, given: ParsedArguments, words: string[]): Promise<number[]> {
  if (given.is('all') === words.length > 0) throw new UsageError('Name the numbers of proposals, or use --all.');
  if (given.is('all')) {
    const name = given.words[0]!;
    return (await found(context, { ...given, words: [name] }, 'open')).map(({ number }) => number);
  }
  return words.map((word) => {
    if (!/^[1-9][0-9]{0,8}$/.test(word)) throw new UsageError(`"${word}" is not the number of a proposal.`);
    return Number(word);
  });
}

export const memoryProposals: Command = {
  name: 'memory proposals',
  summary: 'the review queue of a memory: facts that wait for a decision, with quote, source and the current fact',
  words: 'NAME [WORD ...]',
  names: 'tuned',
  options: { state: { value: 'STATE', about: 'open without it', choices: states }, ...filters },
  async run(context, given) {
    const state = (given.text('state') ?? 'open') as (typeof states)[number];
    const proposals = await found(context, given, state);
    const open = proposals.filter((one) => one.state === 'open' && one.output !== null).map(({ number }) => number);
    const against = await contradictionsOf(context, given.words[0]!, open).catch((error: unknown) => {
      // A read-only key can list the queue too.
      if (!(error instanceof LorekeepError)) throw error;
      context.terminal.say(`Questions in other words were not looked for: ${inCommands(error, context.program)}`);
      return new Map<number, Against[]>();
    });
    const shown = proposals.map((one) => ({ ...one, reworded: against.get(one.number) ?? [] }));
    context.show(shown, () => shown.map(linesOf).join('\n'));
    if (proposals.length > 0 && state === 'open')
      context.terminal.say(`${context.program} memory accept ${given.words[0]} NUMBER teaches one, reject refuses it.`);
  },
};

function linesOf(one: Proposal & { reworded: Against[] }): string {
  const { number, kind, state, input, output, withdraws, quote, source, confidence, assignee, stands, reason } = one;
  const { document, page, conversation } = source;
  const place = [document, page === null ? null : `page ${page}`, conversation].filter((part) => part !== null);
  const about = [state, kind, confidence === null ? null : `confidence ${confidence}`, assignee && `for ${assignee}`];
  return [
    `${number}  ${input}  (${about.filter(Boolean).join(', ')})`,
    output === null ? '  withdraw it' : `  + ${output}`,
    ...(withdraws === null ? [] : [`  in the place of ${withdraws}`]),
    ...stands.map((fact) => `  now: ${fact.input === input ? '' : `${fact.input} `}${standingText(fact)}`),
    ...one.reworded.map(againstText),
    ...voteLines(one),
    ...(quote === null ? [] : [`  “${oneLine(quote)}”`]),
    ...(place.length === 0 ? [] : [`  ${place.join(', ')}`]),
    ...(reason === null ? [] : [`  because: ${reason}`]),
  ].join('\n');
}

const standingText = (fact: StandingFact) => `${fact.output}${timesText(fact)}\n       ${originOf(fact)}`;

const againstText = ({ stands, other, likeness }: Against): string =>
  stands
    ? `  may contradict, likeness ${likeness.toFixed(2)}: ${stands.input} ${standingText(stands)}`
    : `  may contradict the proposal ${other}, likeness ${likeness.toFixed(2)}`;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const voteLines = ({ vote }: Proposal): string[] =>
  vote === null
    ? []
    : [
        ...(vote.input === null ? [] : [`  asked: ${oneLine(vote.input)}`]),
        ...(vote.output === null ? [] : [`  answered: ${oneLine(vote.output)}`]),
        ...(vote.comment === null ? [] : [`  comment of ${vote.by}: ${oneLine(vote.comment)}`]),
      ];

export const memoryPropose: Command = {
  name: 'memory propose',
  summary: 'propose a fact of a memory, or without an answer that it be withdrawn',
  words: 'NAME QUESTION [ANSWER]',
  names: 'tuned',
  options: {
    quote: { value: 'TEXT', about: 'the quote that contains the answer' },
    document: { value: 'NAME', about: 'the document of the quote' },
    page: { value: 'NUMBER', about: 'the page of the document' },
    assignee: { value: 'WHO', about: 'the person who decides' },
  },
  async run(context, given) {
    const [name, input, output] = given.words as [string, string, string | undefined];
    const source = { document: given.text('document'), page: given.number('page') };
    const proposal = { input, output, quote: given.text('quote'), source, assignee: given.text('assignee') };
    const answer = await context.client().createProposals({ name, proposals: [proposal] }, context);
    const { outcome, number } = answer.proposals[0]!;
    context.show(answer, () => (number === null ? outcome : String(number)));
    if (outcome !== 'created') context.terminal.say(told[outcome]);
  },
};

const told = {
  known: 'The memory already has this: nothing was proposed.',
  open: 'It is proposed already.',
  rejected: 'It was rejected before.',
};

export const memoryConflicts: Command = {
  name: 'memory conflicts',
  summary:
    'whether a memory answers a question otherwise, also in other words; with --propose it becomes a proposal of kind conflict',
  words: 'NAME QUESTION ANSWER',
  names: 'tuned',
  options: { propose: { about: 'make it a proposal for review' } },
  async run(context, given) {
    const [name, input, output] = given.words as [string, string, string];
    const asked = { name, facts: [{ input, output }], propose: given.is('propose') };
    const found = await context.client().findConflicts(asked, context);
    const reworded = await fetchRewordedConflicts(context, name, { facts: [{ input, output }] });
    context.show({ ...found, reworded }, () => {
      const [conflict] = found.conflicts;
      if (!conflict?.stands && reworded.length > 0) return reworded.map(mayContradict).join('\n');
      if (!conflict?.stands) return found.known.length > 0 ? 'The memory has this fact.' : 'Nothing contradicts it.';
      const { output: now, since, since_version } = conflict.stands;
      const number = conflict.proposal === null ? '' : `\nIt is the proposal ${conflict.proposal}.`;
      return `${input}\n  now: ${now} (version ${since_version}, ${since})\n  + ${output}${number}`;
    });
  },
};

function mayContradict({ stands, likeness }: FindRewordedConflictsAnswer['reworded'][number]): string {
  const { input, output, since, since_version, source } = stands!;
  const where = source.name ?? (source.change === null ? null : `change ${source.change}`);
  const place = [where, `version ${since_version}`, since].filter((part) => part !== null).join(', ');
  return `It may contradict, likeness ${likeness.toFixed(2)}:\n  ${input}\n  now: ${output} (${place})`;
}

export const memoryAccept: Command = {
  name: 'memory accept',
  summary: 'accept proposals: together they become one change of the memory',
  words: 'NAME [NUMBER ...]',
  names: 'tuned',
  options: {
    question: { value: 'TEXT', about: 'with this question (of one proposal)' },
    answer: { value: 'TEXT', about: 'with this answer (of one proposal)' },
    reason: { value: 'TEXT', about: 'why; kept with the change' },
    ...{ replace, beside, ...all },
  },
  more: 'A fact that one of them may contradict in other words is shown beside it first: a terminal asks what to do, and without one it ends with 1 and the flags.',
  async run(context, given) {
    const [name, ...words] = given.words as [string, ...string[]];
    const edit = { input: given.text('question'), output: given.text('answer') };
    const numbers = await numbersOf(context, given, words);
    if (numbers.length !== 1 && (edit.input ?? edit.output) !== undefined)
      throw new UsageError('--question and --answer are for one proposal.');
    if (numbers.length === 0) return context.show([], () => 'No proposal is open.');
    const replaced = await replacedBy(context, given, name, numbers, edit);
    for (const part of partsOf(numbers)) {
      const proposals = part.map((number) => ({ number, ...edit, replaces: replaced.get(number) }));
      const change = await context.client().acceptProposals({ name, proposals, reason: given.text('reason') }, context);
      context.show(change, () => String(change.number));
      context.terminal.say(
        `${count(part.length, 'proposal')} in the change ${change.number}: ${context.program} memory changes ${name}`,
      );
    }
  },
};

export const memoryReject: Command = {
  name: 'memory reject',
  summary: 'reject proposals, with the reason',
  words: 'NAME [NUMBER ...]',
  names: 'tuned',
  options: { reason: { value: 'TEXT', about: 'why' }, ...all },
  async run(context, given) {
    const [name, ...words] = given.words as [string, ...string[]];
    const reason = given.text('reason');
    if (reason === undefined) throw new UsageError('A rejection needs its reason: --reason TEXT.');
    await each(context, await numbersOf(context, given, words), 'rejected', async (numbers) =>
      context.client().rejectProposals({ name, numbers, reason }, context),
    );
  },
};

export const memoryAssign: Command = {
  name: 'memory assign',
  summary: 'assign proposals to somebody; an empty name removes the assignment',
  words: 'NAME WHO [NUMBER ...]',
  names: 'tuned',
  options: { all: { about: 'all open proposals' } },
  async run(context, given) {
    const [name, who, ...words] = given.words as [string, string, ...string[]];
    await each(context, await numbersOf(context, given, words), 'assigned', async (numbers) =>
      context.client().assignProposals({ name, numbers, assignee: who === '' ? null : who }, context),
    );
  },
};

export const memoryRetract: Command = {
  name: 'memory retract',
  summary: 'take proposals back before they are decided',
  words: 'NAME [NUMBER ...]',
  names: 'tuned',
  options: { reason: { value: 'TEXT', about: 'why' }, ...all },
  async run(context, given) {
    const [name, ...words] = given.words as [string, ...string[]];
    const reason = given.text('reason');
    await each(context, await numbersOf(context, given, words), 'taken back', async (numbers) =>
      context.client().withdrawProposals({ name, numbers, reason }, context),
    );
  },
};

async function each(
  context: Context,
  numbers: number[],
  what: string,
  act: (numbers: number[]) => Promise<{ proposals: number[] }>,
): Promise<void> {
  const done: number[] = [];
  for (const part of partsOf(numbers)) done.push(...(await act(part)).proposals);
  context.show({ proposals: done }, () => `${count(done.length, 'proposal')} ${what}.`);
}
