// Structured logs: one line a request, with its id, and without keys, bodies, prompts or queries.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type LoggerOptions, pino } from 'pino';
import { PinoPretty as pretty } from 'pino-pretty';
import type { Config } from '../config/settings.ts';

export function createLog({ log_level, log_format }: Pick<Config, 'log_level' | 'log_format'>): FastifyBaseLogger {
  const options: LoggerOptions = {
    level: log_level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', '*.authorization', '*.headers.authorization', '*.key', '*.secret'],
      censor: '(hidden)',
    },
  };
  const text = log_format === 'text' || (log_format === 'auto' && process.stdout.isTTY);
  return text
    ? pino(options, pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', sync: true }))
    : pino(options);
}

/** The path without its query, which may hold what people search for. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0]!.slice(0, 200),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.caller?.account.id,
      },
      'request',
    );
  });
}
