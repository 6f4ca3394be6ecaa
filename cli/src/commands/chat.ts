// lorekeep chat: a conversation with a model. A wrong address, key or model is reported before the first question.
import { createInterface } from 'node:readline/promises';
import { LorekeepError, PermissionError } from '@lorekeep/client';
import type { Command, Context } from '../command.ts';
import { engineReady } from '../engine-ready.ts';
import { didYouMean } from '../nearest.ts';
import { stripControls } from '../terminal.ts';
import { argsOf, opening, sampling, streamAnswer } from './ask.ts';
import { inCommands } from './in-commands.ts';

const commands = {
  '/help': 'this list',
  '/clear': 'forget the conversation and start a new one',
  '/quit': 'end the conversation; so does Ctrl-D',
};
const aliases = { '/exit': '/quit', '/bye': '/quit', '/q': '/quit', '/?': '/help' } as Record<string, string>;

export const chat: Command = {
  name: 'chat',
  summary: 'a conversation with a model',
  options: sampling,
  more: `On a terminal these are commands: ${Object.keys(commands).join(', ')}; a question that begins with a slash is written with two ("//"). Ctrl-C ends an answer, and the conversation where\nnothing is being answered; so does Ctrl-D. Each line of piped input is a turn.`,
  async run(context, given) {
    const { model } = argsOf(given);
    await checkModel(context, model);
    await engineReady(context);
    const talks = context.terminal.watched && context.input().isTTY === true;
    if (talks) context.terminal.say(await banner(context, model));
    let messages = opening(given);
    const lines = createInterface({
      input: context.input(),
      output: process.stderr,
      terminal: context.input().isTTY === true,
    });
    const prompt = () => {
      if (talks) lines.prompt();
    };
    let answering: AbortController | undefined;
    // While readline reads, Ctrl-C arrives here instead of as a signal.
    lines.on('SIGINT', () => (answering ? answering.abort() : lines.close()));
    lines.setPrompt(context.terminal.tint('cyan', '› '));

    const answer = async (question: string) => {
      const asked = [...messages, { role: 'user' as const, content: question }];
      answering = new AbortController();
      const signal = AbortSignal.any([answering.signal, context.signal]);
      try {
        const args = { ...argsOf(given), messages: asked };
        const reply = context.json
          ? await wholeAnswer(context, args, question, signal)
          : await streamAnswer(context, args, signal);
        messages = [...asked, { role: 'assistant' as const, content: reply.text }];
      } catch (error) {
        // An error of one question does not end an interactive conversation.
        if (!talks || !(error instanceof LorekeepError) || context.signal.aborted) throw error;
        context.terminal.tell(
          `${context.terminal.tint('red', 'Error:')} ${stripControls(inCommands(error, context.program))}`,
        );
      } finally {
        answering = undefined;
      }
    };

    prompt();
    for await (const line of lines) {
      const typed = line.trim();
      const command = talks && /^\/[^/]/.test(typed) ? (aliases[typed] ?? typed) : undefined;
      if (command === '/quit') break;
      if (command === '/clear') messages = opening(given);
      else if (command === '/help') context.terminal.say(help());
      else if (command !== undefined)
        context.terminal.say(
          `There is no ${command}.${didYouMean(command, Object.keys(commands))} /help lists the commands.`,
        );
      else if (typed !== '') await answer(talks && typed.startsWith('//') ? typed.slice(1) : line);
      if (context.signal.aborted) break;
      prompt();
    }
    lines.close();
  },
};

/** Throws the error that the first question would cause. */
async function checkModel(context: Context, model: string): Promise<void> {
  const client = context.client();
  await client.showOwnAccount(context);
  try {
    await client.openaiShowModel({ model }, context);
  } catch (error) {
    // A key with the scope `infer` only may not list models.
    if (!(error instanceof PermissionError)) throw error;
  }
}

async function wholeAnswer(
  context: Context,
  args: Parameters<typeof streamAnswer>[1],
  question: string,
  signal: AbortSignal,
) {
  const answer = await context.client().openaiChat(args, { signal });
  const text = answer.choices[0]!.message.content;
  context.show({ question, answer: text }, () => '');
  return { text };
}

async function banner(context: Context, model: string): Promise<string> {
  const lines = [
    `${context.terminal.tint('bold', stripControls(model))} at ${context.address().url}. /help lists the commands, /quit or Ctrl-D ends.`,
  ];
  const client = context.client();
  const [bases, modelDetails] = await Promise.all([
    client.listDownloadedModels(context).catch(() => []),
    client.showTunedModel({ model }, context).catch(() => undefined),
  ]);
  // The call also returns bases and indexes, which have no base.
  const tuned = modelDetails && 'base_model' in modelDetails ? modelDetails : undefined;
  const base = tuned?.base_model ?? model;
  if (bases.some(({ model_name, source }) => model_name === base && source === 'built-in'))
    lines.push(
      `${tuned ? `It is tuned on ${base}` : `${base} is`}${tuned ? ', ' : ' '}the tiny shipped model for trying things out: beyond ${tuned ? 'its facts' : 'a context in the question'} it knows next to nothing.`,
      `${context.program} models known lists real ones.`,
    );
  return lines.join('\n');
}

const help = () =>
  [
    ...Object.entries(commands).map(([name, about]) => `  ${name.padEnd(8)} ${about}`),
    '  Ctrl-C   ends an answer that is being given',
  ].join('\n');
