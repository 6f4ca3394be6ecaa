// Where an answer comes from, as people read it.
import type { Citation } from '@lorekeep/client';
import { harmless } from './terminal.ts';

/** [1] handbook.pdf, page 2: Parking */
export function sourceOf({ file, part, page, last_page, line, headings }: Citation, number: number): string {
  const pages = last_page !== null && last_page !== page ? `pages ${page} to ${last_page}` : `page ${page}`;
  const place = page !== null ? `, ${pages}` : line !== null ? `, line ${line}` : '';
  const under = headings.length > 0 ? `: ${headings.join(' › ')}` : '';
  return harmless(`[${number}] ${file}${part ? ` (${part})` : ''}${place}${under}`);
}
