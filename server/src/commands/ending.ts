// With what a command on the host ends: the numbers of the command line (cli/src/exit.ts), and its shape of errors for programs.
import { type ErrorCode, Refusal } from '@lorekeep/contract';
import { SettingsError } from '../config/load.ts';
import { NewerDatabaseError } from '../store/migrate.ts';

/** Called wrongly. */
export class UsageError extends Error {}

/** What was named is not there; in a sentence for whoever is on the host. */
export class MissingError extends Error {
  readonly code: ErrorCode;
  readonly status = 404;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The result is there, and has no place to go. */
export class UnwrittenError extends Error {}

/** A database that is not there now, or is starting or stopping: it may be in a moment. */
const away = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', '57P01', '57P03'];

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof SettingsError) return 2;
  if (away.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')) return 3;
  if (!(error instanceof Refusal || error instanceof MissingError)) return 1;
  switch (error.status) {
    case 401:
    case 403:
      return 4;
    case 404:
    case 594:
      return 5;
    case 503:
    case 513:
      return 3;
    default:
      return 1;
  }
}

/** Says what went wrong, a sentence or JSON where that was asked for, and answers the number to end with. */
export function explain(error: unknown): number {
  process.stderr.write(`${explanation(error, process.argv.includes('--json'))}\n`);
  return exitCodeOf(error);
}

function explanation(error: unknown, json: boolean): string {
  const told = isTold(error);
  const detail = told ? error.message : startProblem(error);
  if (!json) return detail;
  const { code, status, mistakes } = (told ? error : {}) as Partial<Refusal>;
  const own = exitCodeOf(error) === 2 ? 'usage' : 'failed';
  return JSON.stringify({ error: { code: code ?? own, detail, status, mistakes } });
}

const isTold = (error: unknown): error is Error =>
  [UsageError, MissingError, UnwrittenError, SettingsError, NewerDatabaseError, Refusal].some(
    (known) => error instanceof known,
  );

/** What a person can do about the failures that a start meets most. */
function startProblem(error: unknown): string {
  const { code, message, stack, address, port, hostname } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (away.includes(code ?? ''))
    return `The database of LOREKEEP_DATABASE_URL cannot be used: ${message || 'no connection'}`;
  switch (code) {
    case 'EADDRINUSE':
      return `The address ${address}:${port} is in use. Is Lorekeep running already? Stop it, or choose another port: ./lorekeep up --port ${(port ?? 8080) + 1}`;
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${address ?? ''}: check LOREKEEP_HOST.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `There is no host ${hostname ?? ''}: check LOREKEEP_HOST and LOREKEEP_DATABASE_URL.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not allowed: ${message}. Check who owns LOREKEEP_HOME, and that the port is above 1023.`;
    case 'ENOSPC':
      return `The disk is full: ${message}`;
    case '28P01':
    case '28000':
    case '3D000':
      return `The database of LOREKEEP_DATABASE_URL cannot be used: ${message || 'no connection'}`;
    default:
      return stack ?? String(error);
  }
}
