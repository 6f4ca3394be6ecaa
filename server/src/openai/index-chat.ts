// A document index as a model of chat clients: the last message of the user is the question, passages are put before it, and the
// answer has citations. If the documents are quoted, or hold nothing, no model is asked.
import type { AnswerOf, ChatBody, chat, chatEvent } from '@lorekeep/contract';
import type { z } from 'zod';
import type { Answers, Grounds } from '../documents/answers/answers.ts';
import { lastQuestion } from '../documents/answers/user-turn.ts';
import type { OwnIndex } from '../documents/rows.ts';
import type { CallContext, ModelClient } from '../inference/model-client.ts';
import { answerHead } from './answer.ts';
import { chatAnswer, chatEvents } from './chat.ts';
import { chatQuestion } from './question.ts';

export const indexPrefix = 'index/';

interface Dependencies {
  modelClient: ModelClient;
  answers: Answers;
  index: OwnIndex;
}

type Event = z.input<typeof chatEvent>;

export async function indexAnswer(
  { modelClient, answers, index }: Dependencies,
  body: ChatBody,
  callContext: CallContext,
): Promise<AnswerOf<typeof chat>> {
  const { grounds, value } = await answers.whileItFits(index, questionOf(index, body), callContext, (found) =>
    chatAnswer(modelClient, grounded(index, body, found), callContext, { room: found.room }),
  );
  const found = groundsFields(grounds);
  const completion =
    value ?? (isShaped(body) && (await chatAnswer(modelClient, grounded(index, body, grounds), callContext)));
  if (completion) return { ...completion, model: body.model, ...found };
  return {
    ...answerHead('chatcmpl', body.model),
    object: 'chat.completion',
    choices: Array.from({ length: body.n ?? 1 }, (_, at) => ({
      index: at,
      message: { role: 'assistant', content: grounds.said ?? '', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    })),
    usage: noUsage,
    ...found,
  };
}

export async function* indexEvents(
  { modelClient, answers, index }: Dependencies,
  body: ChatBody,
  callContext: CallContext,
): AsyncGenerator<Event> {
  const begin = async (found: Grounds) => {
    const events = chatEvents(modelClient, grounded(index, body, found), callContext, { room: found.room });
    return { events, first: await events.next() };
  };
  const { grounds, value } = await answers.whileItFits(index, questionOf(index, body), callContext, begin);
  const begun = value ?? (isShaped(body) && (await begin(grounds)));
  if (!begun) {
    yield* saidAtOnce(body, grounds);
    return;
  }
  try {
    let { first: step } = begun;
    for (let first = true; !step.done; step = await begun.events.next(), first = false)
      yield { ...step.value, model: body.model, ...(first && groundsFields(grounds)) };
  } finally {
    await begun.events.return(undefined);
  }
}

/**
 * If nothing was found, the sentence for that case is no JSON: the model writes it in the schema, which its grammar
 * enforces.
 */
const isShaped = ({ response_format }: ChatBody) => (response_format?.type ?? 'text') !== 'text';

function* saidAtOnce(body: ChatBody, grounds: Grounds): Generator<Event> {
  const usage = body.stream_options?.include_usage;
  const head = { ...answerHead('chatcmpl', body.model), object: 'chat.completion.chunk' as const };
  const chunk = (index: number, choice: Partial<Event['choices'][number]>): Event => ({
    ...head,
    choices: [{ index, delta: {}, finish_reason: null, logprobs: null, ...choice }],
    ...(usage && { usage: null }),
  });
  for (let index = 0; index < (body.n ?? 1); index++) {
    const delta = { role: 'assistant' as const, content: grounds.said ?? '' };
    yield { ...chunk(index, { delta }), ...(index === 0 && groundsFields(grounds)) };
    yield chunk(index, { finish_reason: 'stop' });
  }
  if (usage) yield { ...head, choices: [], usage: noUsage };
}

const groundsFields = ({ citations, retrieval, kind: answer_kind }: Grounds) => ({ citations, retrieval, answer_kind });

const noUsage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_tokens_details: { cached_tokens: 0 },
};

function questionOf(index: OwnIndex, body: ChatBody) {
  const { messages = [], max_tokens = 0 } = chatQuestion(body);
  const { rag_query_size: size, filter, rerank, answer } = body;
  const around = messages!.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  return {
    ...lastQuestion(messages!),
    size,
    filter,
    rerank,
    answer,
    shaped: isShaped(body),
    model: index.model,
    around,
    maxTokens: max_tokens,
  };
}

function grounded(index: OwnIndex, body: ChatBody, { turn }: Grounds): ChatBody {
  const last = body.messages.findLastIndex(({ role }) => role === 'user');
  const messages = body.messages.map((message, at) => (at === last ? { ...message, content: turn } : message));
  // The passages have to be read, regardless of the policy of a tuned model.
  return { ...body, answer_from: body.answer_from ?? 'all', model: index.model, messages };
}
