// Choices of an account stored in this browser (local storage), such as the last model. Without storage they last as long as the page.
import { useState } from 'react';
import { useSession } from './session.tsx';

export function useStoredState<Value>(name: string, initial: Value): [value: Value, keep: (value: Value) => void] {
  const { session } = useSession();
  const key = `lorekeep ${session.account.name} ${name}`;
  const [value, setValue] = useState<Value>(() => readStored(key) ?? initial);
  const keep = (next: Value) => {
    setValue(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Storage may be full or forbidden.
    }
  };
  return [value, keep];
}

function readStored<Value>(key: string): Value | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}
