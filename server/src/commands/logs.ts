// ./lorekeep logs: prints the log that ./lorekeep up wrote for this home.
import { existsSync } from 'node:fs';
import { prettyFactory } from 'pino-pretty';
import { logFile } from '../running/log-file.ts';
import { followLines, lastLines } from '../running/log-lines.ts';
import { type Command, optionsOf, print, say } from './command.ts';
import { UsageError } from './exit.ts';

const defaultLines = 100;
const maxLines = 1_000_000;

export const logs: Command = {
  help: () =>
    `./lorekeep logs [-f] [--lines NUMBER] [--json] [--path] [--home FOLDER]\n\nPrints the log of this home, the last ${defaultLines} lines without --lines, across the files that are kept.\n  -f, --follow     print new lines, until Ctrl-C\n  -n, --lines N    how many lines\n  --json           the lines as in the file; the default for a pipe\n  --path           print only the path of the file`,

  async run({ config }, words) {
    const given = optionsOf('logs', words, {
      follow: { type: 'boolean', short: 'f' },
      lines: { type: 'string', short: 'n' },
      json: { type: 'boolean' },
      path: { type: 'boolean' },
    });
    const file = logFile(config.home);
    if (given.path) return print(file);
    const count = given.lines === undefined ? defaultLines : Number(given.lines);
    if (!/^\d+$/.test(String(given.lines ?? defaultLines)) || count > maxLines)
      throw new UsageError(`--lines "${given.lines}": it takes a whole number from 0 to ${maxLines}.`);
    const formatLine = given.json || !process.stdout.isTTY ? (line: string) => line : prettyFormatter();
    say(`The log is ${file}.`);
    if (!existsSync(file) && !given.follow) return say('It does not exist yet: ./lorekeep up creates it.');
    const { lines, end } = lastLines(file, count);
    if (lines.length > 0) print(lines.map(formatLine).join('\n'));
    if (!given.follow) return;
    const stopped = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
    for await (const line of followLines(file, end, stopped.signal)) print(formatLine(line));
    process.exitCode = 130;
  },
};

function prettyFormatter(): (line: string) => string {
  const pretty = prettyFactory({
    colorize: !process.env.NO_COLOR,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
    singleLine: true,
  });
  return (line) => (pretty(line) ?? line).trimEnd();
}
