// Errors of a call. Every error has a message for people (`detail`) and a stable code (`code`). Errors of the server have
// a class for each code, with a base class for each kind of problem; both come from the contract's table of errors.

/** One of several mistakes in a request, with its place. */
export interface Mistake {
  loc: (string | number)[];
  msg: string;
  type: string;
}

export interface ErrorValues {
  code: string;
  detail: string;
  status?: number;
  mistakes?: Mistake[];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

export class LorekeepError extends Error {
  /** Message for people: the problem, the wrong value, and the remedy. */
  readonly detail: string;
  /**
   * A code of the table of errors, or `unreachable`, `connection_lost`, `no_answer_in_time`, `ended`, or `unknown` for
   * an answer that is not from Lorekeep.
   */
  readonly code: string;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The mistakes in the request, if there are several. */
  readonly mistakes: Mistake[];
  /** Id of the request in the log of the server. */
  readonly requestId: string | undefined;
  /** Seconds after which the server accepts a retry. */
  readonly retryAfter: number | undefined;

  constructor({ code, detail, status = 0, mistakes = [], requestId, retryAfter, cause }: ErrorValues) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.detail = detail;
    this.code = code;
    this.status = status;
    this.mistakes = mistakes;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** The request is invalid, and a retry would be refused. */
export class InvalidRequestError extends LorekeepError {}
/** The key is missing, unknown, expired or revoked. */
export class AuthenticationError extends LorekeepError {}
/** The key may not do this. */
export class PermissionError extends LorekeepError {}
/** The object does not exist, or belongs to another account. */
export class NotFoundError extends LorekeepError {}
/** The account has reached a limit. */
export class LimitError extends LorekeepError {}
/** The request cannot be served now; a later retry can succeed. */
export class UnavailableError extends LorekeepError {}
/** The server failed. */
export class ServerError extends LorekeepError {}
/** There was no complete answer: the server is unreachable, the connection was lost, or the call timed out. */
export class ConnectionError extends LorekeepError {}
/** The awaited work, such as a job, failed or was cancelled. */
export class EndedError extends LorekeepError {}
