// Generation by tuned models with an index: a question without a fact is answered from the documents, and if they do not
// hold the answer either, by the model.
import type { Engine } from '../../engine/engine.ts';
import type { Delta, End, Generation } from '../../engine/protocol.ts';
import { type CallContext, type DocumentedEnd, ModelClient, type ModelRequest } from '../../inference/model-client.ts';
import type { Model, Models } from '../../models/models.ts';
import type { Usage } from '../../usage/usage.ts';
import type { Indexes } from '../indexes.ts';
import type { OwnIndex } from '../rows.ts';
import type { Answers, Grounds } from './answers.ts';
import { lastQuestion, userTurn } from './user-turn.ts';

type Memory = NonNullable<End['memory']>;
type Pieces = AsyncGenerator<Delta, DocumentedEnd>;

export class DocumentedModelClient extends ModelClient {
  readonly #usage: Usage;
  readonly #documents: { indexes: Indexes; answers: Answers };

  constructor(engine: Engine, models: Models, usage: Usage, documents: { indexes: Indexes; answers: Answers }) {
    super(engine, models, usage);
    this.#usage = usage;
    this.#documents = documents;
  }

  override async *generate(name: string, request: ModelRequest<Generation>, callContext: CallContext): Pieces {
    const model = await this.find(name, 'generate', callContext.accountId);
    // The counted outcome applies to the generation only; the search uses the same context for the embedder.
    const known = { ...callContext, model };
    const index = await this.#indexOf(model, request, callContext);
    if (!index) return yield* super.generate(name, request, known);
    const begun = super.generate(name, { ...request, defer: true }, known);
    const first = await begun.next();
    const memory = first.done ? first.value.memory : undefined;
    if (!memory?.deferred) return yield* continuedFrom(begun, first);
    return (
      (yield* this.#fromDocuments(index, name, request, memory, callContext)) ??
      (yield* super.generate(name, { ...request, searched: true }, known))
    );
  }

  /** The index of the request, else of the model if it is ready and belongs to the caller. Only tuned models have one. */
  async #indexOf({ tunedOn, policy }: Model, { index }: ModelRequest<Generation>, { accountId }: CallContext) {
    if (index === '' || tunedOn === undefined) return undefined;
    if (index !== undefined) return await this.#documents.indexes.byModel(accountId, `index/${index}`);
    const id = policy?.index_id;
    return typeof id === 'number' ? await this.#documents.indexes.readyOne(accountId, id) : undefined;
  }

  /** Undefined if the documents hold nothing about the question. */
  async *#fromDocuments(
    index: OwnIndex,
    name: string,
    request: ModelRequest<Generation>,
    memory: Memory,
    callContext: CallContext,
  ): AsyncGenerator<Delta, DocumentedEnd | undefined> {
    const turn = turnOf(request);
    const question = {
      ...askedOf(turn, memory),
      model: name,
      around: turn.around + Buffer.byteLength(memory.lines ?? ''),
      maxTokens: request.max_tokens ?? 0,
      shaped: Boolean(request.output_type ?? request.json_schema),
    };
    const begin = async (grounds: Grounds) => {
      const text = memory.lines ? `${memory.lines}\n${grounds.turn}` : grounds.turn;
      const read = { ...turn.with(text), room: grounds.room, answer_from: 'all' as const };
      const pieces = super.generate(name, { ...request, ...read }, { ...callContext, outcome: 'documents' });
      return { pieces, first: await pieces.next() };
    };
    const { grounds, value } = await this.#documents.answers.whileItFits(index, question, callContext, begin);
    if (grounds.kind === 'none') return undefined;
    const { citations, retrieval, kind: answer_kind } = grounds;
    const documents = { citations, retrieval, answer_kind };
    const record = recordOf(memory, grounds, index);
    const { before, after } = aroundOf(turn.question, memory);
    if (value) {
      if (before) yield { type: 'delta', id: '', text: before };
      const end = yield* continuedFrom(value.pieces, value.first);
      if (after) yield { type: 'delta', id: '', text: after };
      const prompt = end.memory?.prompt;
      const text = before + end.text + after;
      return { ...end, text, memory: { ...record, ...(prompt && { prompt }) }, documents };
    }
    const text = before + (grounds.said ?? '') + after;
    yield { type: 'delta', id: '', text };
    this.#usage.noteOutcome('documents');
    const usage = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };
    return { type: 'end', id: '', finish_reason: 'stop', text, usage, memory: record, documents };
  }
}

const recordOf = ({ facts, partial }: Memory, { kind, citations }: Grounds, { id }: OwnIndex) => ({
  ...{ used: Boolean(partial), outcome: 'documents' as const, way: kind, facts, citations, index_id: id },
  reason: partial
    ? 'facts answer a part of this, and passages of the index the rest'
    : 'no fact answers this, and passages of the index do',
});

/** The part of a message that no fact answers, and its place in the message; undefined if that is the whole message. */
function openPart(question: string, { missing }: Memory) {
  const [part] = missing ?? [];
  return part === undefined ? undefined : { part, at: question.toLowerCase().indexOf(part.toLowerCase()) };
}

/** The question for the documents: the whole message, or its part that no fact answers, after the part that one does. */
function askedOf({ question, earlier }: { question: string; earlier: string[] }, memory: Memory) {
  const open = openPart(question, memory);
  if (!open) return { text: question, earlier };
  const { part, at } = open;
  const other = at < 0 ? question : `${question.slice(0, at)} ${question.slice(at + part.length)}`;
  return { text: part, earlier: [...earlier, other.replace(/^\W*(?:and\s)?|[\s,;]+(?:and)?[\s?]*$/gi, '')] };
}

/** The answer of facts to a part of the message, before or after that of the documents, as the parts were asked. */
function aroundOf(question: string, memory: Memory): { before: string; after: string } {
  if (!memory.partial) return { before: '', after: '' };
  const isFirst = openPart(question, memory)?.at === 0;
  return isFirst
    ? { before: '', after: ` ${memory.partial}` }
    : { before: `${memory.partial.replace(/\.$/, '')}. `, after: '' };
}

/** The question of a request, and a function that replaces it in the request. */
function turnOf({ messages, prompt }: ModelRequest<Generation>) {
  if (!messages) {
    const turn = userTurn(prompt ?? '');
    const replaced = (text: string) =>
      turn.templated
        ? { prompt: turn.with(text) }
        : { prompt: undefined, messages: [{ role: 'user' as const, content: text }] };
    const { question, earlier } = turn;
    return { question, earlier, around: Buffer.byteLength(prompt ?? ''), with: replaced };
  }
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const around = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const { text: question, earlier } = lastQuestion(messages);
  return {
    ...{ question, earlier, around },
    with: (content: string) => ({ messages: messages.with(last, { role: 'user', content }) }),
  };
}

async function* continuedFrom(pieces: Pieces, first: IteratorResult<Delta, DocumentedEnd>): Pieces {
  try {
    let step = first;
    for (; !step.done; step = await pieces.next()) yield step.value;
    return step.value;
  } finally {
    // If the caller leaves, the generation is cancelled.
    await pieces.return(undefined as never);
  }
}
