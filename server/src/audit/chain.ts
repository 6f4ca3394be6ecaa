// The chain of the audit log: the hash of a row covers everything in it and the hash of the row before.
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AuditRowTable } from '../store/tables/audit.ts';

export type Row = Selectable<AuditRowTable>;

export function hashOf(row: Omit<Row, 'hash'>): string {
  const { number, at, account_id, actor_kind, actor_account, actor_name, actor_key } = row;
  const { action, subject, details, previous } = row;
  return createHash('sha256')
    .update(
      canonical({
        ...{ number, time: new Date(at).toISOString(), account_id },
        actor: { kind: actor_kind, account_id: actor_account, name: actor_name, key_id: actor_key },
        ...{ action, subject, details: JSON.parse(details), previous },
      }),
    )
    .digest('hex');
}

/** JSON with sorted names and no spaces: equal values have equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`)
    .join(',')}}`;
}

const maxTextLength = 300;

/** Databases refuse NUL and lone surrogates, or store them changed, which would break the chain. */
export function storable(text: string): string {
  const short = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
  return short.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Applies it to every text in a value. */
export function storableDetails(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableDetails);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), storableDetails(one)]));
}
