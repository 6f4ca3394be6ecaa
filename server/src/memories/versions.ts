// Turns a finished model into a version in one transaction: verifies it, records it with its facts, and moves the name to it.
import type { GateResult } from '@lorekeep/contract';
import { record } from '../audit/record.ts';
import { questionKey } from '../files/question-key.ts';
import { pointAlias } from '../models/aliases.ts';
import type { TunedModelRecord } from '../models/tuned.ts';
import type { ModelFact } from '../models/tuned-facts.ts';
import { factsIn, writeFacts } from './facts.ts';
import { failingText } from './gate-result.ts';
import type { Change, OwnChange, OwnMemory } from './memory-store.ts';
import type { Operations } from './operations.ts';

export interface Finished {
  memory: OwnMemory;
  order: OwnChange;
  model: TunedModelRecord;
  facts: ModelFact[];
  operations: Operations;
  /** Undefined if the memory has no gate. */
  gate: GateResult | undefined;
}

/** The caller holds the lock of the memory. */
export async function addVersion(change: Change, finished: Finished): Promise<void> {
  const { memory, order, model, facts, operations, gate } = finished;
  const version = memory.latest + 1;
  const faults = [
    (await faultOf(change, memory, order.parent, facts, operations)) ?? outdatedFault(memory, order),
    gate && !gate.holds ? `the gate does not hold: ${failingText(gate.failing)}` : undefined,
  ].filter((fault) => fault !== undefined);
  const fault = faults.length === 0 ? undefined : faults.join('; ');
  await change
    .insertInto('memory_versions')
    .values({
      ...{ memory_id: memory.id, number: version, model_name: model.name, parent: order.parent, change: order.number },
      ...{ facts: model.facts, recalled: model.facts_recalled, created_at: Date.now() },
      gate: gate ? JSON.stringify(gate) : null,
    })
    .execute();
  await writeFacts(change, memory, version, facts);
  await change
    .updateTable('memories')
    .set({ latest: version, ...(fault === undefined && { published: version, base_model: model.base_model }) })
    .where('id', '=', memory.id)
    .execute();
  const state = fault === undefined ? 'published' : 'held';
  await endChange(change, order, { state, version, error: fault ?? null });
  if (fault === undefined) await point(change, memory, model);
  const { added, changed, withdrawn } = order;
  const checked = gate && {
    holds: gate.holds,
    failing: gate.failing.map(({ bar }) => bar),
    regressions: gate.regressions,
  };
  const details = {
    ...{ change: order.number, state, version, added, changed, withdrawn, model: model.name },
    ...(order.base_model !== null && { base_model: order.base_model }),
    ...(checked && { gate: checked }),
  };
  await record(change, {
    ...{ action: order.kind === 'create' ? 'memory.created' : 'memory.changed', accountId: memory.account_id },
    ...{ subject: memory.name, details },
  });
}

export async function endChange(
  change: Change,
  { id }: Pick<OwnChange, 'id'>,
  end: Pick<OwnChange, 'state' | 'version' | 'error'>,
): Promise<void> {
  await change
    .updateTable('memory_changes')
    .set({ ...end, operations: '[]', finished_at: Date.now() })
    .where('id', '=', id)
    .execute();
}

export async function point(
  change: Change,
  { name, account_id }: OwnMemory,
  { name: model, job_id }: TunedModelRecord,
): Promise<void> {
  await pointAlias(change, { alias: name, accountId: account_id, model, jobId: job_id });
}

const outdatedFault = ({ published }: OwnMemory, { parent }: OwnChange): string | undefined =>
  published === parent
    ? undefined
    : `version ${published} was published meanwhile, and this one starts from version ${parent}`;

/** Reason why a model fails the verification of its change. Facts that the previous version did not recall may remain unrecalled. */
async function faultOf(
  change: Change,
  memory: OwnMemory,
  parent: number | null,
  facts: ModelFact[],
  operations: Operations,
): Promise<string | undefined> {
  if (parent === null) return undefined;
  const now = new Map(facts.map((fact) => [questionKey(fact.input), fact]));
  const wrong: string[] = [];
  for (const [question, { kind, input, output }] of operations) {
    const fact = now.get(question);
    if (kind === 'withdraw' ? fact : !fact?.recalled || fact.output.trim() !== output.trim()) wrong.push(input);
  }
  if (wrong.length > 0) return `${countedFacts(wrong)} of the change ${wrong.length === 1 ? 'is' : 'are'} not as asked`;
  for (const [question, { recalled, input }] of await factsIn(change, memory.id, parent))
    if (recalled === 1 && !operations.has(question) && !now.get(question)?.recalled) wrong.push(input);
  return wrong.length > 0 ? `${countedFacts(wrong)} of the version before would be recalled no more` : undefined;
}

function countedFacts(inputs: string[]): string {
  const [first = ''] = inputs;
  const named = JSON.stringify(first.length > 80 ? `${first.slice(0, 80)}…` : first);
  return `${inputs.length} ${inputs.length === 1 ? 'fact' : 'facts'} (${named}${inputs.length > 1 ? ', ...' : ''})`;
}
