// The routes of document indexes: those of the platform's client, and Lorekeep's own.
import { Readable } from 'node:stream';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { UploadLimits } from '../http/form.ts';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import { sendEvents } from '../http/server-sent-events.ts';
import { parsed } from '../http/validate.ts';
import { warn } from '../http/warn.ts';
import { outputOf } from '../inference/generation-request.ts';
import { type CallContext, defaultTimeoutMs, type ModelClient } from '../inference/model-client.ts';
import type { Store } from '../store/database.ts';
import { type Answers, type Grounds, refuseUnready } from './answers/answers.ts';
import { eventsOf } from './events.ts';
import type { IndexFiles } from './files.ts';
import type { Indexes } from './indexes.ts';
import { receiveDocuments } from './receive.ts';
import type { Search } from './search/search.ts';
import type { StorageQuota } from './storage-quota.ts';
import type { Suggestions } from './suggestions/suggestions.ts';

/** The platform's clients stop waiting after 90 seconds. */
const timeoutSeconds = 85;
const defaultLimit = 10;

export interface DocumentParts {
  store: Store;
  blobs: Blobs;
  modelClient: ModelClient;
  indexes: Indexes;
  files: IndexFiles;
  quota: StorageQuota;
  search: Search;
  answers: Answers;
  suggestions: Suggestions;
  limits: UploadLimits;
}

export function documentRoutes(app: FastifyInstance, parts: DocumentParts): void {
  const { store, blobs, modelClient, indexes, files, quota, search, answers, suggestions, limits } = parts;

  serve(app, contract.buildIndex, async ({ caller, request }) => {
    const left = await quota.left(caller);
    const id = await receiveDocuments(request.raw, blobs, limits, left, async ({ fields, files, metadata }) => {
      const { model_name, name } = checked(buildFields, fields);
      await modelClient.find(model_name, 'generate', caller.account.id);
      return await indexes.create(caller, { model: model_name, name, files, metadata });
    });
    return { job_id: id, status: 'CREATED' as const };
  });

  serve(app, contract.indexStatus, async ({ caller, body }) => await indexes.show(caller, body.job_id));
  serve(app, contract.indexStatusByQuery, async ({ caller, query }) => await indexes.show(caller, query.job_id));

  serve(app, contract.askIndex, async ({ caller, body, request, reply }) => {
    const index = await indexes.own(caller, body.job_id);
    refuseUnready(index);
    if (body.model_name) await modelClient.find(body.model_name, 'generate', caller.account.id);
    const callContext = callContextOf(caller, reply, body.stream ? undefined : timeoutSeconds);
    const pieces = answers.answer(
      index,
      { ...body, stream: body.stream ?? false, model: body.model_name, size: body.rag_query_size },
      callContext,
    );
    if (body.stream) return await sendEvents(request, reply, answerEvents(pieces, body, callContext), bodyOf);
    // The grounds arrive first and complete the answer.
    const answer = { outputs: [], finish_reason: [] } as unknown as contract.AnswerOf<typeof contract.askIndex>;
    for await (const { grounds, end } of pieces) {
      if (grounds) Object.assign(answer, groundsFields(grounds));
      if (!end) continue;
      if (end.finish_reason === 'cancelled') callContext.signal.throwIfAborted();
      answer.outputs.push(outputOf(end, body));
      answer.finish_reason.push(end.finish_reason === 'length' ? 'length' : 'stop');
    }
    return answer;
  });

  serve(app, contract.addText, async ({ caller, body, reply }) => {
    const { id } = await indexes.own(caller, body.job_id);
    const bytes = Buffer.from(body.prompt);
    const left = await quota.left(caller);
    if (bytes.length > left.bytes) throw left.full();
    const draft = await blobs.draft('documents');
    let added: { ids: number[] };
    try {
      await draft.write(bytes);
      await draft.keep();
      const { createHash } = await import('node:crypto');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      // Long enough that no other text has the name, which it would replace.
      const name = `text ${sha256.slice(0, 16)}.txt`;
      added = await files.add(caller, id, {
        files: [{ name, sha256, bytes: bytes.length, draft }],
        metadata: {},
      });
    } catch (error) {
      await draft.discard();
      throw error;
    }
    for (const file of added.ids) {
      const { state, reason, through } = await files.untilRead(caller, id, file);
      if (!through) warn(reply, [`The text is stored, but cannot be found yet: index ${id} is still at work.`]);
      if (state !== 'failed') continue;
      await files.delete(caller, id, file);
      throw new contract.Refusal('text_not_added', { id, reason: reason ?? 'it could not be read' });
    }
    return { job_id: id, status: 'success' as const };
  });

  serve(app, contract.suggest, async ({ caller, body, reply }) => {
    const index = await indexes.own(caller, body.job_id);
    const found = await suggestions.suggest(index, callContextOf(caller, reply, timeoutSeconds));
    return found.map(({ question, answer }, at) => ({
      [`Question ${at + 1}`]: question,
      [`Answer ${at + 1}`]: answer,
    }));
  });

  serve(app, contract.indexLog, async ({ caller, params }) => await indexes.log(caller, params.id));

  serve(app, contract.createIndex, async ({ caller, body }) => {
    await modelClient.find(body.model_name, 'generate', caller.account.id);
    const id = await indexes.create(caller, { model: body.model_name, name: body.name, files: [], metadata: {} });
    return await indexes.show(caller, id);
  });
  serve(app, contract.listIndexes, async ({ caller, query }) => await indexes.list(caller, query.limit, query.after));
  serve(app, contract.showIndex, async ({ caller, params }) => await indexes.show(caller, params.id));
  serve(
    app,
    contract.renameIndex,
    async ({ caller, params, body }) => await indexes.rename(caller, params.id, body.name),
  );
  serve(app, contract.cancelIndex, async ({ caller, params, reply }) => {
    const { index, stopped } = await indexes.cancel(caller, params.id);
    if (!stopped) warn(reply, [`The work on index ${params.id} has not stopped yet; it is being cancelled.`]);
    return index;
  });
  serve(app, contract.deleteIndex, async ({ caller, params, reply }) => {
    if (!(await indexes.delete(caller, params.id))) warn(reply, [deletionPending(`index ${params.id}`)]);
    return { deleted: params.id };
  });

  serve(app, contract.addFiles, async ({ caller, params, request }) => {
    await indexes.own(caller, params.id);
    const left = await quota.left(caller);
    const { ids, ...known } = await receiveDocuments(request.raw, blobs, limits, left, async (received) => {
      checked(addFields, received.fields);
      return await files.add(caller, params.id, received);
    });
    return { files: await files.showAll(caller, params.id, ids), ...known };
  });
  serve(
    app,
    contract.listFiles,
    async ({ caller, params, query }) => await files.list(caller, params.id, query.limit, query.after),
  );
  serve(
    app,
    contract.listPassages,
    async ({ caller, params, query }) => await files.passages(caller, params.id, params.file, query.from, query.limit),
  );
  serve(app, contract.showFile, async ({ caller, params }) => await files.show(caller, params.id, params.file));
  serve(
    app,
    contract.changeFile,
    async ({ caller, params, body }) => await files.change(caller, params.id, params.file, body.metadata),
  );
  serve(app, contract.deleteFile, async ({ caller, params, reply }) => {
    const gone = await files.delete(caller, params.id, params.file);
    if (!gone) warn(reply, [deletionPending(`file ${params.file} of index ${params.id}`)]);
    return { deleted: params.file };
  });
  serve(app, contract.downloadFile, async ({ caller, params, reply }) => {
    const { name, bytes, content } = await files.download(caller, params.id, params.file);
    reply.header('content-disposition', attachmentOf(name));
    // A browser must not render a document as a page of this server (XSS).
    reply.header('x-content-type-options', 'nosniff');
    reply.header('content-length', bytes);
    return content;
  });

  serve(app, contract.searchIndex, async ({ caller, params, body, reply }) => {
    const index = await indexes.own(caller, params.id);
    refuseUnready(index);
    const limit = body.limit ?? defaultLimit;
    const found = await search.search(
      index,
      { ...body, text: body.query, limit },
      callContextOf(caller, reply, timeoutSeconds),
    );
    return {
      passages: found.passages.map(({ context, header, ...citation }) => citation),
      retrieval: {
        question: body.query,
        found: found.relevant,
        asked: limit,
        used: found.passages.length,
        reason: found.passages.length < limit ? 'no more were found' : null,
        best: found.best,
        threshold: found.threshold,
      },
    };
  });

  serve(app, contract.followIndex, async ({ caller, params, query, request, reply }) => {
    const { id } = await indexes.own(caller, params.id);
    const header = request.headers['last-event-id'];
    const after = query.after ?? (typeof header === 'string' && /^[0-9]{1,15}$/.test(header) ? Number(header) : 0);
    reply.header('x-accel-buffering', 'no');
    return Readable.from(eventsOf(store, id, after, requestSignal(reply)), { objectMode: false });
  });
}

