// Keyboard shortcuts of a page, inactive while typing and with Ctrl, Alt or Meta.
import { useEffect, useRef } from 'react';

export type Keys = Record<string, () => void>;

const typingSelector = 'input:not([type="checkbox"]), textarea, select, dialog';

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(typingSelector)) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
