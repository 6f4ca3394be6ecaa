// Routing of the console by the fragment of the address (after the #), which is never sent to a server.
import { useSyncExternalStore } from 'react';

export interface Route {
  /** The parts of the path: `#/tuning/3` is ['tuning', '3']. */
  path: string[];
  query: URLSearchParams;
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decodePart), query: new URLSearchParams(query) };
}

/** A typed address may contain an invalid % sequence. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `routeAddress('tuning', 3)` is '#/tuning/3'. */
export function routeAddress(...parts: (string | number)[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

export function go(address: string): void {
  location.hash = address;
}
