// Document indexes as targets of an evaluation: the question is searched for, and the model of the index answers from the passages found.

import { refuseUnready } from '../documents/answers/answers.ts';
import type { Documents } from '../documents/documents.ts';
import type { OwnIndex } from '../documents/rows.ts';
import type { CallContext } from '../inference/model-client.ts';
import type { Indexes, Question, Reply } from './targets.ts';

export class IndexTargets implements Indexes {
  readonly #documents: Pick<Documents, 'indexes' | 'answers'>;

  constructor(documents: Pick<Documents, 'indexes' | 'answers'>) {
    this.#documents = documents;
  }

  async check(jobId: number, accountId: number): Promise<void> {
    refuseUnready(await this.#find(jobId, accountId));
  }

  async #find(jobId: number, accountId: number): Promise<OwnIndex> {
    return await this.#documents.indexes.byModel(accountId, `index/${jobId}`);
  }

  async answer(jobId: number, { text, max_tokens }: Question, callContext: CallContext): Promise<Reply> {
    const index = await this.#find(jobId, callContext.accountId);
    // If no passage is found, no model is asked.
    let reply: Reply = {
      text: '',
      finish_reason: 'stop',
      usage: { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
    };
    for await (const { end } of this.#documents.answers.answer(index, { prompt: text, max_tokens }, callContext))
      if (end) reply = { ...reply, ...end };
    return reply;
  }
}
