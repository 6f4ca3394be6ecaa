// Sends one POST to a checked address of a webhook, with limits on time and on the size of the answer. Redirects are not followed.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { WebhookHosts } from './webhook-hosts.ts';

interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The response status, or undefined if there is no response: an account must not learn which ports are open. */
export async function post(
  hosts: WebhookHosts,
  { url, headers, body }: Message,
  signal: AbortSignal,
): Promise<number | undefined> {
  const target = URL.parse(url);
  if (!target) return undefined;
  const addresses = await hosts.addresses(target.hostname, signal).catch(() => []);
  if (addresses.length === 0 || signal.aborted) return undefined;
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return await new Promise((resolve) => {
    const sent = request(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // A new connection: no reuse between messages.
      agent: false,
      lookup: fixedLookup(addresses),
      signal,
    });
    sent.on('response', (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    sent.on('error', () => resolve(undefined));
    sent.on('close', () => resolve(undefined));
    sent.end(body);
  });
}

/** DNS lookup that returns the checked addresses, so that Node connects to one of them. */
function fixedLookup(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, done) => {
    if (options.all) done(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  };
}
