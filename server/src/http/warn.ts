// Tells a caller, beside an answer, what they should know of it: the header X-Warning.
import type { FastifyReply } from 'fastify';

/** A header holds ASCII in one line. */
export function warn(reply: FastifyReply, warnings: string[]): void {
  if (warnings.length === 0) return;
  const text = warnings.join(' ').replace(/[^\x20-\x7e]/g, '?');
  reply.header('x-warning', text.length > 1000 ? `${text.slice(0, 1000)}...` : text);
}
