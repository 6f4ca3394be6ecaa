// Decides the next step of a run from the job's folder and, only if that does not suffice, from Ray's status: a stateless table
// (docs/decisions/0018-ray-cluster.md). Ray's FAILED is a hint; the folder's heartbeat decides.
import { stripVTControlCharacters } from 'node:util';
import type { RunState } from '../cluster.ts';
import { leaseMs } from './attempts.ts';

/** Timeouts in milliseconds of a driver without a heartbeat, by its status in Ray. */
export const pendingMs = 300_000;
export const firstBeatMs = 120_000;

export interface Folder {
  attempt: 'none' | 'closed' | 'open';
  ended: Extract<RunState, { state: 'ended' }> | undefined;
  /** Milliseconds for which the driver's heartbeat has stood still; undefined if there never was one. */
  still: number | undefined;
}

export interface RayWord {
  status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED' | 'unknown';
  /** Milliseconds since Ray first reported it. */
  since: number;
  message?: string | undefined;
  exitCode?: number | undefined;
}

export type Step =
  | { step: 'none' }
  | { step: 'wait' }
  | { step: 'ask' }
  | { step: 'submit' }
  | { step: 'end'; ended: Extract<RunState, { state: 'ended' }>; close: boolean; stop: boolean };

/** Silence after which Ray is asked. */
const quietMs = 6_000;

/** `ray` is undefined if Ray was not asked, or did not answer. */
export function reconcile({ attempt, ended, still }: Folder, ray: RayWord | undefined): Step {
  if (attempt !== 'open') return { step: 'none' };
  if (ended) return { step: 'end', ended, close: false, stop: false };
  if (still !== undefined && still < quietMs) return { step: 'wait' };
  if (!ray) return { step: 'ask' };
  return still === undefined ? beforeFirstBeat(ray) : afterSilence(still, ray);
}

function beforeFirstBeat(ray: RayWord): Step {
  const { status, since } = ray;
  if (status === 'unknown') return { step: 'submit' };
  if (status === 'PENDING')
    return since < pendingMs
      ? { step: 'wait' }
      : killed(`Ray did not start its driver within ${pendingMs / 1000} seconds`, true);
  if (status === 'RUNNING')
    return since < firstBeatMs
      ? { step: 'wait' }
      : killed('its driver runs and writes nothing: does each node of the cluster see the folder of the job?', true);
  if (since < leaseMs) return { step: 'wait' };
  return { step: 'end', ended: neverBegan(ray), close: true, stop: false };
}

function afterSilence(still: number, ray: RayWord): Step {
  if (still < leaseMs) return { step: 'wait' };
  const live = ray.status === 'PENDING' || ray.status === 'RUNNING';
  const said = ray.status === 'unknown' ? 'Ray does not know it any more' : `Ray says ${ray.status}`;
  return killed(`its driver stopped responding on the cluster (${said})`, live);
}

const killed = (reason: string, stop: boolean): Step => ({
  step: 'end',
  ended: { state: 'ended', status: null, reason, peakMemory: null },
  close: true,
  stop,
});

/** A driver that never wrote a heartbeat: endless retries would not repair its image or its machine. */
function neverBegan({ status, message, exitCode }: RayWord): Extract<RunState, { state: 'ended' }> {
  const isSignal = exitCode === undefined || exitCode < 0 || exitCode === 75 || exitCode === 143;
  const plain = stripVTControlCharacters(message ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return {
    state: 'ended',
    // A distinct status, since the engine uses 1 and 2.
    status: isSignal ? null : 70,
    reason: `its driver ended before it began (Ray says ${status}${plain && `: ${plain.slice(-300)}`})`,
    peakMemory: null,
  };
}
