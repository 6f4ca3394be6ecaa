// Signatures compared with the examples of the specification ("Authenticating Requests: Using the Authorization Header").
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encoded, queryOf, signed, type Unsigned } from './sign.ts';

const keys = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const at = new Date('2013-05-24T00:00:00Z');
const request: Unsigned = {
  ...{ method: 'GET', host: 'examplebucket.s3.amazonaws.com', path: '/', query: '', headers: {}, body: undefined },
};

it('signs the examples of the specification: a range request, an upload with an encoded name, a list', () => {
  const signatureOf = (given: Partial<Unsigned>) =>
    /Signature=(.*)/.exec(signed({ ...request, ...given }, keys, 'us-east-1', at).authorization!)![1];
  assert.equal(
    signatureOf({ path: '/test.txt', headers: { range: 'bytes=0-9' } }),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
  assert.equal(
    signatureOf({
      ...{ method: 'PUT', path: encoded('/test$file.text'), body: Buffer.from('Welcome to Amazon S3.') },
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    }),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
  assert.equal(
    signatureOf({ query: queryOf({ prefix: 'J', 'max-keys': '2' }) }),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});