/** The header that names a download, without the folders of the name. */
function attachmentOf(name: string): string {
  const base = name.split('/').at(-1)!;
  const plain = base.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(base)}`;
}

const deletionPending = (what: string) =>
  `The ${what} is no longer visible, but not removed from the disk yet: the server is still removing it.`;

const buildFields = contract.buildIndex.body!.omit({ files: true, metadata: true });
const addFields = contract.addFiles.body!.omit({ files: true, metadata: true });

function checked<Shape extends typeof buildFields | typeof addFields>(
  shape: Shape,
  { metadata: _, ...fields }: Record<string, string>,
): Shape['_output'] {
  return parsed(shape, fields) as Shape['_output'];
}

function callContextOf(caller: Caller, reply: FastifyReply, within: number | undefined): CallContext {
  return {
    accountId: caller.account.id,
    keyId: caller.key.id,
    signal: requestSignal(reply, within),
    timeoutMs: defaultTimeoutMs,
  };
}

const groundsFields = ({ citations, retrieval, kind: answer_kind }: Grounds) => ({ citations, retrieval, answer_kind });

const bodyOf = (refusal: contract.Refusal) => refusal.body();

async function* answerEvents(
  pieces: ReturnType<Answers['answer']>,
  body: Parameters<typeof outputOf>[1],
  { signal }: CallContext,
) {
  for await (const { grounds, delta, end } of pieces) {
    if (grounds) yield groundsFields(grounds);
    if (delta && !body.output_type) yield { delta: delta.text };
    if (end?.finish_reason === 'cancelled') signal.throwIfAborted();
    else if (end) yield { output: outputOf(end, body), finish_reason: end.finish_reason };
  }
}
