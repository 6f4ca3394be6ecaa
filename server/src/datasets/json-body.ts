// Streams the rows of a JSON body as it arrives, within the limits of uploads.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '@lorekeep/contract';
import { streamBody } from '../http/bodies.ts';
import type { UploadLimits } from '../http/form.ts';
import type { JsonRows } from './json-rows.ts';
import type { FoundRow } from './row.ts';

export async function* streamRows(
  body: IncomingMessage | undefined,
  reader: JsonRows,
  limits: UploadLimits,
): AsyncGenerator<FoundRow[]> {
  if (!body) throw new Refusal('body_missing');
  let bytes = 0;
  for await (const chunk of streamBody(body, limits)) {
    bytes += chunk.length;
    if (bytes > limits.bytes) throw new Refusal('body_too_large', { limit: limits.bytes });
    yield reader.feed(chunk);
  }
  reader.finish();
}
