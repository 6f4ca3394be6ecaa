// Formats the sources of an answer for people.
import { type Citation, changeInMemory, type Memory } from '@lorekeep/client';
import { cutTo, stripControls } from './terminal.ts';

/** A citation: [1] handbook.pdf, page 2: Parking (quoted) */
export function sourceOf(citation: Citation, number: number): string {
  const { file, part, page, last_page, line, headings, quoted } = citation;
  const pages = last_page !== null && last_page !== page ? `pages ${page} to ${last_page}` : `page ${page}`;
  const place = page !== null ? `, ${pages}` : line !== null ? `, line ${line}` : '';
  const under = headings.length > 0 ? `: ${headings.join(' › ')}` : '';
  return stripControls(`[${number}] ${file}${part ? ` (${part})` : ''}${place}${under}${quoted ? ' (quoted)' : ''}`);
}

/** Lines about the outcome of a tuned model and the facts or passages that it used or that came nearest; none for other models. */
export function factsOf(memory: Memory | undefined): string[] {
  if (!memory) return [];
  const { outcome, way, reason, facts, citations = [] } = memory;
  if (outcome === 'documents') return citations.map((citation, at) => sourceOf(citation, at + 1));
  if (facts.length === 0) return [`[${outcome}] no fact that was taught is near this question`];
  const said: Record<Exclude<Memory['outcome'], 'documents'>, string> = {
    recite: '[fact] ',
    ground: `[from facts: ${way}] `,
    unknown: `[unknown] ${reason}; the nearest: `,
    base: `[base] ${reason}; the nearest: `,
  };
  return facts.map((fact) => stripControls(said[outcome] + about(fact)));
}

function about(fact: Memory['facts'][number]): string {
  const { input, similarity, dataset_id, row } = fact;
  const place = dataset_id === null ? `row ${row}` : `row ${row} of ${datasetText(dataset_id)}`;
  const quote = fact.source?.quote && inOneLine(fact.source.quote);
  const source = sourceText({ ...fact.source, quote });
  const known = `${timesText(fact)}${source && `, ${source}`}`;
  return `"${inOneLine(input)}", ${place}, similarity ${similarity.toFixed(2)}${known}`;
}

/** The dataset of a fact, or the change of a memory that added it. */
export function datasetText(id: string): string {
  const added = changeInMemory(id);
  return added ? `change ${added.change} of the memory ${added.memory}` : `dataset ${id.slice(0, 12)}`;
}

const inOneLine = (text: string) => cutTo(text.replace(/\s+/g, ' '), 100);

export interface Times {
  valid_from?: string | null | undefined;
  valid_until?: string | null | undefined;
}

/** The validity: " (from 2026-01-01 until 2026-06-30)"; empty for a fact that is always valid. */
export function timesText(times: Times | null): string {
  const { valid_from, valid_until } = times ?? {};
  const text = [valid_from && `from ${valid_from}`, valid_until && `until ${valid_until}`].filter(Boolean).join(' ');
  return text && ` (${text})`;
}

export interface Origin {
  kind?: string | null | undefined;
  name?: string | null | undefined;
  page?: number | null | undefined;
  row?: number | null | undefined;
  quote?: string | null | undefined;
}

/** The source of a fact; empty if there is none. */
export function sourceText({ kind, name, page, row, quote }: Origin = {}): string {
  if (!kind) return '';
  const place = [kind, name, page && `page ${page}`, row != null && kind === 'dataset' && `row ${row}`];
  return `source: ${place.filter(Boolean).join(', ')}${quote ? `: "${quote}"` : ''}`;
}
