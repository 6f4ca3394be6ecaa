// The calls of a soak, each with what its answer has to be. A clean refusal is thrown as Refused, a wrong answer as Wrong.
import { setTimeout as pause } from 'node:timers/promises';

const model = 'lorekeep/quill';
/** Statuses that are allowed temporarily: loading, overloaded or starting again, or too slow under this load. */
const clean = new Set([503, 513, 524]);

export class Refused extends Error {}
export class Wrong extends Error {}

export interface Call {
  name: string;
  weight: number;
  /** Whether clients hang up on it. */
  leavable: boolean;
  /** Called before all others, until it succeeds. */
  first?: boolean;
  run(caller: Caller, signal: AbortSignal): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
type Json = any;

const words =
  'the library of Brimoor opens at nine while Ada Quist counts seventeen roofs under rain and old maps rest'.split(' ');
/** Few enough that prompts repeat; some are long. */
const prompts = Array.from({ length: 48 }, (_, n) =>
  Array.from(
    { length: n % 12 === 0 ? 500 : 6 + (n % 40) },
    (_, at) => words[(n * 7 + at * (n + 3)) % words.length],
  ).join(' '),
);
const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

export class Caller {
  /** Accepted batches and polled streams: paths of their results, and expected counts. */
  readonly runs = new Map<string, number>();
  compared = 0;
  readonly #url: string;
  readonly #key: string;
  readonly #known = new Map<string, string>();

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async fetch(method: string, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    if (response.status === 200) return response;
    const text = await response.text();
    const recited = sentence(text);
    if (clean.has(response.status) && recited) throw new Refused(`${response.status} ${recited}`);
    throw new Wrong(`${response.status} ${text.slice(0, 200)}`);
  }

  async ask(path: string, body: unknown, signal: AbortSignal): Promise<Json> {
    return await (await this.fetch('POST', path, body, signal)).json();
  }

  async poll(path: string, signal: AbortSignal): Promise<Json> {
    return await (await this.fetch('GET', path, undefined, signal)).json();
  }

  /** Checks that a greedy answer is the same at any time and in any batch. */
  same(question: string, answer: string): void {
    const known = this.#known.get(question);
    if (known === undefined) this.#known.set(question, answer);
    else {
      this.compared++;
      check(known === answer, `the same prompt got another answer: ${JSON.stringify([known, answer])}`);
    }
  }

