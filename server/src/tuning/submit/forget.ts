// Forgets facts: submits a job that rebuilds the model from the remaining facts.
import { type AnswerOf, type forgetFacts, Refusal } from '@lorekeep/contract';
import { record } from '../../audit/record.ts';
import type { Caller } from '../../auth/caller.ts';
import type { TunedModels } from '../../models/tuned.ts';
import { factsOf } from '../../models/tuned-facts.ts';
import type { TunedFolders } from '../../models/tuned-folders.ts';
import { orderSuccessor, type SuccessorDependencies } from './successor.ts';

interface Dependencies extends SuccessorDependencies {
  tuned: TunedModels;
  models: TunedFolders;
}

export async function forget(
  { tuned, models, ...parts }: Dependencies,
  caller: Caller,
  model: string,
  inputs: string[],
  alias: string | undefined,
): Promise<AnswerOf<typeof forgetFacts>> {
  const old = await tuned.own(caller, model);
  const accountId = caller.account.id;
  const open = new Set(inputs);
  const gone = new Set(inputs);
  async function* staying() {
    for await (const fact of factsOf(models, old.name)) {
      if (gone.has(fact.input)) open.delete(fact.input);
      else yield fact;
    }
    for (const input of open) throw new Refusal('fact_not_found', { input: input.slice(0, 200), model });
  }
  const { job, facts } = await orderSuccessor(parts, {
    ...{ accountId, keyId: caller.key.id, jobsLimit: caller.account.limits.jobs },
    ...{ old, customName: alias ?? old.alias, facts: staying() },
    made: async (change, job) => {
      const entry = { accountId, subject: old.name, details: { facts: gone.size, job } };
      await record(change, { action: 'model.facts_forgotten', ...entry });
    },
  });
  return { job_id: job, status: 'CREATED', facts };
}
