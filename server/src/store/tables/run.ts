// The tables of runs: batches, polled streams, batches of embeddings.
import type { Generated } from 'kysely';

/** Work that is asked for now and answered later: a batch, a polled stream, a batch of embeddings. */
export interface RunRow {
  id: Generated<number>;
  /** Public id. It cannot be guessed. */
  name: string;
  account_id: number;
  key_id: number;
  kind: 'batch' | 'stream' | 'embeddings';
  model: string;
  /** JSON: the prompts and what is asked of them. */
  request: string;
  prompts: number;
  status: 'running' | 'completed' | 'failed';
  error: string | null;
  /** The server that works on it. */
  owner: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface AnswerRow {
  run_id: number;
  place: number;
  /** JSON of the answer; of a stream as far as it has grown. */
  output: string;
  /** Null while it grows. */
  finish_reason: string | null;
  /** JSON of how a tuned model answered, `null` of another model; NULL where nobody asked for it. */
  memory: string | null;
  error: string | null;
}
