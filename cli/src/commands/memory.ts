import { InvalidRequestError, LorekeepError, type MemoryFact } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context } from '../command.ts';
import { UsageError } from '../exit.ts';
import { movedFacts } from '../follow-job.ts';
import { count, shortTime } from '../format.ts';
import { table } from '../terminal.ts';
import { beside, prepareAddition, prepareChange, replace } from './contradiction.ts';
import { details, detailsIn, factText, type SourceKind } from './fact-details.ts';
import { order, ordering, reason, reportChange } from './memory-order.ts';

export const memoryList: Command = {
  name: 'memory list',
  summary: 'the memories of the account, newest first',
  async run(context) {
    const memories = await collectItems(context.client().allMemories({ limit: 1000 }, context));
    context.show(memories, () =>
      table([
        ['NAME', 'VERSION', 'FACTS', 'OPEN CHANGES', 'BASE'],
        ...memories.map((one) => [
          one.name,
          `${one.version ?? 'none'} of ${one.latest_version ?? 0}`,
          `${one.facts_recalled}/${one.facts}`,
          String(one.changes_open),
          one.base_model,
        ]),
      ]),
    );
  },
};

export const memoryCreate: Command = {
  name: 'memory create',
  summary: 'make a memory of a tuned model or of a tuning job',
  words: 'NAME',
  options: {
    model: { short: 'm', value: 'MODEL', about: 'a tuned model of the account; or', names: 'tuned' },
    job: { value: 'ID', about: 'a tuning job: its model becomes version 1 as soon as it is over', names: 'jobs' },
    reason,
  },
  async run(context, given) {
    const [name] = given.words as [string];
    const made = await context
      .client()
      .createMemory(
        { name, model_name: given.text('model'), job_id: given.number('job'), reason: given.text('reason') },
        context,
      );
    context.show(made, () => made.name);
  },
};

export const memoryFacts: Command = {
  name: 'memory facts',
  summary: 'search the facts of a memory',
  words: 'NAME [WORD ...]',
  names: 'tuned',
  options: {
    subject: { value: 'NAME', about: 'facts of this subject' },
    version: { value: 'NUMBER', about: 'facts of this version; of the published one without it' },
    'valid-at': { value: 'DATE', about: 'facts that are valid at this time' },
    source: {
      value: 'KIND',
      choices: ['dataset', 'document', 'person', 'feedback'],
      about: 'facts whose source is of this kind',
    },
    'source-name': { value: 'NAME', about: 'facts whose source has exactly this name' },
    dataset: { value: 'ID', about: 'facts of this dataset' },
    withdrawn: { about: 'facts that were withdrawn or changed' },
    all: { about: 'the facts of all versions' },
    limit: { value: 'COUNT', about: 'maximum number of facts; all without it' },
    after: { value: 'ID', about: 'facts after the one with this id, with which a list with --limit ends' },
    failed: { about: 'only those that are not recalled; the model never says them' },
  },
  async run(context, given) {
    const [name, ...words] = given.words as [string, ...string[]];
    if (given.is('withdrawn') && given.is('all')) throw new UsageError('Either --withdrawn or --all.');
    const limit = given.number('limit');
    if (limit !== undefined && limit < 1) throw new UsageError('--limit is at least 1.');
    const asked = {
      ...{ name, text: words.join(' ') || undefined, subject: given.text('subject'), version: given.number('version') },
      state: given.is('withdrawn') ? ('withdrawn' as const) : given.is('all') ? ('all' as const) : ('current' as const),
      ...{ limit: Math.min(limit ?? 1000, 1000), after: given.number('after'), dataset_id: given.text('dataset') },
      ...(given.is('failed') && { recalled: 'false' as const }),
      ...{ valid_at: given.text('valid-at'), source_kind: given.text('source') as SourceKind | undefined },
      source_name: given.text('source-name'),
    };
    const facts: MemoryFact[] = await collectItems(context.client().allMemoryFacts(asked, context), limit);
    context.show(facts, () => facts.map(factText).join('\n'));
    if (facts.length === limit) context.terminal.say(`There may be more: --after ${facts.at(-1)!.id}`);
  },
};

const contradictionHelp =
  'A fact that contradicts it, or may in other words, is shown beside it first: a terminal asks what to do, and without one it ends with 1 and the flags.';

export const memoryAdd: Command = {
  name: 'memory add',
  summary: 'add a fact to a memory',
  words: 'NAME QUESTION ANSWER',
  names: 'tuned',
  options: { subject: { value: 'NAME', about: 'the subject of the fact' }, ...details, replace, beside, ...ordering },
  more: contradictionHelp,
  async run(context, given) {
    const [name, input, output] = given.words as [string, string, string];
    const fact = { input, output, subject: given.text('subject'), ...detailsIn(given) };
    await order(context, given, await prepareAddition(context, given, name, fact));
  },
};

