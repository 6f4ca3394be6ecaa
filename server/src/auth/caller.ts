// The caller of a request: a key and its account, as read from the store. A console session acts as the key that its
// usage is counted on.
import type { Limits, Scope } from '@lorekeep/contract';

export class Caller {
  readonly key: {
    id: number;
    name: string;
    hash: string;
    scopes: Scope[];
    expiresAt: number | null;
    revokedAt: number | null;
  };
  readonly account: { id: number; name: string; role: 'operator' | 'member'; disabled: boolean; limits: Limits };
  /** Set if a browser calls with its session cookie. */
  readonly sessionId: number | undefined;

  constructor(key: Caller['key'], account: Caller['account'], sessionId?: number) {
    this.key = key;
    this.account = account;
    this.sessionId = sessionId;
  }

  /** An admin key may do everything that its account may. */
  may(scope: Scope): boolean {
    return this.key.scopes.includes(scope) || this.key.scopes.includes('admin');
  }

  get isOperator(): boolean {
    return this.account.role === 'operator';
  }
}
