// Query hooks of pages: loading, loaded or failed, with polling for data that changes by itself.
import { ConnectionError, UnavailableError } from '@lorekeep/client';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface Query<T> {
  value: T | undefined;
  error: Error | undefined;
  waiting: boolean;
  again(): void;
}

const retryMs = 3000;

interface Options<T> {
  /** Milliseconds until the next refresh, computed from the value; undefined for never. */
  every?: (value: T) => number | undefined;
}

/** `what` is the query key: with another key the old data is dropped; on a reload it stays until the new data arrives. */
export function useQuery<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { every }: Options<T> = {},
): Query<T> {
  const [state, setState] = useState<{ what: string; value?: T; error?: Error; waiting: boolean }>({
    what,
    waiting: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef({ ask, every });
  latest.current = { ask, every };

  // biome-ignore lint/correctness/useExhaustiveDependencies: what and round determine when to load; functions change with each render
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      setState((old) => (old.what === what ? { ...old, waiting: true } : { what, waiting: true }));
      try {
        const value = await latest.current.ask(controller.signal);
        if (controller.signal.aborted) return;
        setState({ what, value, waiting: false });
        const pause = latest.current.every?.(value);
        if (pause !== undefined) timer = setTimeout(run, pause);
      } catch (error) {
        if (controller.signal.aborted) return;
        setState((old) => ({ ...(old.what === what ? old : { what }), error: error as Error, waiting: false }));
        // Retries while the server is starting or unreachable.
        if (error instanceof UnavailableError || error instanceof ConnectionError) timer = setTimeout(run, retryMs);
      }
    };
    void run();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [what, round]);

  const again = useCallback(() => setRound((old) => old + 1), []);
  const own = state.what === what;
  return {
    value: own ? state.value : undefined,
    error: own ? state.error : undefined,
    waiting: own ? state.waiting : true,
    again,
  };
}

export interface Paged<Item> extends Query<Item[]> {
  /** Loads the next page, if there is one. */
  more: (() => void) | undefined;
}

/** Paginated list: the first page, and further ones on demand. */
export function usePages<Item>(
  what: string,
  page: (after: number | undefined, signal: AbortSignal) => Promise<{ items: Item[]; next: number | null }>,
  { every = () => undefined }: Options<Item[]> = {},
): Paged<Item> {
  const [pages, setPages] = useState(1);
  const { value, again, ...rest } = useQuery(
    what,
    async (signal) => {
      const items: Item[] = [];
      let next: number | null | undefined;
      for (let read = 0; read < pages && next !== null; read++) {
        const found = await page(next, signal);
        items.push(...found.items);
        next = found.next;
      }
      return { items, whole: next === null };
    },
    { every: ({ items }) => every(items) },
  );
  const more = () => {
    setPages(pages + 1);
    again();
  };
  return { ...rest, value: value?.items, again, more: value && !value.whole ? more : undefined };
}

/** An action of a person, with its busy state and its error until the next attempt. */
export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<void>,
): { run(...args: Args): void; busy: boolean; error: Error | undefined } {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = (...args: Args) => {
    setBusy(true);
    setError(undefined);
    act(...args)
      .catch((caught) => setError(caught as Error))
      .finally(() => setBusy(false));
  };
  return { run, busy, error };
}
