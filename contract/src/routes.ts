// Every route of the contract, in the order of the documentation. A route is added here when it works, not before.
import * as accounts from './accounts.ts';
import * as datasets from './datasets.ts';
import * as keys from './keys.ts';
import type { Route } from './route.ts';
import * as service from './service.ts';

export const routes: Route[] = [service, accounts, keys, datasets].flatMap((part) =>
  Object.values(part).filter(isRoute),
);

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
