// lorekeep audit: list, export and verify the audit log.
import type { AuditRow } from '@lorekeep/client';
import type { Command, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { count, shortTime } from '../format.ts';
import { saveTo } from '../save.ts';
import { table } from '../terminal.ts';

const filters = {
  from: { value: 'TIME', about: 'rows from this time on, such as 2026-11-01T00:00:00Z' },
  to: { value: 'TIME', about: 'rows before this time' },
  actor: { value: 'NAME', about: 'the account that did it, or host, or server' },
  action: { value: 'ACTION', about: 'such as key.created; key for all actions on keys' },
  subject: { value: 'NAME', about: 'the id or name of the object' },
};

const filtersOf = (given: ParsedArguments) => ({
  from: given.text('from'),
  to: given.text('to'),
  actor: given.text('actor'),
  action: given.text('action'),
  subject: given.text('subject'),
});

export const auditList: Command = {
  name: 'audit list',
  summary: 'who did what and when, newest first',
  options: { ...filters, limit: { value: 'COUNT', about: 'maximum number of rows; 100 without it' } },
  more: 'Needs an admin key. A key of the operator sees the rows of all accounts.',
  async run(context, given) {
    const limit = given.number('limit') ?? 100;
    const pages = context.client().allAudit({ ...filtersOf(given), limit: Math.min(limit, 1000) }, context);
    const rows: AuditRow[] = [];
    for await (const row of pages) if (rows.push(row) >= limit) break;
    context.show(rows, () =>
      table([
        ['NUMBER', 'TIME', 'WHO', 'ACTION', 'WHAT', 'DETAILS'],
        ...rows.map((row) => [
          String(row.number),
          shortTime(row.time),
          row.actor.key_id === null ? row.actor.name : `${row.actor.name} (${row.actor.kind} ${row.actor.key_id})`,
          row.action,
          row.subject.length > 16 ? `${row.subject.slice(0, 12)}…` : row.subject,
          JSON.stringify(row.details),
        ]),
      ]),
    );
  },
};

export const auditExport: Command = {
  name: 'audit export',
  summary: 'the audit log as JSON lines, oldest first',
  words: '[FILE]',
  options: filters,
  async run(context, given) {
    await saveTo(context, await context.client().exportAudit(filtersOf(given), context), given.words[0]);
  },
};

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'verify the hash chain of the audit log',
  options: { noted: { value: 'NUMBER:HASH', about: 'an earlier row that must still exist' } },
  more: 'Needs an admin key of the operator. Prints the first row that does not match, and exits with 1. Store the NUMBER:HASH that it prints outside of the installation.',
  async run(context, given) {
    const [number, hash] = notedOf(given.text('noted'));
    const verdict = await context.client().verifyAudit({ number, hash }, context);
    const { last, rows, fault } = verdict;
    if (fault) throw new Error(`Row ${fault.number} of the audit log does not match: ${fault.reason}.`);
    context.show(verdict, () => (last ? `${last.number}:${last.hash}` : ''));
    if (!context.json) context.terminal.say(`${count(rows, 'row')}, and each matches the one before.`);
  },
};

function notedOf(text: string | undefined): [number: number | undefined, hash: string | undefined] {
  if (text === undefined) return [undefined, undefined];
  const [, number, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`"${text}" is not NUMBER:HASH, as audit verify prints it.`);
  return [Number(number), hash];
}
