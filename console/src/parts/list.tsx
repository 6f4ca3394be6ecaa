// A list of things: searched as one types, with what to do when it is empty; on a narrow screen each thing is a card.
import { type ReactNode, useId, useState } from 'react';
import type { Asked } from '../asked.ts';
import { count } from '../words.ts';
import { Empty, Problem, Waiting } from './states.tsx';

export interface Column<Item> {
  name: string;
  cell(item: Item): ReactNode;
  number?: boolean;
  /** A few words that stay in one line where there is room for a list. */
  short?: boolean;
  /** Buttons: no name beside them. */
  bare?: boolean;
}

interface ListProps<Item> {
  what: string;
  asked: Asked<Item[]>;
  columns: Column<Item>[];
  id(item: Item): string | number;
  /** All that a search looks at. */
  text(item: Item): string;
  empty: ReactNode;
  tools?: ReactNode;
}

const most = 200;

export function List<Item>({ what, asked, columns, id, text, empty, tools }: ListProps<Item>) {
  const [sought, setSought] = useState('');
  const field = useId();
  const { value: items, error, again } = asked;
  if (!items)
    return (
      <div className="card flush">{error ? <Problem error={error} again={again} /> : <Waiting what={what} />}</div>
    );
  if (items.length === 0) return <div className="card flush">{empty}</div>;
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    const all = text(item).toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <div className="card flush">
      {error && <Problem error={error} again={again} />}
      <div className="tools">
        <label className="seen-only" htmlFor={field}>
          Search {what}
        </label>
        <input
          id={field}
          type="search"
          placeholder={`Search ${what}`}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
        <div className="row">
          <span className="hint" role="status">
            {found.length === items.length
              ? `${count(items.length)} in all`
              : `${count(found.length)} of ${count(items.length)}`}
          </span>
          {tools}
        </div>
      </div>
      {found.length === 0 ? (
        <Empty
          title="Nothing found"
          action={
            <button type="button" onClick={() => setSought('')}>
              Show all
            </button>
          }
        >
          None of the {what} has “{sought}” in it.
        </Empty>
      ) : (
        <div className="table cards">
          <table>
            <caption className="seen-only">{what}</caption>
            <thead>
              <tr>
                {columns.map(({ name, number, bare }) => (
                  <th key={name} scope="col" className={number ? 'number' : ''}>
                    {bare ? <span className="seen-only">{name}</span> : name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.slice(0, most).map((item) => (
                <tr key={id(item)}>
                  {columns.map(({ name, cell, number, short, bare }) => (
                    <td
                      key={name}
                      data-label={name}
                      className={[number && 'number', short && 'short', bare && 'bare'].filter(Boolean).join(' ')}
                    >
                      <div>{cell(item)}</div>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {found.length > most && (
            <p className="hint" style={{ padding: '0.75rem' }}>
              The first {count(most)} are shown: search for others.
            </p>
          )}
        </div>
      )}
    </div>
  );
}
