// Who makes a request: the key and its account, as they were read from the store.
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

  constructor(key: Caller['key'], account: Caller['account']) {
    this.key = key;
    this.account = account;
  }

  /** An admin key may do everything that its account may. */
  may(scope: Scope): boolean {
    return this.key.scopes.includes(scope) || this.key.scopes.includes('admin');
  }

  get isOperator(): boolean {
    return this.account.role === 'operator';
  }
}
