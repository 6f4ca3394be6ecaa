// The audit log: who did what and when, in rows that are chained by their hashes and never changed.
import { z } from 'zod';
import { id, isoTimestamp, next, optional, page } from './common.ts';
import { momentAt } from './fact-details.ts';
import { route } from './route.ts';

const tag = 'Audit log';

/** Each is SUBJECT.WHAT-HAPPENED. */
export const auditActions = [
  ...['account.created', 'account.changed', 'account.deleted'],
  ...['key.created', 'key.rotated', 'key.revoked'],
  ...['session.began', 'session.ended', 'session.refused', 'password.set', 'password.changed', 'link.created'],
  ...['dataset.uploaded', 'dataset.changed', 'dataset.deleted', 'dataset.exported'],
  ...['job.created', 'job.resumed', 'job.ended'],
  ...['model.imported', 'model.published', 'model.changed', 'model.deleted', 'model.exported'],
  ...['model.facts_forgotten', 'model.move_ordered'],
  ...['memory.created', 'memory.change_ordered', 'memory.changed', 'memory.published', 'memory.deleted'],
  ...['memory.gate_set', 'memory.gate_removed'],
  ...['memory.erasure_ordered', 'memory.erased', 'memory.erasure_failed'],
  'proposals.reading_ordered',
  'feedback.settings_changed',
  ...['proposals.created', 'proposals.accepted', 'proposals.rejected', 'proposals.assigned', 'proposals.withdrawn'],
  ...['index.created', 'index.files_added', 'index.file_deleted', 'index.file_exported', 'index.deleted'],
  ...['webhook.created', 'webhook.deleted'],
  ...['audit.exported', 'audit.pruned'],
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The hash that stands before the first row. */
export const noHash = '0'.repeat(64);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

export const auditRowSchema = z
  .object({
    number: z.int().describe('Counts from 1 over all accounts, without gaps.'),
    time: isoTimestamp,
    account_id: z.int().nullable().describe('The account that it is about, which may be deleted meanwhile.'),
    actor: z.object({
      kind: z
        .enum(['key', 'session', 'host', 'server'])
        .describe('A key, a browser that is signed in, a command on the host, or work of the server itself.'),
      account_id: z.int().nullable(),
      name: z.string().describe('The name of the account, or `host`, or `server`.'),
      key_id: z.int().nullable(),
    }),
    action: z.string().meta({ examples: ['key.created'] }),
    subject: z.string().describe('The object of the action: an id or a name.'),
    details: z.record(z.string(), z.unknown()).describe('No key, no password, no text of a fact.'),
    previous: hash.describe('The hash of the row before.'),
    hash: hash.describe('SHA-256 of the canonical JSON of this row without this field.'),
  })
  .meta({ id: 'AuditRow' });
export type AuditRow = z.infer<typeof auditRowSchema>;

/** A moment, or a date, which is a whole day in UTC: its beginning for `from`, its end for `to`. */
const moment = (edge: 'start' | 'end') =>
  optional(
    z
      .union([z.iso.date(), isoTimestamp], { error: 'must be a date (2026-01-31) or a time (2026-01-31T09:30:00Z)' })
      .transform((text) => (text.length === 10 ? new Date(momentAt(text, edge)).toISOString() : text)),
  );

const filters = z.object({
  from: moment('start').describe('Rows of this moment or date, and later.'),
  to: moment('end').describe('Rows before this moment, or up to this date, whose day counts.'),
  actor: optional(z.string().max(300)).describe('The name of the account that did it, or `host`, or `server`.'),
  action: optional(z.string().max(100)).describe('An action such as `key.created`, or all of one subject: `key`.'),
  subject: optional(z.string().max(300)).describe('The id or the name, whole.'),
  account_id: optional(id).describe("Another account's; for the operator, who without it sees the rows of all."),
});

const inOrder = <Query extends z.ZodObject<typeof filters.shape>>(query: Query) =>
  query.refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) <= Date.parse(to), {
    error: 'is after "to": no row can be between them',
    path: ['from'],
  });

const readers = 'An admin key sees the rows about its account; one of the operator sees all.';

export const listAudit = route({
  name: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag,
  summary: 'The audit log, newest first',
  description: readers,
  access: 'admin',
  query: inOrder(filters.extend(page.shape)),
  answer: z.object({ rows: z.array(auditRowSchema), next }),
  errors: ['account_not_found'],
});

export const exportAudit = route({
  name: 'exportAudit',
  method: 'GET',
  path: '/v1/audit/export',
  tag,
  summary: 'The audit log as JSON lines, oldest first',
  description: `${readers} The export is a row of the log itself.`,
  access: 'admin',
  query: inOrder(filters),
  answer: z.string(),
  answerType: 'application/jsonl',
  errors: ['account_not_found'],
});

export const verifyAudit = route({
  name: 'verifyAudit',
  method: 'GET',
  path: '/v1/audit/verify',
  tag,
  summary: 'Hold every row of the audit log against the one before',
  description:
    'Names the first row that does not fit: changed, missing, inserted, or cut off at the end. Somebody who may write the database can write a whole new chain: keep `last` of an ' +
    'answer outside of the installation, and send it later as `number` and `hash`.',
  access: 'operator',
  query: z
    .object({
      number: optional(id).describe('A row that was noted earlier, and'),
      hash: optional(hash).describe('its hash.'),
    })
    .refine(({ number, hash }) => (number === undefined) === (hash === undefined), {
      error: 'number and hash go together',
      path: ['number'],
    }),
  answer: z.object({
    sound: z.boolean(),
    rows: z.int().describe('Rows that were read.'),
    first: z.int().nullable().describe('The number of the first row that is kept; null while there is none.'),
    last: z.object({ number: z.int(), hash }).nullable(),
    fault: z.object({ number: z.int().describe('The first row that does not fit.'), reason: z.string() }).nullable(),
  }),
});
