// SSRF protection of webhooks: the addresses that a webhook may reach are public ones, and those in networks that the
// operator allows. The only place that decides, for every notation of an address.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Not globally reachable by the registries of special-purpose addresses of IANA, and one address that a cloud gives its own metadata. */
const reserved = listOf([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  // Within the global unicast space: protocol assignments (Teredo among them), documentation, 6to4, which carries an IPv4 address.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]);
/**
 * Nothing else of IPv6 is public: so mapped addresses, NAT64, unique and link local ones, multicast and whatever comes
 * later are refused.
 */
const globalUnicast = listOf(['2000::/3']);

export class WebhookNetworks {
  readonly #allowed: BlockList;

  /** `allowed` are addresses and ranges such as 10.0.0.0/8. */
  constructor(allowed: readonly string[]) {
    this.#allowed = listOf(allowed);
  }

  /** Whether a webhook may reach this address, written as Node and the URL parser write it. */
  allows(address: string): boolean {
    const family = familyOf(address);
    if (family === undefined) return false;
    return this.#allowed.check(address, family) || (isPublic(address, family) && !isOwn(address));
  }

  /** Whether any address but public ones is allowed. */
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

/** An address of this very machine, which a firewall in front of it does not guard. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address)!;
    list.addSubnet(address, bits === undefined ? { ipv4: 32, ipv6: 128 }[family] : Number(bits), family);
  }
  return list;
}
