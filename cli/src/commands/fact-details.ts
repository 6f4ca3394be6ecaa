// Validity and source of a fact on the command line: as options, and formatted as text.
import type { ChangeMemoryArgs, MemoryFact } from '@lorekeep/client';
import type { Option, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { type Origin, sourceText, type Times, timesText } from '../sources.ts';

type Source = NonNullable<NonNullable<ChangeMemoryArgs['add']>[number]['source']>;
export type SourceKind = Source['kind'];
export type NewFact = NonNullable<ChangeMemoryArgs['add']>[number];

export const details: Record<string, Option> = {
  from: { value: 'DATE', about: 'the first day, or the time with its zone, at which the fact is valid' },
  until: { value: 'DATE', about: 'the last day, or the time with its zone at which it ends' },
  document: { value: 'NAME', about: 'its source: a file; --page and --quote give the place' },
  page: { value: 'NUMBER', about: 'the page of --document' },
  quote: { value: 'TEXT', about: 'the quoted words of --document' },
  person: { value: 'NAME', about: 'its source: a person' },
};

export function detailsIn(given: ParsedArguments) {
  const [document, person] = [given.text('document'), given.text('person')];
  if (document !== undefined && person !== undefined)
    throw new UsageError('A fact has one source: --document or --person.');
  for (const option of ['page', 'quote'])
    if (document === undefined && given.text(option) !== undefined)
      throw new UsageError(`--${option} goes with --document.`);
  const source: Source | undefined =
    document === undefined
      ? person === undefined
        ? undefined
        : { kind: 'person', name: person }
      : { kind: 'document', name: document, page: given.number('page'), quote: given.text('quote') };
  return { valid_from: given.text('from'), valid_until: given.text('until'), source };
}

type Shown = Pick<MemoryFact, 'input' | 'output'> &
  Times & { source?: Origin | undefined; stale_since?: string | null };

export function factText(fact: Shown): string {
  const source = sourceText(fact.source);
  return [
    fact.input,
    `  ${fact.output}${timesText(fact)}`,
    ...(source === '' ? [] : [`  ${source}`]),
    ...(fact.stale_since ? [`  stale since ${fact.stale_since}: its document is gone or states something else`] : []),
  ].join('\n');
}
