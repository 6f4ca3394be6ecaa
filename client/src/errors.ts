// Errors of a call. Every error has a sentence for people (`detail`) and a code that stays the same (`code`). Refusals
// of the server have a class for each code, in a family for each kind of trouble; both come from the contract's table
// of errors.

/** One of several mistakes in a request, by place. */
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
  /** Sentence for people: the problem, its value, and what to do. */
  readonly detail: string;
  /**
   * A code of the table of errors, or one of `unreachable`, `connection_lost`, `no_answer_in_time`, `ended`, and
   * `unknown` for words that are not Lorekeep's.
   */
  readonly code: string;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Each wrong place of the request, if there are several. */
  readonly mistakes: Mistake[];
  /** The name of the request in the log of the server. */
  readonly requestId: string | undefined;
  /** After how many seconds the server wants to be asked again. */
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

/** The request is wrong, and would be refused again. */
export class InvalidRequestError extends LorekeepError {}
/** The key is missing, unknown, expired or revoked. */
export class AuthenticationError extends LorekeepError {}
/** The key may not do this. */
export class PermissionError extends LorekeepError {}
/** The object does not exist, or belongs to another account. */
export class NotFoundError extends LorekeepError {}
/** The account has used what it may use. */
export class LimitError extends LorekeepError {}
/** It cannot be done right now; later it can. */
export class UnavailableError extends LorekeepError {}
/** Something went wrong on the server. */
export class ServerError extends LorekeepError {}
/** There was no whole answer: the server cannot be reached, the connection was lost, or the time was up. */
export class ConnectionError extends LorekeepError {}
/** The awaited work ended in another way than was hoped: a job that failed or was cancelled. */
export class EndedError extends LorekeepError {}
