// The server's side of the protocol, tested with the same examples as the engine's side.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkout } from '../config/settings.ts';
import { answerSchema, requestSchema } from './protocol.ts';

interface Examples {
  right: unknown[];
  wrong: { why: string; message: unknown }[];
}

const examples = JSON.parse(readFileSync(join(checkout, 'engine/protocol/examples.json'), 'utf8')) as Record<
  'requests' | 'answers',
  Examples
>;

for (const [side, schema] of [
  ['requests', requestSchema],
  ['answers', answerSchema],
] as const) {
  describe(`the protocol's ${side}`, () => {
    for (const message of examples[side].right) {
      it(`accepts ${JSON.stringify(message).slice(0, 100)}`, () => assert.deepEqual(schema.parse(message), message));
    }
    for (const { why, message } of examples[side].wrong) {
      it(`refuses ${why}`, () => assert.equal(schema.safeParse(message).success, false));
    }
  });
}
