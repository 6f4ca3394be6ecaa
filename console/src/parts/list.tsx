// List with search while typing and an empty state; on a narrow screen each row is a card.
import { type ReactNode, useId, useState } from 'react';
import { count } from '../format.ts';
import type { Paged, Query } from '../query.ts';
import { Empty, Problem, Waiting } from './states.tsx';
import { useMore } from './use-more.tsx';

export interface Column<Item> {
  name: string;
  cell(item: Item): ReactNode;
  number?: boolean;
  /** Short text that does not wrap on wide screens. */
  short?: boolean;
  /** Free text, which takes the remaining width. */
  wide?: boolean;
  /** A name chosen by a user, possibly long. */
  long?: boolean;
  /** Buttons, without a column label. */
  bare?: boolean;
}

export interface ListProps<Item> {
  what: string;
  asked: Query<Item[]> & Partial<Pick<Paged<Item>, 'more'>>;
  columns: Column<Item>[];
  id(item: Item): string | number;
  /** Text for the search. */
  text(item: Item): string;
  empty: ReactNode;
  tools?: ReactNode;
  /** Filter of the items; `none` is shown if nothing matches. */
  only?: { holds(item: Item): boolean; none: ReactNode } | undefined;
  /** Total number of items, if it is known before all are loaded. */
  total?: number;
}

export function List<Item>(props: ListProps<Item>) {
  const { what, asked, empty } = props;
  const { value: items, error, again } = asked;
  if (!items)
    return (
      <div className="card flush">{error ? <Problem error={error} again={again} /> : <Waiting what={what} />}</div>
    );
  return (
    <div className="card flush">
      {error && <Problem error={error} again={again} />}
      {items.length === 0 ? empty : <Items {...props} items={items} />}
    </div>
  );
}

function Items<Item>(props: ListProps<Item> & { items: Item[] }) {
  const { what, asked, columns, id, text, tools, only, total, items } = props;
  const [sought, setSought] = useState('');
  const field = useId();
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    const all = text(item).toLowerCase();
    return (!only || only.holds(item)) && words.every((word) => all.includes(word));
  });
  const [visibleItems, foot] = useMore(found, what, asked.more);
  const read = asked.more
    ? `the first ${count(items.length)}${total === undefined ? '' : ` of ${count(total)}`}`
    : count(items.length);
  const summary = only || words.length > 0 ? `${count(found.length)} of ${read}` : asked.more ? read : `${read} in all`;
  return (
    <>
      <div className="tools">
        <label className="seen-only" htmlFor={field}>
          Search {what}
        </label>
        <input
          id={field}
          type="search"
          dir="auto"
          placeholder={`Search ${what}`}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
        <div className="row">
          <span className="hint" role="status">
            {summary}
          </span>
          {tools}
        </div>
      </div>
      {found.length === 0 && words.length === 0 && !asked.more ? (
        only?.none
      ) : found.length === 0 ? (
        <Empty
          title={asked.more ? 'Nothing found so far' : 'Nothing found'}
          action={
            words.length > 0 && (
              <button type="button" onClick={() => setSought('')}>
                Show all
              </button>
            )
          }
        >
          None of the {asked.more && `first ${count(items.length)} `}
          {what} {words.length > 0 ? `has “${sought}” in it` : 'is among these'}.
        </Empty>
      ) : (
        <div className="table cards">
          <table>
            <caption className="seen-only">{what}</caption>
            <thead>
              <tr>
                {columns.map(({ name, number, long, wide, bare }, place) => (
                  <th
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their order, and two may have one name
                    key={place}
                    scope="col"
                    className={[number && 'number', long && 'long', wide && 'wide'].filter(Boolean).join(' ')}
                  >
                    {bare ? <span className="seen-only">{name}</span> : name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {visibleItems.map((item) => (
                <tr key={id(item)}>
                  {columns.map(({ name, cell, number, short, wide, bare }, place) => (
                    <td
                      // biome-ignore lint/suspicious/noArrayIndexKey: as above
                      key={place}
                      data-label={name}
                      className={[number && 'number', short && 'short', wide && 'wide', bare && 'bare']
                        .filter(Boolean)
                        .join(' ')}
                    >
                      <div {...(wide && { dir: 'auto' })}>{cell(item)}</div>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {foot}
    </>
  );
}
