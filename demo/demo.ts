// ./lorekeep demo: Lorekeep in about two minutes, with a commentary, on a temporary product of its own.

import { duration } from '../cli/src/format.ts';
import { Terminal } from '../cli/src/terminal.ts';
import { startProduct } from './product.ts';
import { tell } from './story.ts';

const help = `./lorekeep demo

Lorekeep in about two minutes, on the model that ships: asks what the model cannot know, tunes it in, asks again, forgets one fact,
indexes a PDF and asks it. Starts a product of its own on a free port, with its data in a temporary folder, and ends it. Ctrl-C stops.`;

async function demo(terminal: Terminal, signal: AbortSignal): Promise<void> {
  const started = performance.now();
  terminal.print(
    'Lorekeep in about two minutes. A product of its own starts on a free port, with its data in a temporary folder.',
  );
  const product = await startProduct(signal, (what) => terminal.draw([`  waiting for ${what}`]));
  try {
    terminal.clear();
    terminal.print(`It is ready at ${product.url}.`);
    await tell(product.client, terminal, signal);
    terminal.print(`
That took ${duration((performance.now() - started) / 1000)}. The same with your own facts and files, with the product running (./lorekeep up) and a key kept
(./lorekeep login):

  ./lorekeep tune demo/facts.jsonl --name nordhaven --watch
  ./lorekeep ask -m nordhaven "Who founded the Nordhaven observatory?"
  ./lorekeep index demo/handbook.pdf
  ./lorekeep ask --index 1 "What is the parking fee at Nordhaven?"`);
  } finally {
    await product.end();
  }
}

const words = process.argv.slice(2);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
if (words.includes('--help') || words.includes('-h')) process.stdout.write(`${help}\n`);
else if (words.length > 0) {
  process.stderr.write(`./lorekeep demo does not know "${words[0]}".\n`);
  process.exitCode = 2;
} else {
  const terminal = new Terminal(process.stdout, process.stderr, process.env);
  try {
    await demo(terminal, stop.signal);
  } catch (error) {
    terminal.tell(stop.signal.aborted ? '\nStopped; what it had started is gone.' : (error as Error).message);
    process.exitCode = stop.signal.aborted ? 130 : 1;
  }
}
