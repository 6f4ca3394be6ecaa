// The shapes of all messages between server and engine, one field a line: engine/protocol/messages.json, which a test of the engine holds
// its own types to.
import { z } from 'zod';
import { answerSchema, requestSchema } from '../server/src/engine/protocol.ts';

interface Shape {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: string[];
}

export function engineMessages(): string {
  const shapes = (schema: z.ZodType) =>
    (z.toJSONSchema(schema, { io: 'input' }) as Shape).oneOf!.flatMap((message) =>
      fields(message, String(message.properties!.type!.const)),
    );
  const about =
    'Every field of every message with its type. Made by `./lorekeep check --write`; engine/lorekeep/protocol_test.py holds the engine to it.';
  const all = { about, requests: shapes(requestSchema).sort(), answers: shapes(answerSchema).sort() };
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** Alternatives of one field have one line each, except null. */
function fields(shape: Shape, path: string): string[] {
  if (Array.isArray(shape.type)) return shape.type.flatMap((type) => fields({ ...shape, type }, path));
  const either = shape.anyOf ?? shape.oneOf;
  if (either) return [...new Set(either.flatMap((one) => fields(one, path)))];
  if (shape.type === 'null') return [];
  if (shape.type === 'array') return fields(shape.items!, `${path}[]`);
  if (shape.properties)
    return Object.entries(shape.properties).flatMap(([name, inner]) => fields(inner, `${path}.${name}`));
  const values = shape.const === undefined ? shape.enum : [shape.const];
  return [`${path}: ${values ? values.join(' | ') : (shape.type ?? 'anything')}`];
}
