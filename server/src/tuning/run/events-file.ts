// Reads the events that a run appends to a file in its job's folder, from the last offset on. A line that a kill has truncated is skipped.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobProgress, JobStatus } from '@lorekeep/contract';
import { z } from 'zod';
import { running } from '../queue/states.ts';

export interface NewEvents {
  states: JobStatus[];
  warnings: string[];
  /** Events of the run, for its page. */
  notes: string[];
  points: { step: number; point: string }[];
  progress: Partial<JobProgress> | undefined;
  /** Offset of the next read. */
  end: number;
}

const maxReadBytes = 1 << 20;

const progressSchema = z.object({
  facts_total: z.int(),
  facts_done: z.int(),
  experts_total: z.int(),
  experts_done: z.int(),
  experts_reused: z.int(),
  move: z.object({ facts_taken_over: z.int(), facts_taught_again: z.int() }).nullable().default(null),
  eta_seconds: z.number().nullable(),
});
const eventSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('state'), state: z.string() }),
  z.looseObject({ type: z.literal('warning'), message: z.string() }),
  z.looseObject({ type: z.literal('note'), message: z.string() }),
  progressSchema.extend({ type: z.literal('progress'), history: z.looseObject({ step: z.int() }).optional() }),
  z.looseObject({ type: z.literal('arguments') }),
]);

export async function readEvents(folder: string, from: number): Promise<NewEvents> {
  const found: NewEvents = { states: [], warnings: [], notes: [], points: [], progress: undefined, end: from };
  const file = await open(join(folder, 'events.ndjson')).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return found;
  try {
    for (;;) {
      // A run is polled many times between two events. Mostly there is nothing to read, and no buffer is allocated.
      const unread = Math.min((await file.stat()).size - found.end, maxReadBytes);
      if (unread <= 0) return found;
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(unread), 0, unread, found.end);
      const last = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
      if (last < 0) return found;
      for (const line of buffer.subarray(0, last).toString('utf8').split('\n')) take(line, found);
      found.end += last + 1;
    }
  } finally {
    await file.close();
  }
}

function take(line: string, found: NewEvents): void {
  let parsed: z.infer<typeof eventSchema>;
  try {
    parsed = eventSchema.parse(JSON.parse(line));
  } catch {
    return;
  }
  if (parsed.type === 'state') {
    // The run reports its end by itself.
    if (running.includes(parsed.state as JobStatus)) found.states.push(parsed.state as JobStatus);
    // If all experts are reused, no wave reports progress.
    found.progress = progressSchema.safeParse(parsed).data ?? found.progress;
  } else if (parsed.type === 'warning') {
    found.warnings.push(parsed.message);
  } else if (parsed.type === 'note') {
    found.notes.push(parsed.message);
  } else if (parsed.type === 'progress') {
    found.progress = progressSchema.parse(parsed);
    if (parsed.history) found.points.push({ step: parsed.history.step, point: JSON.stringify(parsed.history) });
  }
}
