// The network of a client, by which its attempts count together: one subscriber has a whole /64 of IPv6.
import { isIPv6 } from 'node:net';

/** The /64 of an IPv6 address; any other one is the whole network. */
export function networkOf(address: string): string {
  // A client of IPv4 on a socket of IPv6.
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  // The URL parser writes each group without leading zeros and knows no zones.
  const [before = '', after] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - first!.length - last!.length).fill('0');
  return [...first!, ...zeros, ...last!].slice(0, 4).join(':');
}
