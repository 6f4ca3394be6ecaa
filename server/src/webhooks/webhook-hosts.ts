// Resolves the host of a webhook to allowed addresses, once per delivery. The connection goes to the checked address, which
// prevents DNS rebinding (SSRF, see networks.ts).
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { WebhookNetworks } from './networks.ts';

/** Timeout in milliseconds of one query to one name server, and number of attempts. */
const dnsOptions = { timeout: 2_000, tries: 2 };

/** Addresses of a host without DNS: a literal, or loopback for its reserved names. */
function literalsOf(host: string): string[] | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare)) return [bare];
  return /(^|\.)localhost\.?$/i.test(host) ? ['127.0.0.1', '::1'] : undefined;
}

export class WebhookHosts {
  readonly #networks: WebhookNetworks;
  readonly #servers: readonly string[] | undefined;
  #systemLookup: Promise<unknown> = Promise.resolve();

  /** `servers` replace the name servers of the machine. */
  constructor(networks: WebhookNetworks, servers?: readonly string[]) {
    this.#networks = networks;
    this.#servers = servers;
  }

  /** Whether it is known without DNS that this host has no allowed address. */
  refuses(host: string): boolean {
    return literalsOf(host)?.every((address) => !this.#networks.allows(address)) ?? false;
  }

  /** The allowed addresses of the host; none if it has none, or if none is found in time. */
  async addresses(host: string, signal: AbortSignal): Promise<string[]> {
    const all = literalsOf(host) ?? (await this.#resolve(host, signal));
    return all.filter((address) => this.#networks.allows(address));
  }

  /**
   * Uses a DNS resolver that can be cancelled. The lookup of the system blocks a thread of Node's small pool, which file access needs
   * too, while a name server is silent. It is used, for one name at a time, only if internal networks are allowed and DNS does not know
   * the name, which may be in the hosts file or in a search domain.
   */
  async #resolve(host: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver(dnsOptions);
    if (this.#servers) resolver.setServers(this.#servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.all([
        resolver.resolve4(host).catch(() => []),
        resolver.resolve6(host).catch(() => []),
      ]);
      const found = answers.flat();
      if (found.length > 0 || !this.#networks.hasInternal || signal.aborted) return found;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
    return await this.#askSystem(host, signal);
  }

  /** A lookup that has begun cannot be cancelled: it may end after its delivery, which does not wait for it, nor for those before it. */
  async #askSystem(host: string, signal: AbortSignal): Promise<string[]> {
    const asked = this.#systemLookup.then(async () => {
      if (signal.aborted) return [];
      return (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
    });
    this.#systemLookup = asked;
    const { promise: aborted, resolve } = Promise.withResolvers<string[]>();
    const giveUp = () => resolve([]);
    signal.addEventListener('abort', giveUp, { once: true });
    return await Promise.race([asked, aborted]).finally(() => signal.removeEventListener('abort', giveUp));
  }
}
