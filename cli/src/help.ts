// Generates the help from the table of commands. It is committed as cli/help.txt, so that reviews show changes.
import { type Command, globalOptions, type Option } from './command.ts';
import { commands } from './commands.ts';
import { exitCodes, exitMeanings } from './exit.ts';

export function overview(program: string): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return `Lorekeep: facts that a language model gets right, and answers from your documents.

${commands.map(({ name, summary }) => `  ${program} ${name.padEnd(width)} ${summary}`).join('\n')}

Each has its own --help. Everywhere:

${optionLines(globalOptions)}

The key comes from LOREKEEP_API_KEY, the address from LOREKEEP_BASE_URL, else both from "${program} login".
${program} help exit-codes lists the exit codes.`;
}

/** Help of a group of commands, after the group's own help if it is also a command. */
export function groupHelp(group: string, program: string): string {
  const own = commands.find(({ name }) => name === group);
  const behind = commands.filter(({ name }) => name.startsWith(`${group} `));
  const width = Math.max(...behind.map(({ name }) => name.length)) + 2;
  return [
    ...(own ? [helpOf(own, program)] : [`${program} ${group} COMMAND`]),
    behind.map(({ name, summary }) => `  ${program} ${name.padEnd(width)} ${summary}`).join('\n'),
    'Each has its own --help.',
  ].join('\n\n');
}

export function helpOf({ name, words, summary, options = {}, more }: Command, program: string): string {
  return [
    `${program} ${name}${words ? ` ${words}` : ''}${Object.keys(options).length > 0 ? ' [options]' : ''}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    optionLines({ ...options, ...globalOptions }),
    ...(more ? [more] : []),
  ].join('\n\n');
}

export function exitCodesHelp(): string {
  const rows = Object.entries(exitCodes).map(
    ([name, code]) => `  ${String(code).padStart(3)}  ${exitMeanings[name as keyof typeof exitCodes]}`,
  );
  return `Exit codes:\n\n${rows.join('\n')}`;
}

/** The complete help, as committed in cli/help.txt. */
export function wholeHelp(): string {
  const program = 'lorekeep';
  return `${[overview(program), exitCodesHelp(), ...commands.map((command) => helpOf(command, program))].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function optionLines(options: Record<string, Option>): string {
  const named = Object.entries(options).map(([name, { value, short, about }]) => [
    `--${name}${value ? ` ${value}` : ''}${short ? `, -${short}` : ''}`,
    about,
  ]);
  const width = Math.max(...named.map(([name]) => name!.length)) + 2;
  return named.map(([name, about]) => `  ${name!.padEnd(width)} ${about}`).join('\n');
}
