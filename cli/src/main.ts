#!/usr/bin/env node
// Entry point of the command line: gives the process to the program, and ends with its exit code.
import { exitCodes, Interrupted } from './exit.ts';
import { Program } from './program.ts';

const args = process.argv.slice(2);
const stop = new AbortController();
const { env: environment, stdout: output, stderr: error } = process;
const program = new Program(args, { environment, input: () => process.stdin, output, error, signal: stop.signal });

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second Ctrl-C exits at once.
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    stop.abort(new Interrupted(''));
  });
// A closed pipe (`| head`) is not an error.
output.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  program.explain(new Error(`The result cannot be written: ${error.message}.`));
  process.exit(exitCodes.failed);
});

process.exitCode = await program.run();
// A connection attempt must not delay the exit of a completion.
if (args[0] === '__names') output.write('', () => process.exit());
