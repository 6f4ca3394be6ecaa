// lorekeep ask: one question to a model or an index. Streams the answer and prints its sources.
import {
  type AnswerFrom,
  answersFrom,
  type Citation,
  type Memory,
  type OpenaiChatArgs,
  type Unknown,
  unknowns,
} from '@lorekeep/client';
import { piped } from '../ask-person.ts';
import type { Command, Context, Option, ParsedArguments } from '../command.ts';
import { Interrupted, UsageError } from '../exit.ts';
import { factsOf, sourceOf } from '../sources.ts';
import { stripControls } from '../terminal.ts';
import { indexNumber } from './index-number.ts';

type Message = OpenaiChatArgs['messages'][number];

export const defaultModel = 'lorekeep/quill';

export const sampling: Record<string, Option> = {
  model: { value: 'NAME', short: 'm', names: 'models', about: `the model; ${defaultModel} without it` },
  system: { value: 'TEXT', about: 'system message before the conversation' },
  'max-tokens': { value: 'NUMBER', about: 'maximum number of tokens of the answer' },
  temperature: { value: 'NUMBER', about: '0 without it: the same question has the same answer' },
  'answer-from': {
    value: 'WHAT',
    choices: Object.keys(answersFrom),
    about:
      'what a tuned model may answer from: all, only its facts, or facts word for word (recital); as the model is set without it',
  },
  'as-of': {
    value: 'DATE',
    about: 'the time whose facts a tuned model uses, a date or a time with its zone; now without it',
  },
  unknown: {
    value: 'WHAT',
    choices: Object.keys(unknowns),
    about: 'if no fact about a known name answers: say so, or let the base answer; as the model is set without it',
  },
};

export const ask: Command = {
  name: 'ask',
  needsEngine: true,
  summary: 'ask a model or a document index one question',
  words: '[QUESTION ...]',
  options: {
    ...sampling,
    index: {
      value: 'INDEX',
      names: 'indexes',
      about: 'answer from the documents of this index, and name the passages',
    },
    explain: { about: 'print the fact or the passages on standard error also if that is no terminal' },
    answer: { value: 'HOW', about: 'with --index: quote the documents, or generate; the base decides without it' },
    passages: { value: 'NUMBER', about: 'number of passages that an index answers from; 3 without it' },
  },
  more: 'Without a question, standard input is the question. The fact or the passages that an answer came from are named on\nstandard error where that is a terminal or with --explain, and by --json.',
  async run(context, given) {
    const question = given.words.join(' ') || (context.input().isTTY ? '' : await piped(context.input()));
    if (question === '') throw new UsageError('There is no question.');
    if (given.text('index') !== undefined) return await askIndex(context, given, question);
    for (const option of ['passages', 'answer'])
      if (given.text(option) !== undefined) throw new UsageError(`--${option} goes with --index.`);
    const messages = [...opening(given), { role: 'user' as const, content: question }];
    const named = context.json || given.is('explain') || context.terminal.watched;
    const asked = { ...argsOf(given), messages, ...(named && { explain: true }) };
    if (context.json) return context.show(await context.client().openaiChat(asked, context), () => '');
    const { memory } = await streamAnswer(context, asked, context.signal);
    for (const line of factsOf(memory)) printSource(context, given, line);
  },
};

/** Whether sources are printed: on a terminal, and with --explain. */
function printSource({ terminal }: Context, given: ParsedArguments, line: string): void {
  if (given.is('explain')) terminal.tell(terminal.tint('dim', line));
  else terminal.say(terminal.tint('dim', line));
}

/** Passages arrive first and are printed last, after the answer. */
async function askIndex(context: Context, given: ParsedArguments, question: string): Promise<void> {
  for (const option of ['system', 'temperature', 'as-of'])
    if (given.text(option) !== undefined) throw new UsageError(`--${option} does not go with --index.`);
  const asked = {
    prompt: question,
    job_id: await indexNumber(context, given.text('index')!),
    rag_query_size: given.number('passages'),
    model_name: given.text('model'),
    max_tokens: given.number('max-tokens'),
    answer: answerBy(given.text('answer')),
  };
  if (context.json) return context.show(await context.client().askIndex(asked, context), () => '');
  let citations: Citation[] = [];
  let text = '';
  for await (const event of context.client().askIndexEvents(asked, context)) {
    if ('citations' in event) citations = event.citations;
    if (!('delta' in event)) continue;
    const plainText = stripControls(text === '' ? event.delta.trimStart() : event.delta);
    text += plainText;
    context.terminal.write(plainText);
  }
  if (!text.endsWith('\n')) context.terminal.write('\n');
  for (const [at, citation] of citations.entries()) printSource(context, given, sourceOf(citation, at + 1));
}

function answerBy(how: string | undefined): 'quote' | 'generate' | undefined {
  if (how === undefined || how === 'quote' || how === 'generate') return how;
  throw new UsageError(`--answer is quote or generate, not "${how}".`);
}

/** Streams an answer. After Ctrl-C the part so far counts as the answer. */
export async function streamAnswer(
  context: Context,
  asked: OpenaiChatArgs,
  signal: AbortSignal,
): Promise<{ text: string; memory: Memory | undefined }> {
  let text = '';
  let memory: Memory | undefined;
  try {
    for await (const { choices } of context.client().openaiChatEvents(asked, { signal })) {
      const piece = choices[0]?.delta.content ?? '';
      memory = choices[0]?.memory ?? memory;
      // Trims the space that the tokenizer puts before the first word.
      const plainText = stripControls(text === '' ? piece.trimStart() : piece);
      text += plainText;
      context.terminal.write(plainText);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (context.signal.aborted) throw new Interrupted('');
  }
  if (!text.endsWith('\n')) context.terminal.write('\n');
  return { text, memory };
}

export const opening = (given: ParsedArguments): Message[] => {
  const system = given.text('system');
  return system === undefined ? [] : [{ role: 'system', content: system }];
};

export const argsOf = (given: ParsedArguments) => ({
  model: given.text('model') ?? defaultModel,
  max_tokens: given.number('max-tokens'),
  temperature: given.number('temperature'),
  answer_from: given.text('answer-from') as AnswerFrom | undefined,
  as_of: given.text('as-of'),
  unknown: given.text('unknown') as Unknown | undefined,
});
