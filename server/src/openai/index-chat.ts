// A document index as a model of chat clients: the last message of the user is the question, passages go before it there, and the answer has citations.
import type { AnswerOf, ChatBody, chat, chatEvent, Retrieval } from '@lorekeep/contract';
import type { z } from 'zod';
import type { Asker, Asking } from '../completions/asking.ts';
import type { Answers, Grounds } from '../documents/answers/answers.ts';
import { notFound } from '../documents/answers/nothing.ts';
import type { OwnIndex } from '../documents/indexes.ts';
import { answerHead } from './answer.ts';
import { chatAnswer, chatEvents } from './chat.ts';
import { chatQuestion } from './question.ts';

export const indexPrefix = 'index/';

interface Parts {
  asking: Asking;
  answers: Answers;
  index: OwnIndex;
}

type Event = z.input<typeof chatEvent>;

export async function indexAnswer(
  { asking, answers, index }: Parts,
  body: ChatBody,
  asker: Asker,
): Promise<AnswerOf<typeof chat>> {
  const { grounds, value } = await answers.whileItFits(index, questionOf(index, body), asker, (found) =>
    chatAnswer(asking, grounded(index, body, found), asker, { room: found.room }),
  );
  const { citations, retrieval } = grounds;
  const said = value ?? (isShaped(body) && (await chatAnswer(asking, grounded(index, body, grounds), asker)));
  if (said) return { ...said, model: body.model, citations, retrieval };
  return {
    ...answerHead('chatcmpl', body.model),
    object: 'chat.completion',
    choices: Array.from({ length: body.n ?? 1 }, (_, at) => ({
      index: at,
      message: { role: 'assistant', content: notFound, refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    })),
    usage: noUsage,
    citations,
    retrieval,
  };
}

export async function* indexEvents(
  { asking, answers, index }: Parts,
  body: ChatBody,
  asker: Asker,
): AsyncGenerator<Event> {
  const begin = async (found: Grounds) => {
    const events = chatEvents(asking, grounded(index, body, found), asker, { room: found.room });
    return { events, first: await events.next() };
  };
  const { grounds, value } = await answers.whileItFits(index, questionOf(index, body), asker, begin);
  const { citations, retrieval } = grounds;
  const begun = value ?? (isShaped(body) && (await begin(grounds)));
  if (!begun) {
    yield* nothingFound(body, retrieval);
    return;
  }
  try {
    let { first: step } = begun;
    for (let first = true; !step.done; step = await begun.events.next(), first = false)
      yield { ...step.value, model: body.model, ...(first && { citations, retrieval }) };
  } finally {
    await begun.events.return(undefined);
  }
}

/** Where nothing was found the sentence that says so is no answer: the model writes that down in the shape, which its grammar holds it to. */
const isShaped = ({ response_format }: ChatBody) => (response_format?.type ?? 'text') !== 'text';

function* nothingFound(body: ChatBody, retrieval: Retrieval): Generator<Event> {
  const usage = body.stream_options?.include_usage;
  const head = { ...answerHead('chatcmpl', body.model), object: 'chat.completion.chunk' as const };
  const chunk = (index: number, choice: Partial<Event['choices'][number]>): Event => ({
    ...head,
    choices: [{ index, delta: {}, finish_reason: null, logprobs: null, ...choice }],
    ...(usage && { usage: null }),
  });
  for (let index = 0; index < (body.n ?? 1); index++) {
    const delta = { role: 'assistant' as const, content: notFound };
    yield { ...chunk(index, { delta }), ...(index === 0 && { citations: [], retrieval }) };
    yield chunk(index, { finish_reason: 'stop' });
  }
  if (usage) yield { ...head, choices: [], usage: noUsage };
}

const noUsage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_tokens_details: { cached_tokens: 0 },
};

function questionOf(index: OwnIndex, body: ChatBody) {
  const { messages = [], max_tokens = 0 } = chatQuestion(body);
  const { rag_query_size: size, filter, rerank } = body;
  const around = messages!.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const text = messages!.findLast(({ role }) => role === 'user')?.content.trim() ?? '';
  return { text, size, filter, rerank, model: index.model, around, maxTokens: max_tokens };
}

function grounded(index: OwnIndex, body: ChatBody, { turn }: Grounds): ChatBody {
  const last = body.messages.findLastIndex(({ role }) => role === 'user');
  const messages = body.messages.map((message, at) => (at === last ? { ...message, content: turn } : message));
  return { ...body, model: index.model, messages };
}
