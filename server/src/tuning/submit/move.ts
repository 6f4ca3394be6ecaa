// Moves a model: rebuilds it on another base, or on another precision of its own base.
import type { AnswerOf, BodyOf, moveTunedModel } from '@lorekeep/contract';
import { record } from '../../audit/record.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Model } from '../../models/models.ts';
import type { TunedModelRecord, TunedModels } from '../../models/tuned.ts';
import { factsOf } from '../../models/tuned-facts.ts';
import type { TunedFolders } from '../../models/tuned-folders.ts';
import { orderSuccessor, type SuccessorDependencies } from './successor.ts';

/** The base that a tuned model of the account moves to, or a refusal. */
export type MovedTo = (
  asked: { model: TunedModelRecord; called: string; base: string | undefined },
  signal: AbortSignal,
) => Promise<Model>;

interface Dependencies extends SuccessorDependencies {
  tuned: TunedModels;
  models: TunedFolders;
  movedTo: MovedTo;
}

export async function moveModel(
  { tuned, models, movedTo, ...parts }: Dependencies,
  caller: Caller,
  called: string,
  { base_model, custom_model_name: alias }: BodyOf<typeof moveTunedModel>,
  signal: AbortSignal,
): Promise<AnswerOf<typeof moveTunedModel>> {
  const old = await tuned.own(caller, called);
  const accountId = caller.account.id;
  const { name: base } = await movedTo({ model: old, called, base: base_model }, signal);
  const { job, facts } = await orderSuccessor(parts, {
    ...{ accountId, keyId: caller.key.id, jobsLimit: caller.account.limits.jobs },
    ...{ old, base, customName: alias ?? old.alias, facts: factsOf(models, old.name) },
    made: async (change, id) => {
      const details = { from: old.base_model, base, job: id };
      await record(change, { action: 'model.move_ordered', accountId, subject: old.name, details });
    },
  });
  return { job_id: job, status: 'CREATED', base_model: base, facts };
}
