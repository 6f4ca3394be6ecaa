// Keeps answers with their decisions for feedback, if the account has opted in. Explanations are removed unless the client asked for them.
import type { AnswerOf, ChatBody, chat, chatEvent, completeText, Memory, TextBody } from '@lorekeep/contract';
import type { z } from 'zod';

/** The store of decisions. */
export interface DecisionKeeper {
  /** State of the account at a question, which `keep` gets with the answer; undefined if the account has not opted in. */
  asked(accountId: number): Promise<{ receipt: number } | undefined>;
  keep(answered: {
    accountId: number;
    id: string;
    model: string;
    input: string;
    output: string;
    memory: Memory | null | undefined;
    receipt: number;
  }): Promise<void>;
}

type ChatEnd = AnswerOf<typeof chat>;
type ChatEvent = z.input<typeof chatEvent>;
type TextEnd = AnswerOf<typeof completeText>;
type Said = ChatEnd | ChatEvent | TextEnd;

interface Asked<Body extends ChatBody | TextBody> {
  keeper: DecisionKeeper;
  accountId: number;
  body: Body;
  /** The body for the model, with explanations if they are to be kept. */
  asked: Body;
  /** Undefined if nothing is kept. */
  at: { receipt: number } | undefined;
}

/** Requests explanations if decisions are kept. */
export async function forKeeping<Body extends ChatBody | TextBody>(
  keeper: DecisionKeeper,
  accountId: number,
  body: Body,
): Promise<Asked<Body>> {
  const at = await keeper.asked(accountId);
  return { keeper, accountId, body, asked: at ? { ...body, explain: true } : body, at };
}

export async function keepDecision<Answer extends ChatEnd | TextEnd>(
  of: Asked<ChatBody | TextBody>,
  answer: Answer,
): Promise<Answer> {
  if (!of.at) return answer;
  const [first] = answer.choices;
  await keep(of, answer.id, textOf(first), memoryOf(first));
  return shownTo(of, answer);
}

export async function* keptEvents<Event extends ChatEvent | TextEnd>(
  of: Asked<ChatBody | TextBody>,
  events: AsyncGenerator<Event>,
): AsyncGenerator<Event> {
  let id: string | undefined;
  let output = '';
  let memory: Memory | null | undefined;
  for await (const event of events) {
    const first = event.choices.find(({ index }) => index === 0);
    id ??= event.id;
    output += textOf(first);
    memory = memoryOf(first) ?? memory;
    yield shownTo(of, event);
  }
  // Kept before the stream ends, so that a vote finds it.
  if (id !== undefined) await keep(of, id, output, memory);
}

async function keep(
  { keeper, accountId, body, at }: Asked<ChatBody | TextBody>,
  id: string,
  output: string,
  memory: Memory | null | undefined,
): Promise<void> {
  if (at) await keeper.keep({ accountId, id, model: body.model, input: questionOf(body), output, memory, ...at });
}

function questionOf(body: ChatBody | TextBody): string {
  if ('prompt' in body) return Array.isArray(body.prompt) ? String(body.prompt[0] ?? '') : body.prompt;
  const content = body.messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('\n');
}

function textOf(choice: Said['choices'][number] | undefined): string {
  if (!choice) return '';
  if ('message' in choice) return choice.message.content ?? '';
  if ('delta' in choice) return choice.delta.content ?? '';
  return 'text' in choice ? choice.text : '';
}

const memoryOf = (choice: Said['choices'][number] | undefined) =>
  (choice as { memory?: Memory | null } | undefined)?.memory;

function shownTo<Answer extends Said>({ body, at }: Asked<ChatBody | TextBody>, answer: Answer): Answer {
  if (!at || body.explain) return answer;
  const choices = (answer.choices as object[]).map((choice) => {
    const { memory: _, ...rest } = choice as { memory?: unknown };
    return rest;
  });
  return { ...answer, choices } as Answer;
}
