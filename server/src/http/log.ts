// Structured logs: one line a request, with its id. Keys, bodies, prompts and queries are never handed to the log in the first place.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { PinoPretty as pretty } from 'pino-pretty';
import type { Config } from '../config/settings.ts';

export function createLog({ log_level, log_format }: Pick<Config, 'log_level' | 'log_format'>): FastifyBaseLogger {
  const options: LoggerOptions = {
    level: log_level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  const text = log_format === 'text' || (log_format === 'auto' && process.stdout.isTTY);
  return text
    ? pino(
        options,
        pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
      )
    : // A few kilobytes at a time, at least twice a second: a write for each line costs more than many a request. Where nobody reads what is
      // written, lines are dropped: a log must not be able to stop the service.
      pino(
        options,
        pino.destination({ sync: false, minLength: 4096, periodicFlush: 500, maxLength: mostHeld, maxWrite: 16_384 }),
      );
}

const mostHeld = 4 * 1024 * 1024;
const flushPatience = 500;

/** Writes out what is still held back, as far as somebody reads it. */
export async function flushLog(log: FastifyBaseLogger): Promise<void> {
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, flushPatience);
    (log as Logger).flush(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** The path without its query, which may hold what people search for. */
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
