// Converts the validity and the source of a fact between the facts of a model and the rows of a memory.
import { type FactSource, type MemoryFact, momentAt, type Times } from '@lorekeep/contract';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { storable } from '../files/question-key.ts';
import { searchForm } from '../files/search-form.ts';
import type { ModelFact } from '../models/tuned-facts.ts';
import type { Tables } from '../store/schema.ts';
import type { MemoryFactRow } from '../store/tables/memory.ts';

export { storable };

type Row = Selectable<MemoryFactRow>;
type Details = Pick<ModelFact, 'valid_from' | 'valid_until' | 'source'>;

const timestampOf = (text: string | undefined, edge: 'start' | 'end') => {
  const at = text === undefined ? Number.NaN : momentAt(text, edge);
  return Number.isNaN(at) ? null : at;
};

/** The parts of a stored fact that are compared with a change of it. */
export type Known = Pick<Row, 'output' | 'source' | 'recalled' | 'valid_from' | 'valid_until'>;

export function detailColumns({ valid_from, valid_until, source }: Details) {
  const said = source === undefined ? null : storable(JSON.stringify(source));
  return {
    ...{ valid_from: valid_from ?? null, valid_until: valid_until ?? null },
    ...{ starts_at: timestampOf(valid_from, 'start'), ends_at: timestampOf(valid_until, 'end') },
    ...{ source: said, source_kind: source?.kind ?? null },
    source_name: source?.name === undefined ? null : storable(source.name),
  };
}

/** The searchable texts of a source. */
const sourceTexts = ({ source }: Details): string[] =>
  source ? [source.name ?? '', 'quote' in source ? (source.quote ?? '') : ''] : [];

/** The text in which words are searched. */
export const searchOf = ({
  input,
  output,
  subject,
  source,
}: Pick<Row, 'input' | 'output' | 'subject'> & Pick<Details, 'source'>): string =>
  searchForm([input, output, subject ?? '', ...sourceTexts({ source })].join('\n'));

/** Whether a fact of a new version equals the one in this row. */
export function isSame(row: Row, fact: ModelFact): boolean {
  const { valid_from, valid_until, source } = detailColumns(fact);
  return row.output === storable(fact.output) && row.source === source && sameTimes(row, { valid_from, valid_until });
}

export const sameTimes = (one: Times, other: Times): boolean =>
  one.valid_from === other.valid_from && one.valid_until === other.valid_until;

export const shownTimes = (row: Row | undefined) =>
  row ? { valid_from: row.valid_from, valid_until: row.valid_until } : null;

export function shownSource(
  source: string | null,
): Pick<MemoryFact['source'], 'kind' | 'name' | 'page' | 'quote'> & { row?: number } {
  const none = { kind: null, name: null, page: null, quote: null };
  if (source === null) return none;
  const said: FactSource = JSON.parse(source);
  return {
    ...{ ...none, kind: said.kind, name: said.name ?? null },
    ...(said.kind === 'document' && { page: said.page ?? null }),
    ...('quote' in said && { quote: said.quote ?? null }),
    ...(said.kind === 'dataset' && said.row !== undefined && { row: said.row }),
  };
}

/** Condition that a fact is valid at a point in time. */
export const validAt = (eb: ExpressionBuilder<Tables, 'memory_facts'>, at: number) =>
  eb.and([
    eb.or([eb('starts_at', 'is', null), eb('starts_at', '<=', at)]),
    eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', at)]),
  ]);
