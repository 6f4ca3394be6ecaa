// A model client whose calls end as a test says, for orders of events that no engine can be forced into.
import type { End } from '../engine/protocol.ts';
import type { ModelClient } from '../inference/model-client.ts';
import { until } from './until.ts';

export interface ScriptedCall {
  texts: string[];
  signal: AbortSignal;
  answer(text: string): void;
  fail(error: unknown): void;
}

export class ScriptedClient {
  /** All calls so far, in their order. */
  readonly calls: ScriptedCall[] = [];

  /** The call of this number, once there are so many. */
  async call(number: number): Promise<ScriptedCall> {
    await until(`there are ${number} calls`, () => this.calls.length >= number);
    return this.calls[number - 1]!;
  }

  /** The client, for callers of completions and of vectors of one number each. */
  get client(): ModelClient {
    const answer: ModelClient['answer'] = async (_, { prompt }, { signal }) =>
      endOf(await this.#ask([prompt!], signal));
    const client: Pick<ModelClient, 'answer' | 'generate' | 'embed'> = {
      answer,
      // biome-ignore lint/correctness/useYield: an answer in one piece
      generate: async function* (...asked) {
        return await answer(...asked);
      },
      embed: async (_, { texts }, { signal }) => {
        await this.#ask(texts, signal);
        const data = Buffer.from(new Float32Array(texts.length).fill(1).buffer).toString('base64');
        return { type: 'vectors', id: '', count: texts.length, dimensions: 1, data, tokens: 1, truncated: [] };
      },
    };
    return client as ModelClient;
  }

  async #ask(texts: string[], signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.calls.push({ texts, signal, answer: resolve, fail: reject });
    return await promise;
  }
}

const endOf = (text: string): End => ({
  ...{ type: 'end', id: '', finish_reason: 'stop', text },
  usage: { prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1 },
});
