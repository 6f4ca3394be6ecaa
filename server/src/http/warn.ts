// Warnings beside an answer, in the header X-Warning.
import type { FastifyReply } from 'fastify';

/** Converts a text to one line of ASCII, as headers require. */
export function warn(reply: FastifyReply, warnings: string[]): void {
  if (warnings.length === 0) return;
  const text = warnings.join(' ').replace(/[^\x20-\x7e]/g, '?');
  reply.header('x-warning', text.length > 1000 ? `${text.slice(0, 1000)}...` : text);
}
