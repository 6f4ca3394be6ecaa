// The limits of an account: its own if the operator set one, else the installation's; the operator has none.
import type { LimitChanges, Limits } from '@lorekeep/contract';
import type { Config } from '../config/settings.ts';

export type OwnLimits = Partial<Limits>;

const unlimited: Limits = { requests_per_minute: null, data_points: null, storage_bytes: null, jobs: null, keys: null };

export function defaultLimits(config: Config): Limits {
  return {
    requests_per_minute: config.limit_requests_per_minute,
    data_points: config.limit_data_points,
    storage_bytes: config.limit_storage,
    jobs: config.limit_jobs,
    keys: config.limit_keys,
  };
}

export function effectiveLimits(role: 'operator' | 'member', own: OwnLimits, defaults: Limits): Limits {
  return { ...(role === 'operator' ? unlimited : defaults), ...own };
}

export function changedLimits(own: OwnLimits, changes: LimitChanges | undefined): OwnLimits {
  const result: OwnLimits = { ...own };
  for (const [name, change] of Object.entries(changes ?? {}) as [
    keyof Limits,
    number | 'none' | 'default' | undefined,
  ][]) {
    if (change === undefined) continue;
    if (change === 'default') delete result[name];
    else result[name] = change === 'none' ? null : change;
  }
  return result;
}
