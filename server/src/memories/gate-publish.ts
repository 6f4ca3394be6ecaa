// Checks the gate when a version is published by hand.
import { type GateResult, Refusal } from '@lorekeep/contract';
import { failingBars, failingText } from './gate-result.ts';
import { gateOf } from './gates.ts';
import type { Db, OwnMemory, OwnVersion } from './memory-store.ts';

/**
 * Refuses a version that fails the present bars of the gate. A version that was published before and never checked with this set passes,
 * so that a rollback stays possible.
 */
export async function gateRefusal(db: Db, memory: OwnMemory, version: OwnVersion): Promise<Refusal | undefined> {
  const gate = await gateOf(db, memory);
  if (!gate) return undefined;
  const about = { name: memory.name, version: version.number };
  const result = version.gate === null ? undefined : (JSON.parse(version.gate) as GateResult);
  if (result?.dataset_id === gate.dataset) {
    const broken = result.failing.filter(({ bar }) => bar === 'evaluation');
    const failing = broken.length > 0 ? broken : failingBars(result, gate);
    return failing.length > 0 ? new Refusal('gate_not_held', { ...about, failing: failingText(failing) }) : undefined;
  }
  const published = await db
    .selectFrom('memory_changes')
    .select('id')
    .where('memory_id', '=', memory.id)
    .where('version', '=', version.number)
    .where('state', '=', 'published')
    .executeTakeFirst();
  return published ? undefined : new Refusal('gate_not_passed', about);
}
