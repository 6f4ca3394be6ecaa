// Parity checks of an upstream engine before its first answer: it is reachable, serves the model, and reads the token IDs as intended.
import { z } from 'zod';
import type { UpstreamSettings } from '../../config/upstreams.ts';
import { EngineFailure } from '../engine.ts';
import type { Generation, RenderedPrompt } from '../protocol.ts';
import { bodyOf, otherModel, type SchemaWay, schemaFields, schemaWays } from './completion.ts';
import { UpstreamFailure } from './failure.ts';
import { sendForJson } from './send.ts';

export interface Parity {
  /** Context length in tokens, answer included, if the server reports it. */
  context: number | undefined;
  schemaWay: SchemaWay | undefined;
  /** Harmless differences, and checks that the server has no endpoint for. */
  notes: string[];
}

/** Renders prompts with the upstream model's folder. */
export type Render = (prompt: Pick<Generation, 'prompt' | 'messages'>) => Promise<RenderedPrompt>;

const probe = 'Parity: naïve café, 42 €.';
const greeting = [{ role: 'user' as const, content: 'Hello' }];
const shape = {
  type: 'object',
  properties: { lorekeep: { type: 'string', enum: ['parity'] } },
  required: ['lorekeep'],
  additionalProperties: false,
};

const listed = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: z.int().positive().nullish(),
      meta: z.object({ n_ctx: z.int().positive().nullish() }).nullish(),
    }),
  ),
});
const completed = z.object({
  model: z.string().nullish(),
  choices: z.array(z.object({ text: z.string().nullish(), finish_reason: z.string().nullish() })).min(1),
  usage: z.object({ prompt_tokens: z.int() }).nullish(),
});
const detokenized = z.union([
  z.object({ content: z.string() }),
  z.object({ prompt: z.string() }),
  z.object({ text: z.string() }),
]);

export async function checkParity(settings: UpstreamSettings, render: Render, signal: AbortSignal): Promise<Parity> {
  const notes: string[] = [];
  const ask = async (path: string, body?: Record<string, unknown>) => await sendForJson(settings, path, body, signal);
  const context = await checkListed(settings, ask, notes);
  const rendered = await render({ prompt: probe });
  await checkTokens(settings, ask, rendered);
  await checkIds(settings, ask, rendered, notes);
  await checkEnds(settings, ask, rendered, notes);
  await checkTemplate(settings, ask, render, notes);
  return { context, schemaWay: await schemaWayOf(settings, ask, rendered, notes), notes };
}

type Ask = (path: string, body?: Record<string, unknown>) => Promise<unknown>;

/** Short check of an upstream that passed before: it still lists the model. */
export async function checkListed({ model }: UpstreamSettings, ask: Ask, notes: string[]): Promise<number | undefined> {
  const answer = await optional(ask('/models'));
  if (answer === undefined) {
    notes.push('it lists no models');
    return undefined;
  }
  const { success, data } = listed.safeParse(answer);
  if (!success) throw new UpstreamFailure('wrong', 'its /v1/models does not list models: is the url right');
  const found = data.data.find(({ id }) => id === model);
  const names = data.data.slice(0, 5).map(({ id }) => `"${id.slice(0, 100)}"`);
  if (!found) throw misfit(`it has no model "${model}", but ${names.join(', ') || 'none'}: set "model"`);
  return found.max_model_len ?? found.meta?.n_ctx ?? undefined;
}

/** Generates one token, and checks the model's name and the count of prompt tokens. */
async function checkTokens({ model }: UpstreamSettings, ask: Ask, rendered: RenderedPrompt): Promise<void> {
  const answer = await ask('/completions', quick(model, rendered, 1)).catch((error) => {
    if (isAbsent(error)) return undefined;
    throw error instanceof UpstreamFailure && error.kind === 'refused'
      ? misfit(`it refuses a prompt of token IDs at /v1/completions: ${error.message}`)
      : error;
  });
  if (answer === undefined) throw misfit('it has no /v1/completions, which takes prompts as they are rendered here');
  const { model: found, usage } = read(answer);
  if (typeof found === 'string' && found !== model) throw otherModel(found, model);
  const sent = rendered.tokens.length;
  if (usage && usage.prompt_tokens !== sent)
    throw misfit(
      `it read ${usage.prompt_tokens} tokens where ${sent} were sent: it adds some of its own, or takes no token IDs`,
    );
}

