// The first of many; more of them when somebody asks.
import { type ReactNode, useState } from 'react';
import { count } from '../words.ts';

const step = 200;

/** `ask` reads further ones, where not all are here. */
export function useMore<Item>(items: Item[], what: string, ask?: () => void): [shown: Item[], foot: ReactNode] {
  const [most, setMost] = useState(step);
  const left = items.length - most;
  if (left <= 0 && !ask) return [items, null];
  const more = () => {
    setMost(most + step);
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
  return [items.slice(0, most), foot];
}
