// Exit codes of the program, stable for scripts. `lorekeep help exit-codes` and docs/guide/cli.md document
// them.
import {
  AuthenticationError,
  ConnectionError,
  EndedError as EndedOnServer,
  NotFoundError,
  PermissionError,
  UnavailableError,
} from '@lorekeep/client';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  missing: 5,
  ended: 6,
  partly: 7,
  interrupted: 130,
} as const;

export const exitMeanings: Record<keyof typeof exitCodes, string> = {
  done: 'done',
  failed: 'failed; the reason is on standard error',
  usage: 'wrong usage; nothing was sent',
  unreachable: 'Lorekeep is unreachable or unavailable; try again later',
  refused: 'authentication failed or permission denied',
  missing: 'not found',
  ended: 'the awaited work failed or was cancelled, or doctor found a problem',
  partly: 'the result is incomplete; standard error names the missing part',
  interrupted: 'interrupted (Ctrl-C); work on the server continues',
};

/** Wrong usage. */
export class UsageError extends Error {}
/** The named model or index does not exist. */
export class MissingError extends Error {
  /** The code for programs, as the server has it. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}
/** The awaited work failed or was cancelled. */
export class EndedError extends Error {}
/** The awaited result is incomplete. */
export class PartlyError extends Error {}
/** Ctrl-C. If work continues on the server, the way back is printed. */
export class Interrupted extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof EndedError || error instanceof EndedOnServer) return exitCodes.ended;
  if (error instanceof PartlyError) return exitCodes.partly;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof AuthenticationError || error instanceof PermissionError) return exitCodes.refused;
  if (error instanceof NotFoundError || error instanceof MissingError) return exitCodes.missing;
  if (error instanceof ConnectionError || error instanceof UnavailableError) return exitCodes.unreachable;
  return exitCodes.failed;
}
