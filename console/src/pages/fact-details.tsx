// Validity and source of a fact: display in a list, and form fields.
import type { ChangeMemoryArgs, MemoryFact } from '@lorekeep/client';
import { Choice, TextArea, TextField } from '../parts/fields.tsx';

type Times = Partial<Pick<MemoryFact, 'valid_from' | 'valid_until'>>;
type Added = NonNullable<ChangeMemoryArgs['add']>[number];

export interface Details {
  from: string;
  until: string;
  kind: string;
  name: string;
  page: string;
  quote: string;
}

/** The values for the API call. An emptied bound is removed. */
export function detailsIn(
  { from, until, kind, name, page, quote }: Details,
  { isNew, valid_from, valid_until }: Times & { isNew: boolean },
): Pick<Added, 'valid_from' | 'valid_until' | 'source'> {
  const bound = (now: string, before: string | null | undefined) =>
    now.trim() || (!isNew && before ? 'none' : undefined);
  const [begin, end] = [bound(from, valid_from), bound(until, valid_until)];
  const place = { ...(page.trim() && { page: Number(page) }), ...(quote.trim() && { quote }) };
  return {
    ...(begin && { valid_from: begin }),
    ...(end && { valid_until: end }),
    ...(kind === 'person' && { source: { kind, name } }),
    ...(kind === 'document' && { source: { kind, name, ...place } }),
  };
}

const kinds = (isNew: boolean) => [
  { value: '', name: isNew ? 'not told' : 'as it is' },
  { value: 'document', name: 'a document' },
  { value: 'person', name: 'a person' },
];

interface Props {
  value: Details;
  onChange(value: Details): void;
  isNew: boolean;
}

export function DetailFields({ value, onChange, isNew }: Props) {
  const set = (name: keyof Details) => (text: string) => onChange({ ...value, [name]: text });
  return (
    <>
      <TextField
        {...{ name: 'Valid from (may be empty)', value: value.from, onChange: set('from') }}
        {...{ placeholder: '2026-01-31', hint: 'A day, or a time with its zone. Before it the fact is never said.' }}
      />
      <TextField
        {...{ name: 'Valid until (may be empty)', value: value.until, onChange: set('until') }}
        {...{ placeholder: '2026-12-31', hint: 'The last day, or the time at which it ends.' }}
      />
      <Choice name="Source" value={value.kind} onChange={set('kind')} of={kinds(isNew)} />
      {value.kind !== '' && (
        <TextField
          {...{ name: value.kind === 'person' ? 'Who' : 'File', value: value.name, onChange: set('name') }}
          required
        />
      )}
      {value.kind === 'document' && (
        <>
          <TextField
            {...{ name: 'Page (may be empty)', value: value.page, onChange: set('page'), inputMode: 'numeric' }}
          />
          <TextArea name="Quote (may be empty)" value={value.quote} onChange={set('quote')} />
        </>
      )}
    </>
  );
}
