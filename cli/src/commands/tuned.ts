// lorekeep models tuned, facts, forget, name, set, export and import: commands on tuned models.
import { stat } from 'node:fs/promises';
import {
  type AnswerFrom,
  answersFrom,
  NotFoundError,
  type TunedModel,
  type Unknown,
  type Upload,
  unknowns,
} from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context } from '../command.ts';
import { UsageError } from '../exit.ts';
import { followJob } from '../follow-job.ts';
import { bytes, count, shortTime } from '../format.ts';
import { saveTo } from '../save.ts';
import { stripControls, table } from '../terminal.ts';
import { factText } from './fact-details.ts';

export const modelsTuned: Command = {
  name: 'models tuned',
  summary: 'the tuned models of the account, newest first',
  async run(context) {
    const models = await collectItems(context.client().allTunedModels({ limit: 1000 }, context));
    const row = (one: TunedModel) => [
      one.model_name,
      String(one.job_id),
      `${one.facts_recalled}/${one.facts}`,
      bytes(one.bytes),
      shortTime(one.created_at),
      one.base_model,
      one.custom_model_name ?? '',
    ];
    context.show(models, () => table([['MODEL', 'JOB', 'FACTS', 'SIZE', 'MADE', 'BASE', 'NAME'], ...models.map(row)]));
  },
};

export const modelsFacts: Command = {
  name: 'models facts',
  summary: 'the facts of a tuned model',
  words: 'NAME',
  names: 'tuned',
  options: { failed: { about: 'only those that are not recalled; the model never says them' } },
  async run(context, given) {
    const all = context.client().allModelFacts({ model: given.words[0]!, limit: 10_000 }, context);
    const facts = (await collectItems(all)).filter(({ recalled }) => !given.is('failed') || !recalled);
    context.show(facts, () => facts.map(factText).join('\n'));
  },
};

export const modelsForget: Command = {
  name: 'models forget',
  needsEngine: true,
  summary: 'rebuild a tuned model without some of its facts',
  words: 'NAME QUESTION...',
  names: 'tuned',
  options: {
    name: { value: 'NAME', about: 'a name for the new model; without it the name of the old one moves to it' },
    watch: { short: 'w', about: 'wait until it is over, and show its progress' },
  },
  more: 'Each QUESTION is one word for the shell ("Who founded it?"), as it was taught. Only what these facts touched is trained again.',
  async run(context, given) {
    const [model, ...inputs] = given.words as [string, ...string[]];
    const answer = await context
      .client()
      .forgetFacts({ model, inputs, custom_model_name: given.text('name') }, context);
    if (given.is('watch')) return await followJob(context, answer.job_id);
    context.show(answer, () => String(answer.job_id));
    context.terminal.say(
      `${count(answer.facts, 'fact')} stay. To follow it: ${context.program} jobs watch ${answer.job_id}`,
    );
  },
};

export const modelsMove: Command = {
  name: 'models move',
  needsEngine: true,
  summary: 'rebuild a tuned model on another base or precision of the same model',
  words: 'NAME [BASE]',
  names: 'tuned',
  options: {
    name: { value: 'NAME', about: 'a name for the new model; without it the name of the old one moves to it' },
    watch: { short: 'w', about: 'wait until it is over, and show its progress' },
  },
  more: 'Without BASE it moves to the current state of its base, which was deleted and downloaded again in another precision.\nFacts that are recited word for word there are taken over, the others are taught again.',
  async run(context, given) {
    const [model, base_model] = given.words as [string, string | undefined];
    const answer = await context
      .client()
      .moveTunedModel({ model, base_model, custom_model_name: given.text('name') }, context);
    if (given.is('watch')) return await followJob(context, answer.job_id);
    context.show(answer, () => String(answer.job_id));
    context.terminal.say(
      `${count(answer.facts, 'fact')} move to ${stripControls(answer.base_model)}. To follow it: ${context.program} jobs watch ${answer.job_id}`,
    );
  },
};

