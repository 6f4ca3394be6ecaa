// Tables of runs: batches, polled streams, batches of embeddings.
import type { Generated } from 'kysely';

/** An asynchronous request: a batch, a polled stream, a batch of embeddings. */
export interface RunRow {
  id: Generated<number>;
  /** Public id. It cannot be guessed. */
  name: string;
  account_id: number;
  key_id: number;
  kind: 'batch' | 'stream' | 'embeddings';
  model: string;
  /** JSON: the prompts and their options. */
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
  /** JSON of the answer; for a stream, of the text so far. */
  output: string;
  /** Null while it is incomplete. */
  finish_reason: string | null;
  /** JSON of how a tuned model answered, `null` for another model; NULL if it was not requested. */
  memory: string | null;
  error: string | null;
}
