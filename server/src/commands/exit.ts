// Exit codes of commands on the host, and their errors as JSON for programs: both are the same as those of the command line
// (cli/src/exit.ts).

import { type ErrorCode, Refusal } from '@lorekeep/contract';
import { StorageProblem } from '../blobs/s3/problem.ts';
import { SettingsError } from '../config/load.ts';
import { isDiskFull } from '../files/disk-full.ts';
import { UnwritableError } from '../files/writable.ts';
import { NewerDatabaseError } from '../store/migrate.ts';
import { shownDatabase, sqliteProblem } from '../store/problem.ts';

/** Invalid arguments. */
export class UsageError extends Error {}

/** The named object does not exist. The message is a sentence for people on the host. */
export class MissingError extends Error {
  readonly code: ErrorCode;
  readonly status = 404;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The result cannot be written. */
export class OutputError extends Error {}

/** The product cannot start or be stopped. The message has the reason and the remedy. */
export class StartError extends Error {}

/** Error codes of a temporarily unavailable database: unreachable, starting or stopping. */
const unavailableCodes = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', '57P01', '57P03'];

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof SettingsError) return 2;
  if (error instanceof StorageProblem) return ['away', 'busy'].includes(error.kind) ? 3 : 2;
  if (unavailableCodes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')) return 3;
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

/** Prints the error as a sentence, or as JSON with --json; returns the exit code. */
export function explain(error: unknown, database = ''): number {
  process.stderr.write(`${explanation(error, process.argv.includes('--json'), database)}\n`);
  return exitCodeOf(error);
}

function explanation(error: unknown, json: boolean, database: string): string {
  const detail = detailOf(error, database);
  if (!json) return detail;
  const { code, status, mistakes } = (isExpectedError(error) ? error : {}) as Partial<Refusal>;
  const own = exitCodeOf(error) === 2 ? 'usage' : 'failed';
  return JSON.stringify({ error: { code: code ?? own, detail, status, mistakes } });
}

/** The error as a sentence for people, with the remedy. */
export function detailOf(error: unknown, database: string): string {
  if (error instanceof NewerDatabaseError)
    return error.message.replace('The database', `The database ${shownDatabase(database)}`.trimEnd());
  return isExpectedError(error) ? error.message : (sqliteProblem(database, error) ?? startProblem(error));
}

const isExpectedError = (error: unknown): error is Error =>
  [
    ...[UsageError, MissingError, OutputError, StartError, SettingsError, StorageProblem, NewerDatabaseError],
    ...[UnwritableError, Refusal],
  ].some((known) => error instanceof known);

/** Messages with the remedy for the most common failures of a start. */
function startProblem(error: unknown): string {
  const { code, message, stack, address, port, hostname } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (unavailableCodes.includes(code ?? ''))
    return `The database of LOREKEEP_DATABASE_URL cannot be used: ${message || 'no connection'}`;
  if (isDiskFull(error)) return `The disk is full: ${message}`;
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
    case 'EEXIST':
    case 'ENOTDIR':
      return `A folder is needed where a file is: ${message}. Move the file away, or set LOREKEEP_HOME or LOREKEEP_DATABASE_URL to another place.`;
    case '28P01':
    case '28000':
    case '3D000':
      return `The database of LOREKEEP_DATABASE_URL cannot be used: ${message || 'no connection'}`;
    default:
      return stack ?? String(error);
  }
}