export const memoryChange: Command = {
  name: 'memory change',
  summary: 'change the answer, time or source of a fact of a memory',
  words: 'NAME QUESTION ANSWER',
  names: 'tuned',
  options: { ...details, beside, ...ordering },
  more: `With its current answer, only the time or the source is changed; --from none and --until none remove a bound.\n${contradictionHelp}`,
  async run(context, given) {
    const [name, input, output] = given.words as [string, string, string];
    await order(context, given, await prepareChange(context, given, name, { input, output, ...detailsIn(given) }));
  },
};

export const memoryWithdraw: Command = {
  name: 'memory withdraw',
  summary: 'withdraw facts from a memory',
  words: 'NAME QUESTION...',
  names: 'tuned',
  options: ordering,
  async run(context, given) {
    await order(context, given, { withdraw: given.words.slice(1) });
  },
};

export const memoryMove: Command = {
  name: 'memory move',
  needsEngine: true,
  summary: 'move a memory to another base or precision of the same model',
  words: 'NAME [BASE]',
  names: 'tuned',
  options: ordering,
  more: 'Without BASE it moves to the current state of its base, which was deleted and downloaded again in another precision.\nFacts that are recited word for word there are taken over, the others are taught again. Earlier versions stay on their base.',
  async run(context, given) {
    const [name, base_model] = given.words as [string, string | undefined];
    const about = { expected_version: given.number('expected'), reason: given.text('reason') };
    const change = await reportChange(
      context,
      given,
      name,
      await context.client().moveMemory({ name, base_model, ...about }, context),
    );
    if (change.job_id === null || change.finished_at === null) return;
    const { progress } = await context.client().showJob({ id: change.job_id }, context);
    if (progress.move) context.terminal.say(`${movedFacts(progress.move)}.`);
  },
};

export const memoryChanges: Command = {
  name: 'memory changes',
  summary: 'who changed what in a memory, when and why, newest first',
  words: 'NAME',
  names: 'tuned',
  async run(context, given) {
    const changes = await collectItems(
      context.client().allMemoryChanges({ name: given.words[0]!, limit: 1000 }, context),
    );
    context.show(changes, () =>
      table([
        ['NUMBER', 'WHEN', 'WHO', 'STATE', 'VERSION', 'FACTS', 'WHY'],
        ...changes.map((one) => [
          String(one.number),
          shortTime(one.created_at),
          one.by,
          one.state,
          one.version === null ? '' : String(one.version),
          one.kind === 'facts'
            ? `+${one.added} ~${one.changed} -${one.withdrawn}`
            : one.kind === 'move'
              ? `move to ${one.base_model}`
              : one.kind,
          one.error ?? one.reason ?? '',
        ]),
      ]),
    );
  },
};

export const memoryPublish: Command = {
  name: 'memory publish',
  summary: 'move the name of a memory to a version, forward or back; nothing is trained',
  words: 'NAME VERSION',
  names: 'tuned',
  options: {
    reason,
    expected: ordering.expected!,
    force: { about: 'publish a version that the gate refuses; needs --reason' },
  },
  async run(context, given) {
    const [name, version] = given.words as [string, string];
    const asked = {
      name,
      version: versionIn(version),
      reason: given.text('reason'),
      expected_version: given.number('expected'),
      ...(given.is('force') && { force: true }),
    };
    if (asked.force && !asked.reason?.trim()) throw new UsageError('--force needs its reason: --reason TEXT.');
    const memory = await context
      .client()
      .publishMemoryVersion(asked, context)
      .catch((error) => {
        throw gateRefusal(error, context, name, version);
      });
    context.show(memory, () => String(memory.version));
    context.terminal.say(`${name} answers with version ${memory.version}: ${count(memory.facts, 'fact')}.`);
  },
};

/** The refusal of a gate, with options of this program instead of fields of the API. */
function gateRefusal(error: unknown, { program }: Context, name: string, version: string): unknown {
  if (!(error instanceof LorekeepError) || (error.code !== 'gate_not_held' && error.code !== 'gate_not_passed'))
    return error;
  const hint = error.code === 'gate_not_held' ? 'GET /v1/memories/' : 'Send a change, ';
  const at = error.message.lastIndexOf(hint);
  const sentence = at < 0 ? error.message : error.message.slice(0, at).trim();
  const rows = `${program} memory gate ${name} --version ${version} lists the rows that fail.`;
  const anyway = `To publish it anyway: ${program} memory publish ${name} ${version} --force --reason TEXT.`;
  const detail = [sentence, ...(error.code === 'gate_not_held' ? [rows] : []), anyway].join(' ');
  return new InvalidRequestError({ code: error.code, detail });
}

export const memoryDelete: Command = {
  name: 'memory delete',
  summary: 'delete a memory; its models are kept',
  words: 'NAME',
  names: 'tuned',
  async run(context, given) {
    const deleted = await context.client().deleteMemory({ name: given.words[0]! }, context);
    context.show(deleted, () => `The memory ${deleted.deleted} is deleted.`);
  },
};

export function versionIn(word: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(word)) throw new UsageError(`"${word}" is not the number of a version.`);
  return Number(word);
}
