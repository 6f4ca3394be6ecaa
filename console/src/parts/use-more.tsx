// A list that shows its first items, and more on demand.
import { type ReactNode, useState } from 'react';
import { count } from '../format.ts';

const pageSize = 200;

/** `ask` loads further items. */
export function useMore<Item>(items: Item[], what: string, ask?: () => void): [visible: Item[], foot: ReactNode] {
  const [limit, setLimit] = useState(pageSize);
  const left = items.length - limit;
  if (left <= 0 && !ask) return [items, null];
  const more = () => {
    setLimit(limit + pageSize);
    if (left <= 0) ask?.();
  };
  const foot = (
    <div className="row foot-of">
      <button type="button" className="small" onClick={more}>
        Show more {what}
      </button>
      <span className="hint">
        {left > 0 ? `${count(left)} further ones are not shown.` : 'There are further ones.'}
      </span>
    </div>
  );
  return [items.slice(0, limit), foot];
}
