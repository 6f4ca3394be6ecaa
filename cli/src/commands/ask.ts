// lorekeep ask, chat: questions to a model, answered as they are spoken.
import { createInterface } from 'node:readline/promises';
import type { Citation, OpenaiChatArgs } from '@lorekeep/client';
import { piped } from '../ask-person.ts';
import type { Command, Context, Given, Option } from '../command.ts';
import { Interrupted, UsageError } from '../exit.ts';
import { sourceOf } from '../sources.ts';
import { harmless } from '../terminal.ts';
import { wholeNumber } from '../words.ts';

type Message = OpenaiChatArgs['messages'][number];

export const usualModel = 'lorekeep/quill';

export const sampling: Record<string, Option> = {
  model: { value: 'NAME', short: 'm', about: `the model; ${usualModel} without it` },
  system: { value: 'TEXT', about: 'what is said to the model before the conversation' },
  'max-tokens': { value: 'NUMBER', about: 'how long the answer may get' },
  temperature: { value: 'NUMBER', about: '0 without it: the same question has the same answer' },
};

export const ask: Command = {
  name: 'ask',
  needsEngine: true,
  summary: 'ask a model or a document index one question',
  words: '[QUESTION ...]',
  options: {
    ...sampling,
    index: { value: 'ID', about: 'answer from the documents of this index, and name the passages' },
    passages: { value: 'NUMBER', about: 'of how many passages an index answers; 3 without it' },
  },
  more: 'Without a question, standard input is the question. Passages are named on standard error where somebody watches, and with --json.',
  async run(context, given) {
    const question = given.words.join(' ') || (process.stdin.isTTY ? '' : await piped());
    if (question === '') throw new UsageError('There is no question.');
    if (given.text('index') !== undefined) return await askIndex(context, given, question);
    if (given.text('passages') !== undefined) throw new UsageError('--passages goes with --index.');
    const asked = { ...argsOf(given), messages: [...opening(given), { role: 'user' as const, content: question }] };
    if (context.json) {
      const answer = await context.client().openaiChat(asked, context);
      context.show(answer, () => '');
    } else await speak(context, asked, context.signal);
  },
};

/** The passages come first on the wire, and are told last: the answer is what was asked for. */
async function askIndex(context: Context, given: Given, question: string): Promise<void> {
  for (const option of ['system', 'temperature'])
    if (given.text(option) !== undefined) throw new UsageError(`--${option} does not go with --index.`);
  const asked = {
    prompt: question,
    job_id: wholeNumber(given.text('index'), 'an index'),
    rag_query_size: given.number('passages'),
    model_name: given.text('model'),
    max_tokens: given.number('max-tokens'),
  };
  if (context.json) return context.show(await context.client().askIndex(asked, context), () => '');
  let citations: Citation[] = [];
  let text = '';
  for await (const event of context.client().askIndexEvents(asked, context)) {
    if ('citations' in event) citations = event.citations;
    if (!('delta' in event)) continue;
    const shown = harmless(text === '' ? event.delta.trimStart() : event.delta);
    text += shown;
    context.terminal.write(shown);
  }
  if (!text.endsWith('\n')) context.terminal.write('\n');
  for (const [at, citation] of citations.entries())
    context.terminal.say(context.terminal.tint('dim', sourceOf(citation, at + 1)));
}

export const chat: Command = {
  name: 'chat',
  needsEngine: true,
  summary: 'a conversation with a model',
  options: sampling,
  more: 'Ctrl-C ends an answer, and the conversation where nothing is being answered; so does Ctrl-D. Of what is piped in, each line is a turn.',
  async run(context, given) {
    const messages = opening(given);
    const lines = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: process.stdin.isTTY === true,
    });
    const prompt = () => {
      if (context.terminal.watched && process.stdin.isTTY) lines.prompt();
    };
    let answering: AbortController | undefined;
    // Of a terminal that reads lines, Ctrl-C comes here and not as a signal.
    lines.on('SIGINT', () => (answering ? answering.abort() : lines.close()));
    lines.setPrompt(context.terminal.tint('cyan', '› '));
    prompt();
    for await (const line of lines) {
      if (line.trim() !== '') {
        messages.push({ role: 'user', content: line });
        answering = new AbortController();
        const signal = AbortSignal.any([answering.signal, context.signal]);
        const asked = { ...argsOf(given), messages };
        if (context.json) {
          const answer = await context.client().openaiChat(asked, { signal });
          const content = answer.choices[0]!.message.content;
          messages.push({ role: 'assistant', content });
          context.show({ question: line, answer: content }, () => '');
        } else messages.push({ role: 'assistant', content: await speak(context, asked, signal) });
        answering = undefined;
      }
      if (context.signal.aborted) break;
      prompt();
    }
    lines.close();
  },
};

/** Prints an answer as it comes; what has come when Ctrl-C is pressed is the answer. */
async function speak(context: Context, asked: OpenaiChatArgs, signal: AbortSignal): Promise<string> {
  let text = '';
  try {
    for await (const { choices } of context.client().openaiChatEvents(asked, { signal })) {
      const piece = choices[0]?.delta.content ?? '';
      // A tokenizer's own space before the first word is no part of what is said.
      const shown = harmless(text === '' ? piece.trimStart() : piece);
      text += shown;
      context.terminal.write(shown);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (context.signal.aborted) throw new Interrupted('');
  }
  if (!text.endsWith('\n')) context.terminal.write('\n');
  return text;
}

const opening = (given: Given): Message[] => {
  const system = given.text('system');
  return system === undefined ? [] : [{ role: 'system', content: system }];
};

const argsOf = (given: Given) => ({
  model: given.text('model') ?? usualModel,
  max_tokens: given.number('max-tokens'),
  temperature: given.number('temperature'),
});
