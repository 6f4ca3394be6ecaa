// Prompts the person at the terminal, or reads piped input instead.
import { createInterface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import { Interrupted } from './exit.ts';

/** Reads all of the input. */
export async function piped(input: NodeJS.ReadStream): Promise<string> {
  let text = '';
  input.setEncoding('utf8');
  for await (const chunk of input) text += chunk;
  return text.trim();
}

/** Reads one line without echo, for secrets. */
export async function askHidden(question: string, input: ReadStream): Promise<string> {
  // Echo is switched off first, so that nothing typed after the question is shown.
  input.setRawMode(true);
  process.stderr.write(question);
  input.setEncoding('utf8');
  let typed = '';
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n') return typed.trim();
        if (character === '\u0003' || character === '\u0004') throw new Interrupted('Nothing was changed.');
        typed = character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
      }
    }
    return typed.trim();
  } finally {
    input.setRawMode(false);
    input.pause();
    process.stderr.write('\n');
  }
}

/** Reads one line; undefined at the end of input (Ctrl-D). Ctrl-C ends the program. */
export async function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false, signal });
  process.stderr.write(question);
  try {
    return await new Promise<string | undefined>((answered, stopped) => {
      lines.once('line', answered);
      lines.once('close', () => (signal.aborted ? stopped(signal.reason) : answered(undefined)));
    });
  } finally {
    lines.close();
  }
}
