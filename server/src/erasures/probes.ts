// Probes a rebuilt model for erased facts: with their questions, rewordings, and questions that begin with the answer.
import { createHash } from 'node:crypto';
import type { Probe } from '@lorekeep/contract';
import type { Asked, SpareWorker } from '../cluster/spare-worker.ts';
import type { ModelClient } from '../inference/model-client.ts';
import { holdsText } from './erased-text.ts';
import { type ChosenFact, isInVersion } from './selection.ts';

/** Maximum number of facts probed in each version. */
const maxProbedFacts = 50;
const probesAtOnce = 8;
const maxTokens = 64;

export interface Probed {
  probes: Probe[];
  skipped: string | null;
}

interface Dependencies {
  modelClient: ModelClient;
  spare: SpareWorker;
}

interface Target {
  model: string;
  base: string;
  version: number;
  accountId: number;
  keyId: number;
}

export const saltedHash = (salt: string, { input, output }: { input: string; output: string }): string =>
  createHash('sha256')
    .update(salt + JSON.stringify([input, output]))
    .digest('hex');

interface Known {
  salt: string;
  of: Map<number, Asked[]>;
}

/** Makes the missing probe questions of facts, once for all versions. */
export async function generateProbeQuestions(
  spare: SpareWorker,
  facts: ChosenFact[],
  known: Known,
  signal: AbortSignal,
): Promise<void> {
  const fresh = facts.slice(0, maxProbedFacts).filter(({ id }) => !known.of.has(id));
  if (fresh.length === 0) return;
  const asked = await spare.probes(
    fresh.map(({ input, output, subject }) => ({ input, output, subject })),
    signal,
  );
  for (const [at, { id }] of fresh.entries()) known.of.set(id, asked[at]!);
}

export async function probe(
  { modelClient, spare }: Dependencies,
  target: Target,
  facts: ChosenFact[],
  known: Known,
  signal: AbortSignal,
): Promise<Probed> {
  const all = facts.filter((fact) => isInVersion(fact, target.version));
  const some = all.slice(0, maxProbedFacts);
  await generateProbeQuestions(spare, some, known, signal);
  const work = some.flatMap((fact) =>
    known.of.get(fact.id)!.map((one) => ({ ...one, fact: saltedHash(known.salt, fact) })),
  );
  const probes: Probe[] = [];
  const ask = async (model: string, prompt: string) => {
    const callContext = {
      accountId: target.accountId,
      keyId: target.keyId,
      signal,
      timeoutMs: 60_000,
      queue: 'later' as const,
    };
    return await modelClient.answer(model, { prompt, max_tokens: maxTokens, temperature: 0 }, callContext);
  };
  for (let at = 0; at < work.length; at += probesAtOnce)
    probes.push(...(await Promise.all(work.slice(at, at + probesAtOnce).map((one) => outcomeOf(one, target, ask)))));
  const skipped = all.length > some.length ? `${some.length} of ${all.length} facts were asked for` : null;
  return { probes, skipped };
}

type Ask = (model: string, prompt: string) => ReturnType<ModelClient['answer']>;

async function outcomeOf(
  { fact, kind, prompt, wanted }: Asked & { fact: string },
  { model, base }: Target,
  ask: Ask,
): Promise<Probe> {
  const { text, memory } = await ask(model, prompt);
  const said = { fact, kind, outcome: memory?.outcome ?? 'none' };
  const holds = (answer: string) => wanted.some((one) => holdsText(answer, one));
  if (!holds(text)) return { ...said, holds: false, because: null };
  // The model holds no erased fact, so a fact that it names is a remaining one.
  if (memory?.used && memory.facts.length > 0) return { ...said, holds: true, because: 'other_fact' };
  const bare = await ask(base, prompt);
  return { ...said, holds: true, because: holds(bare.text) ? 'base' : 'unknown' };
}
