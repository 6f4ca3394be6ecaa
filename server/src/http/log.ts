// Structured logs: one line per request, with its id. Redaction: keys, bodies, prompts and queries are never passed to the log.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { PinoPretty as pretty } from 'pino-pretty';
import type { Config } from '../config/settings.ts';
import { bufferedLog, writeLogFile } from '../running/log-file.ts';
import { RepeatedLines } from '../running/repeated-lines.ts';

/** `file`: an additional copy as JSON lines. */
export function createLog(
  { log_level, log_format }: Pick<Config, 'log_level' | 'log_format'>,
  file?: string,
): FastifyBaseLogger {
  const options: LoggerOptions = {
    level: log_level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { logMethod: boundRepeated() },
  };
  const text = log_format === 'text' || (log_format === 'auto' && process.stdout.isTTY);
  const consoleStream = text
    ? pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true })
    : // If the reader of the output stalls, lines are dropped, so that the log cannot block the service.
      bufferedLog({});
  if (file === undefined) return pino(options, consoleStream);
  try {
    return pino(options, teeStream(consoleStream, writeLogFile(file)));
  } catch (error) {
    const log = pino(options, consoleStream);
    log.warn(`the log cannot be written to ${file}: ${(error as Error).message}`);
    return log;
  }
}

/** Warnings and errors that differ in nothing are written once a minute, then with the number of those left out. */
function boundRepeated(): LogFn {
  const lines = new RepeatedLines();
  return function (args, method, level) {
    if (level < pino.levels.values.warn!) return method.apply(this, args);
    const line = comparable([level, this.bindings(), args]);
    const leftOut = line === undefined ? 0 : lines.take(line);
    if (leftOut === undefined) return;
    const rest: unknown[] = args;
    if (leftOut > 0 && typeof rest.at(-1) === 'string')
      rest[rest.length - 1] += ` (${leftOut} times more since it was last written)`;
    method.apply(this, args);
  };
}

type LogFn = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** A text that is the same for equal lines; undefined for values that JSON cannot hold, such as a request that refers to itself. */
function comparable(line: unknown): string | undefined {
  try {
    return JSON.stringify(line, plainError);
  } catch {
    return undefined;
  }
}

const plainError = (_: string, value: unknown) =>
  value instanceof Error ? [value.name, value.message, (value as NodeJS.ErrnoException).code] : value;

/** Writes every line to both streams. A flush ends when both are flushed. */
function teeStream(consoleStream: DestinationStream, logFile: ReturnType<typeof writeLogFile>): DestinationStream {
  const flush = (done: () => void) => {
    let open = 2;
    const one = () => {
      if (--open === 0) done();
    };
    logFile.flush(one);
    if ('flush' in consoleStream) (consoleStream as typeof logFile).flush(one);
    else one();
  };
  return Object.assign(
    {
      write: (line: string) => {
        consoleStream.write(line);
        logFile.write(line);
      },
    },
    { flush },
  );
}

const flushTimeoutMs = 500;

/** Writes buffered lines as far as the reader takes them. */
export async function flushLog(log: FastifyBaseLogger): Promise<void> {
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, flushTimeoutMs);
    (log as Logger).flush(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** Logs the path without its query, which may contain search texts. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        request: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0]!.slice(0, 200),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.caller?.account.id,
      },
      'request',
    );
    done();
  });
}
