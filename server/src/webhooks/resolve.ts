// Resolves the host of a webhook to allowed addresses, once per delivery. The connection goes to the checked address, which
// prevents DNS rebinding (SSRF, see networks.ts).
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { WebhookNetworks } from './networks.ts';

/** Milliseconds for one question to one name server, and how often it is asked. */
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
  #system: Promise<unknown> = Promise.resolve();

  /** `servers` are name servers to ask instead of the machine's. */
  constructor(networks: WebhookNetworks, servers?: readonly string[]) {
    this.#networks = networks;
    this.#servers = servers;
  }

  /** Known without asking anybody: this host leads to no address that may be reached. */
  refuses(host: string): boolean {
    return literalsOf(host)?.every((address) => !this.#networks.allows(address)) ?? false;
  }

  /** The addresses that may be reached; none where the host has no such address, or none that is found in time. */
  async addresses(host: string, signal: AbortSignal): Promise<string[]> {
    const all = literalsOf(host) ?? (await this.#resolve(host, signal));
    return all.filter((address) => this.#networks.allows(address));
  }

  /**
   * Looks up with a resolver of its own, which can be given up: the system's takes a thread of Node's small pool for as long as a name
   * server is silent, and files wait for those threads. Only where internal networks are allowed is the system asked for a name that DNS
   * does not have (its table of hosts, its search domains), one name at a time.
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
    const asked = this.#system.then(async () => {
      if (signal.aborted) return [];
      return (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
    });
    this.#system = asked;
    return await asked;
  }
}
