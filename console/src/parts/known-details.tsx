// Display of the validity and the source of a fact.
import type { KnownSource } from '@lorekeep/client';

interface Times {
  valid_from?: string | null | undefined;
  valid_until?: string | null | undefined;
}

export function TimesOf({ fact: { valid_from, valid_until } }: { fact: Times }) {
  const said = [valid_from && `from ${valid_from}`, valid_until && `until ${valid_until}`].filter(Boolean);
  if (said.length === 0) return null;
  return <span className="pill times">{said.join(' ')}</span>;
}

export function SourceOf({ source }: { source: KnownSource | undefined }) {
  if (!source) return null;
  const { kind, name, page, row, quote } = source;
  const place = [name ?? kind, page && `page ${page}`, row !== undefined && `row ${row}`].filter(Boolean).join(', ');
  return (
    <span className="hint">
      Source: {place}
      {quote && (
        <>
          : “<bdi>{quote}</bdi>”
        </>
      )}
    </span>
  );
}