  /** Accepted runs that do not complete; each has to, also if its client hung up. */
  async lostRuns(deadline: number): Promise<string[]> {
    const lost: string[] = [];
    for (const [path, count] of this.runs) {
      for (;;) {
        try {
          const reply = await this.poll(path, AbortSignal.timeout(60_000));
          if (isComplete(reply, count)) {
            const given = reply.errors?.filter(Boolean) ?? [];
            if (given.length > 0) lost.push(`${path} gave up prompts: ${given[0]}`);
            break;
          }
        } catch (error) {
          if (!(error instanceof Refused)) {
            lost.push(`${path}: ${error}`);
            break;
          }
        }
        if (Date.now() > deadline) {
          lost.push(`${path} is not complete`);
          break;
        }
        await pause(300);
      }
    }
    return lost;
  }
}

export const calls: Call[] = [
  {
    name: 'completion',
    weight: 4,
    leavable: true,
    first: true,
    run: async (caller, signal) => {
      const [prompt, max_tokens] = [any(prompts), any([8, 32])];
      const { output } = await caller.ask('/v1/completions', { model_name: model, prompt, max_tokens }, signal);
      check(typeof output === 'string', 'no text');
      caller.same(`${max_tokens} ${prompt}`, output);
    },
  },
  {
    name: 'completions, a list',
    weight: 1,
    leavable: true,
    run: async (caller, signal) => {
      const prompt = Array.from({ length: 5 }, () => any(prompts));
      const reply = await caller.ask('/v2/completions', { model_name: model, prompt, max_tokens: 16 }, signal);
      check(reply.outputs?.length === 5 && reply.finish_reason?.length === 5, 'not as many answers as prompts');
    },
  },
  {
    name: 'output_type',
    weight: 2,
    leavable: true,
    run: async (caller, signal) => {
      const output_type = { name: 'str', age: 'int', kind: ['person', 'place'] };
      const body = { model_name: model, prompt: any(prompts), max_tokens: 48, output_type };
      const reply = await caller.ask('/v1/completions', body, signal);
      check(Object.keys(reply).join() === 'name,age,kind', `other keys: ${JSON.stringify(reply)}`);
      check(typeof reply.name === 'string' && Number.isInteger(reply.age), `other types: ${JSON.stringify(reply)}`);
      check(['person', 'place'].includes(reply.kind), `another choice: ${JSON.stringify(reply)}`);
    },
  },
  {
    name: 'polled stream',
    weight: 2,
    leavable: true,
    run: async (caller, signal) => {
      const body = { model_name: model, prompt: [any(prompts), any(prompts)], max_tokens: 32 };
      const { id } = await caller.ask('/v3/streaming_completions', body, signal);
      const path = `/v3/streaming_completions/${id}/result`;
      caller.runs.set(path, 2);
      let before: string[] = [];
      // The run has no time limit: a client stops polling after a minute, and lostRuns checks its completion later.
      for (const end = Date.now() + 60_000; Date.now() < end; ) {
        const reply = await patient(() => caller.poll(path, signal), signal);
        const outputs: string[] = (reply.outputs ?? []).map((text: string | null) => text ?? '');
        before.forEach((text, at) => {
          check(outputs[at]?.startsWith(text), 'text was taken back');
        });
        before = outputs;
        if (isComplete(reply, 2)) return;
        await pause(150);
      }
    },
  },
  {
    name: 'batch',
    weight: 1,
    leavable: false,
    run: async (caller, signal) => {
      const prompt = Array.from({ length: 8 }, () => any(prompts));
      const { id } = await caller.ask('/v1/batch_completions', { model_name: model, prompt, max_tokens: 24 }, signal);
      caller.runs.set(`/v1/batch_completions/${id}/result`, prompt.length);
    },
  },
  {
    name: 'chat',
    weight: 2,
    leavable: true,
    run: async (caller, signal) => {
      const body = { model, messages: [{ role: 'user', content: any(prompts) }], max_tokens: 32, temperature: 0 };
      const reply = await caller.ask('/inf/chat/completions', body, signal);
      const text = reply.choices?.[0]?.message?.content;
      check(typeof text === 'string', 'no message');
      check(reply.usage?.prompt_tokens > 0, 'no usage');
      caller.same(`chat ${body.messages[0]!.content}`, text);
    },
  },
  {
    name: 'chat, streamed',
    weight: 3,
    leavable: true,
    run: async (caller, signal) => {
      const messages = [{ role: 'user', content: any(prompts) }];
      const body = { model, messages, max_tokens: 48, temperature: 0.8, stream: true };
      const response = await caller.fetch('POST', '/inf/chat/completions', body, signal);
      let text = '';
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
      const events = text.split('\n\n').filter(Boolean);
      const refused = /^data: (\{"error".*)/s.exec(events.at(-1) ?? '')?.[1];
      if (refused) {
        check(JSON.parse(refused).error.code !== 'internal', refused);
        throw new Refused(`in a stream: ${sentence(refused)}`);
      }
      check(events.at(-1) === 'data: [DONE]', `the stream ended without its end: ${text.slice(-200)}`);
    },
  },
  {
    name: 'chat, json_schema',
    weight: 1,
    leavable: true,
    run: async (caller, signal) => {
      const schema = {
        type: 'object',
        properties: {
          city: { type: 'string', maxLength: 20 },
          roofs: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
        },
        required: ['city', 'roofs'],
        additionalProperties: false,
      };
      const response_format = { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } };
      const body = { model, messages: [{ role: 'user', content: any(prompts) }], max_tokens: 64, response_format };
      const reply = await caller.ask('/inf/chat/completions', body, signal);
      const place = JSON.parse(reply.choices[0].message.content);
      check(typeof place.city === 'string' && place.roofs.every(Number.isInteger), JSON.stringify(place));
    },
  },
  {
    name: 'embedding',
    weight: 2,
    leavable: true,
    first: true,
    run: async (caller, signal) => {
      const prompt = Array.from({ length: any([1, 4, 12]) }, () => any(prompts));
      const { embedding } = await caller.ask('/v1/embedding', { prompt }, signal);
      check(
        embedding.length === prompt.length && embedding.every((row: number[]) => row.length === 384),
        'not the vectors',
      );
    },
  },
  {
    name: 'embeddings, OpenAI',
    weight: 1,
    leavable: true,
    run: async (caller, signal) => {
      // The call refuses texts longer than the model reads, as OpenAI's does.
      const body = { model: 'sentence-transformers/all-MiniLM-L6-v2', input: [any(prompts).slice(0, 400)] };
      const reply = await caller.ask('/inf/embeddings', body, signal);
      check(reply.data?.length === 1, 'not the vectors');
    },
  },
];

/** Retries a poll after a refusal: the started work continues. */
async function patient<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused) || signal.aborted) throw error;
      await pause(300);
    }
  }
}

function isComplete(reply: Json, count: number): boolean {
  if (reply.outputs === undefined) return false;
  check(reply.outputs.length === count, `${reply.outputs.length} answers for ${count} prompts`);
  return reply.finish_reason.every((reason: string | null) => reason !== null);
}

/** The message of an error, in our shape or OpenAI's. */
function sentence(text: string): string | undefined {
  try {
    const reply = JSON.parse(text);
    const message = reply.detail ?? reply.error?.message;
    return typeof message === 'string' && message.length > 10 ? message : undefined;
  } catch {
    return undefined;
  }
}

function check(holds: boolean | undefined, otherwise: string): asserts holds {
  if (!holds) throw new Wrong(otherwise);
}
