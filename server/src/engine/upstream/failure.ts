// Failures of upstream engines, and the refusals that callers receive for them.
import { Refusal } from '@lorekeep/contract';

export type FailureKind =
  /** It cannot be reached, is not ready, or does not fit the model. */
  | 'unavailable'
  /** It failed at this request, and may answer others. */
  | 'failing'
  /** It is at capacity (429). */
  | 'full'
  /** It sent nothing for too long. */
  | 'slow'
  /** Its answer is not a valid one. */
  | 'wrong'
  /** It rejects the request as invalid (400, 422). */
  | 'refused';

export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** Seconds after which it asks to be retried (Retry-After). */
  readonly retryAfter: number | undefined;
  /** Whether an immediate retry may succeed. */
  readonly passing: boolean;

  constructor(
    kind: FailureKind,
    reason: string,
    { retryAfter, passing = false }: { retryAfter?: number | undefined; passing?: boolean } = {},
  ) {
    super(reason);
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.passing = passing;
  }

  refusal(name: string, timeoutSeconds: number): Refusal {
    const reason = this.message;
    const also = { cause: this };
    const again = (seconds: number) => ({ 'Retry-After': String(this.retryAfter ?? seconds) });
    switch (this.kind) {
      case 'full':
        return new Refusal('overloaded', { reason }, { ...also, headers: again(5) }) as Refusal;
      case 'slow':
        return new Refusal('upstream_slow', { name, seconds: timeoutSeconds }, also) as Refusal;
      case 'wrong':
        return new Refusal('upstream_failed', { name, reason }, also) as Refusal;
      case 'refused':
        return new Refusal('upstream_refused', { name, reason }, also) as Refusal;
      default:
        return new Refusal('upstream_unavailable', { name, reason }, { ...also, headers: again(5) }) as Refusal;
    }
  }
}

const maxRetryAfter = 3600;

/** Seconds of a Retry-After header, which holds a number or a date. The value is bounded, since the server is not trusted. */
export function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(maxRetryAfter, Math.max(1, Math.ceil(seconds))) : undefined;
}
