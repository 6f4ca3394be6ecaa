// Targets of an evaluation: a model, a model with a prompt before each question, and (through a port, index-targets.ts)
// a document index.
import { type EvaluationBody, type EvaluationTarget, Refusal } from '@lorekeep/contract';
import type { End } from '../engine/protocol.ts';
import type { CallContext, ModelClient } from '../inference/model-client.ts';

export interface Target {
  name: string;
  model_name: string | null;
  prompt: string | null;
  job_id: number | null;
}

export interface Question {
  text: string;
  form: EvaluationBody['form'];
  max_tokens: number;
}

export type Reply = Pick<End, 'text' | 'finish_reason' | 'usage' | 'memory'>;

/** Document indexes as evaluations use them. */
export interface Indexes {
  /** Throws a refusal with the reason if the account cannot ask this index. */
  check(jobId: number, accountId: number): Promise<void>;
  answer(jobId: number, question: Question, callContext: CallContext): Promise<Reply>;
}

export class Targets {
  readonly #modelClient: ModelClient;
  readonly #indexes: Indexes;

  constructor(modelClient: ModelClient, indexes: Indexes) {
    this.#modelClient = modelClient;
    this.#indexes = indexes;
  }

  /** Returns the targets with their names, or throws the refusal of the first that cannot be asked. */
  async check(requested: EvaluationTarget[], accountId: number): Promise<Target[]> {
    const targets: Target[] = [];
    for (const [place, target] of requested.entries()) {
      const unusable = (reason: string) => new Refusal('evaluation_target_unusable', { number: place + 1, reason });
      if (target.name !== undefined && targets.some(({ name }) => name === target.name))
        throw unusable(`another target is called "${target.name}" as well`);
      if ('model_name' in target) await this.#modelClient.find(target.model_name, 'generate', accountId);
      else await this.#indexes.check(target.job_id, accountId);
      targets.push({
        name: target.name ?? defaultName(target, targets),
        model_name: 'model_name' in target ? target.model_name : null,
        prompt: ('model_name' in target && target.prompt) || null,
        job_id: 'job_id' in target ? target.job_id : null,
      });
    }
    return targets;
  }

  async answer(target: Target, question: Question, callContext: CallContext): Promise<Reply> {
    if (target.job_id !== null) return await this.#indexes.answer(target.job_id, question, callContext);
    const text = target.prompt === null ? question.text : `${target.prompt}\n\n${question.text}`;
    const { max_tokens } = question;
    const raw = () => this.#modelClient.answer(target.model_name!, { prompt: text, max_tokens }, callContext);
    if (question.form === 'raw') return await raw();
    try {
      const messages = [{ role: 'user' as const, content: text }];
      return await this.#modelClient.answer(target.model_name!, { messages, max_tokens }, callContext);
    } catch (error) {
      // A model without a chat template gets the bare prompt.
      if (error instanceof Refusal && error.code === 'chat_template_refuses') return await raw();
      throw error;
    }
  }
}

function defaultName(target: EvaluationTarget, before: Target[]): string {
  const name =
    'job_id' in target
      ? `index ${target.job_id}`
      : target.prompt
        ? `${target.model_name} with prompt`
        : target.model_name;
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${name} (${count})`;
    if (!before.some((other) => other.name === numbered)) return numbered;
  }
}
