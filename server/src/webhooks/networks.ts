// SSRF protection of webhooks. A webhook may reach public addresses, and those in networks that the operator allows. Only this
// file decides that, for every notation of an address.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Addresses that IANA's special-purpose registries list as not globally reachable, and the metadata address of one cloud. */
const reserved = blockListOf([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  // Within the global unicast space: protocol assignments (with Teredo), documentation, and 6to4, which embeds an IPv4 address.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]);
/** The only public part of IPv6. Mapped addresses, NAT64, unique and link local ones, multicast and future ranges are refused. */
const globalUnicast = blockListOf(['2000::/3']);

export class WebhookNetworks {
  readonly #allowed: BlockList;

  /** `allowed` are addresses and ranges such as 10.0.0.0/8. */
  constructor(allowed: readonly string[]) {
    this.#allowed = blockListOf(allowed);
  }

  /** Whether a webhook may reach this address, in the notation of Node and the URL parser. */
  allows(address: string): boolean {
    const family = familyOf(address);
    if (family === undefined) return false;
    return this.#allowed.check(address, family) || (isPublic(address, family) && !isOwn(address));
  }

  /** Whether the operator allows any internal network. */
  get hasInternal(): boolean {
    return this.#allowed.rules.length > 0;
  }
}

type Family = 'ipv4' | 'ipv6';

function familyOf(address: string): Family | undefined {
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)];
}

function isPublic(address: string, family: Family): boolean {
  return (family === 'ipv4' || globalUnicast.check(address, family)) && !reserved.check(address, family);
}

/** Whether it is an address of this machine, which a firewall in front of it does not protect. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address)!;
    list.addSubnet(address, bits === undefined ? { ipv4: 32, ipv6: 128 }[family] : Number(bits), family);
  }
  return list;
}
