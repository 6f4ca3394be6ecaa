// AWS Signature Version 4, the authentication of S3 and compatible storages. The hash of the body is signed too, so that the storage
// refuses a body that was damaged in transit.
import { createHash, createHmac } from 'node:crypto';

export interface Keys {
  id: string;
  secret: string;
  /** Set for temporary credentials. */
  token?: string | undefined;
}

export interface Unsigned {
  method: string;
  host: string;
  /** Path and query as encoded by `encoded` and `queryOf`. */
  path: string;
  query: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** Percent-encodes all bytes except the unreserved ones of RFC 3986. */
const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export const encoded = (key: string): string => key.split('/').map(strict).join('/');

export const queryOf = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .sort()
    .join('&');

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Returns all headers of the signed request. `service` differs from s3 only in the examples of the specification. */
export function signed(
  { method, host, path, query, headers, body }: Unsigned,
  keys: Keys,
  region: string,
  now = new Date(),
): Record<string, string> {
  const at = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = at.slice(0, 8);
  const bodyHash = sha256(body ?? '');
  const all: Record<string, string> = {
    ...headers,
    host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': at,
    ...(keys.token && { 'x-amz-security-token': keys.token }),
  };
  const names = Object.keys(all).sort();
  const canonical = [
    ...[method, path, query],
    ...names.map((name) => `${name}:${all[name]!.trim()}`),
    ...['', names.join(';'), bodyHash],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const signingKey = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${keys.secret}`, day));
  const signature = hmac(signingKey, ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')).toString('hex');
  const { host: _, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