async function checkIds(
  { model }: UpstreamSettings,
  ask: Ask,
  { tokens }: RenderedPrompt,
  notes: string[],
): Promise<void> {
  const answer = await optional(ask('../detokenize', { model, tokens }));
  const { success, data } = detokenized.safeParse(answer);
  if (!success) {
    notes.push('it has no /detokenize: whether its token IDs mean the same was not checked');
    return;
  }
  const said = Object.values(data)[0] as string;
  if (!said.includes(probe))
    throw misfit(
      `its token IDs mean ${JSON.stringify(said.slice(0, 60))} and not ${JSON.stringify(probe)}: the folder is of another model`,
    );
}

/** Forces each end token by a logit bias: the answer has to end without text. */
async function checkEnds(
  { model }: UpstreamSettings,
  ask: Ask,
  rendered: RenderedPrompt,
  notes: string[],
): Promise<void> {
  for (const [at, end] of rendered.ends.entries()) {
    const body = { ...quick(model, rendered, 4), logit_bias: { [end]: 100 } };
    const answer = await optional(ask('/completions', body));
    if (answer === undefined) {
      notes.push('it takes no logit_bias: whether end tokens end an answer was not checked');
      return;
    }
    const [choice] = read(answer).choices;
    if (choice!.finish_reason === 'stop' && !choice!.text) continue;
    if (at === 0) throw misfit(`its answers do not end at the end token ${end} of the folder`);
    notes.push(`its answers do not end at the token ${end}, one of several end tokens`);
  }
}

/** Compares the chat templates. The upstream's own template is not used, but a difference suggests a folder of another model or version. */
async function checkTemplate({ model }: UpstreamSettings, ask: Ask, render: Render, notes: string[]): Promise<void> {
  const ours = await render({ messages: greeting }).catch((error) => {
    if (error instanceof EngineFailure && error.code === 'template_failed') return undefined;
    throw error;
  });
  if (!ours) {
    notes.push('the folder has no chat template: it goes on from prompts, and answers no messages');
    return;
  }
  const answer = await optional(ask('/chat/completions', { model, messages: greeting, max_tokens: 1 }));
  const theirs = completedChat.safeParse(answer).data?.usage?.prompt_tokens;
  if (theirs === undefined) notes.push('its own chat template was not compared');
  else if (theirs !== ours.tokens.length)
    notes.push(
      `its own chat template makes ${theirs} tokens of a greeting, the folder's ${ours.tokens.length}; the folder's is used`,
    );
}

const completedChat = z.object({ usage: z.object({ prompt_tokens: z.int() }).nullish() });

async function schemaWayOf(
  { model }: UpstreamSettings,
  ask: Ask,
  rendered: RenderedPrompt,
  notes: string[],
): Promise<SchemaWay | undefined> {
  for (const way of Object.keys(schemaWays) as SchemaWay[]) {
    const answer = await optional(ask('/completions', { ...quick(model, rendered, 64), ...schemaFields(way, shape) }));
    if (answer !== undefined && isShaped(read(answer).choices[0]!.text ?? '')) return way;
  }
  notes.push('it cannot hold an answer to a JSON schema: such requests are refused');
  return undefined;
}

function isShaped(text: string): boolean {
  try {
    return (JSON.parse(text) as { lorekeep?: unknown }).lorekeep === 'parity';
  } catch {
    return false;
  }
}

const quick = (model: string, { tokens, ends }: RenderedPrompt, maxTokens: number) => {
  const { stream: _, stream_options: __, ...body } = bodyOf(model, {}, { tokens, ends }, maxTokens, undefined);
  return body;
};

function read(answer: unknown): z.infer<typeof completed> {
  const { success, data } = completed.safeParse(answer);
  if (!success) throw new UpstreamFailure('wrong', 'its answer at /v1/completions is not a completion');
  return data;
}

const isAbsent = (error: unknown) =>
  error instanceof UpstreamFailure && /^it answers (404|405|501)/.test(error.message);

/** Undefined if the server refuses the call or has no such endpoint. */
async function optional(asked: Promise<unknown>): Promise<unknown> {
  return await asked.catch((error) => {
    if (isAbsent(error) || (error instanceof UpstreamFailure && error.kind === 'refused')) return undefined;
    throw error;
  });
}

const misfit = (reason: string) => new UpstreamFailure('unavailable', reason);
