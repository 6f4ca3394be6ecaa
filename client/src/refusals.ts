// Converts an unsuccessful answer to the error that is thrown for it.
import {
  AuthenticationError,
  type ErrorValues,
  InvalidRequestError,
  LimitError,
  LorekeepError,
  type Mistake,
  NotFoundError,
  PermissionError,
  ServerError,
  UnavailableError,
} from './errors.ts';
import { errorClasses } from './generated/errors.ts';

export async function refusalOf(response: Response): Promise<LorekeepError> {
  const text = await response.text().catch(() => '');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // The answer is not from Lorekeep but from a proxy, or from another program at that address.
    body = undefined;
  }
  return errorFrom(body, response);
}

/** The error in an answer's body, or in the last event of a stream. */
export function errorFrom(
  body: unknown,
  { status, headers, url }: Pick<Response, 'status' | 'headers' | 'url'>,
): LorekeepError {
  const { detail, code, mistakes } = errorFieldsOf(body);
  const values: ErrorValues = {
    code: code ?? 'unknown',
    detail:
      detail ??
      `${url ? `${new URL(url).origin} answered` : 'The answer was'} with the status ${status}, and not in Lorekeep's words. Is the address right?`,
    status,
    mistakes,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(headers.get('retry-after')),
  };
  const Known = (errorClasses as Record<string, new (values: ErrorValues) => LorekeepError>)[values.code];
  return Known ? new Known(values) : new (familyOf(status))(values);
}

/** Error fields in Lorekeep's own format, or in OpenAI's format below /inf. */
function errorFieldsOf(body: unknown): { detail?: string; code?: string; mistakes: Mistake[] } {
  if (typeof body !== 'object' || body === null) return { mistakes: [] };
  const { detail, code, error } = body as { detail?: unknown; code?: unknown; error?: Record<string, unknown> };
  const found = typeof code === 'string' ? { code } : {};
  if (Array.isArray(detail)) {
    const mistakes = detail as Mistake[];
    return { ...found, detail: mistakes.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '), mistakes };
  }
  if (typeof detail === 'string') return { ...found, detail, mistakes: [] };
  if (typeof error === 'object' && error !== null && typeof error.message === 'string')
    return { ...(typeof error.code === 'string' && { code: error.code }), detail: error.message, mistakes: [] };
  return { mistakes: [] };
}

/** Error class for a code that is newer than this client. */
function familyOf(status: number): new (values: ErrorValues) => LorekeepError {
  if (status === 401) return AuthenticationError;
  if (status === 403) return PermissionError;
  if (status === 404 || status === 594) return NotFoundError;
  if (status === 429) return LimitError;
  if (status === 502 || status === 503 || status === 504 || status === 513) return UnavailableError;
  if (status >= 500) return ServerError;
  return status >= 400 ? InvalidRequestError : LorekeepError;
}

function secondsOf(text: string | null): number | undefined {
  if (!text) return undefined;
  const seconds = /^[0-9]+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