export const exportModel: Command = {
  name: 'export',
  summary: 'export a tuned model as a tar file',
  words: 'NAME [FILE]',
  names: 'tuned',
  options: {
    format: {
      value: 'FORMAT',
      choices: ['lorekeep', 'peft', 'vllm', 'gguf'],
      about:
        'lorekeep: for another installation (without it); else one adapter for each expert: activated LoRA, LoRA of vLLM, of llama.cpp',
    },
    peft: { about: 'the same as --format peft' },
    'with-base': { about: 'of gguf: the base as GGUF as well' },
  },
  more: 'Without FILE it goes to standard output: lorekeep export NAME | tar x\nThe router stays with Lorekeep; README.md in an export for vLLM or llama.cpp describes how a question finds its adapter, and the limitations.',
  async run(context, given) {
    const [model, file] = given.words as [string, string | undefined];
    if (file === undefined && context.terminal.shows)
      throw new UsageError('A tar file is not written to a terminal: name a FILE.');
    const named = given.text('format') ?? (given.is('peft') ? 'peft' : 'lorekeep');
    const format = named === 'lorekeep' ? 'folder' : (named as ExportFormat);
    const with_base = given.is('with-base') ? ('true' as const) : undefined;
    // The server builds all adapters before it sends the first byte, which may take long.
    const patient = { signal: context.signal, timeoutMs: Number.POSITIVE_INFINITY };
    await saveTo(context, await context.client().exportTunedModel({ model, format, with_base }, patient), file);
  },
};

type ExportFormat = 'peft' | 'vllm' | 'gguf';

export const importModel: Command = {
  name: 'import',
  summary: 'import an exported tuned model',
  words: 'FILE',
  options: {
    name: { value: 'NAME', about: 'a name of your own for the model' },
    public: { about: 'other accounts may use it' },
  },
  more: 'FILE is a file of lorekeep export; - is standard input. Every checksum is verified, and its base has to be here. The same file twice is one model.',
  async run(context, given) {
    const [file] = given.words as [string];
    const model = await context.client().importTunedModel(
      {
        file: await tarFile(context, file),
        custom_model_name: given.text('name'),
        ...(given.is('public') && { is_public: true }),
      },
      context,
    );
    context.show(model, () => model.custom_model_name ?? model.model_name);
    context.terminal.say(`${count(model.facts, 'fact')} on ${stripControls(model.base_model)}, ${bytes(model.bytes)}.`);
  },
};

async function tarFile(context: Context, path: string): Promise<Upload> {
  if (path === '-') return { name: 'model.tar', content: context.input() };
  const about = await stat(path).catch(() => undefined);
  if (!about) throw new UsageError(`There is no file "${path}".`);
  if (!about.isFile()) throw new UsageError(`"${path}" is not a file: it takes the tar file of an export.`);
  return path;
}

export const modelsSet: Command = {
  name: 'models set',
  summary: 'set the sources that a tuned model answers from by default',
  words: 'MODEL',
  names: 'tuned',
  options: {
    'answer-from': {
      value: 'WHAT',
      choices: Object.keys(answersFrom),
      about: 'all: facts, else the base; facts: facts alone; recital: facts word for word, else the base',
    },
    unknown: {
      value: 'WHAT',
      choices: Object.keys(unknowns),
      about: 'if no fact about a known name answers: say so, or let the base answer',
    },
    'unknown-answer': { value: 'TEXT', about: 'the sentence that says so; an empty one restores the default' },
    index: { value: 'INDEX', about: 'an index whose documents answer what no fact answers; an empty name: none' },
  },
  more: 'Without an option, prints the settings. Changes apply from the next request on.',
  async run(context, given) {
    const model = given.words[0]!;
    const policy = {
      answer_from: given.text('answer-from') as AnswerFrom | undefined,
      unknown: given.text('unknown') as Unknown | undefined,
      unknown_answer: given.text('unknown-answer'),
      index: given.text('index'),
    };
    const changed = await context.client().changeTunedModel({ model, ...policy }, context);
    const { answer_from, unknown, unknown_answer, index_id } = changed;
    const index = context.json ? [] : await indexRow(context, index_id);
    context.show(changed, () =>
      table([
        ['answer-from', answer_from, answersFrom[answer_from]],
        ['unknown', unknown, unknowns[unknown]],
        ['unknown-answer', unknown_answer === null ? 'usual' : 'set', unknown_answer ?? 'The documents do not say.'],
        ['index', ...index],
      ]),
    );
  },
};

/** The index of a model with its meaning. A model keeps the number of an index that was deleted. */
async function indexRow(context: Context, id: number | null): Promise<string[]> {
  if (id === null) return ['none', 'its documents answer what no fact answers'];
  try {
    const { name } = await context.client().showIndex({ id }, context);
    return [name ?? String(id), 'its documents answer what no fact answers'];
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return [String(id), 'is deleted: nothing is answered from it; --index NAME sets another one, --index "" none'];
  }
}

export const modelsName: Command = {
  name: 'models name',
  summary: 'give a tuned model a custom name; a name of another model moves',
  words: 'MODEL NAME',
  names: 'tuned',
  async run(context, given) {
    const [model, custom_model_name] = given.words as [string, string];
    const named = await context.client().changeTunedModel({ model, custom_model_name }, context);
    context.show(named, () => `${named.custom_model_name} is ${named.model_name}.`);
  },
};
