// Routes for OpenAI's clients, below /inf and below /v1.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { Documents } from '../documents/documents.ts';
import { requestSignal } from '../http/request-signal.ts';
import { type Handler, serve } from '../http/serve.ts';
import { sendEvents } from '../http/server-sent-events.ts';
import { warn } from '../http/warn.ts';
import { type CallContext, defaultTimeoutMs, type ModelClient } from '../inference/model-client.ts';
import { base64Rows, rowsOf } from '../inference/vectors.ts';
import { chatAnswer, chatEvents } from './chat.ts';
import { type DecisionKeeper, forKeeping, keepDecision, keptEvents } from './decisions.ts';
import { indexAnswer, indexEvents, indexPrefix } from './index-chat.ts';
import type { AskableModels } from './models.ts';
import { textAnswer, textEvents } from './text.ts';

export function openaiRoutes(
  app: FastifyInstance,
  modelClient: ModelClient,
  models: AskableModels,
  { indexes, answers }: Pick<Documents, 'indexes' | 'answers'>,
  keeper: DecisionKeeper,
): void {
  for (const route of [contract.chat, contract.chatInV1])
    serve(app, route, async ({ caller, body, request, reply }) => {
      const callContext = callContextOf(caller, reply);
      warnOfIgnored(reply, body);
      if (body.model.startsWith(indexPrefix)) {
        const index = await indexes.byModel(caller.account.id, body.model);
        return body.stream
          ? await sendEvents(request, reply, indexEvents({ modelClient, answers, index }, body, callContext))
          : await indexAnswer({ modelClient, answers, index }, body, callContext);
      }
      const of = await forKeeping(keeper, caller.account.id, body);
      return body.stream
        ? await sendEvents(request, reply, keptEvents(of, chatEvents(modelClient, of.asked, callContext)))
        : await keepDecision(of, await chatAnswer(modelClient, of.asked, callContext));
    });

  serve(app, contract.completeText, completeText(modelClient, keeper));

  for (const route of [contract.embedTexts, contract.embedTextsInV1])
    serve(app, route, async ({ caller, body, reply }) => {
      const texts = Array.isArray(body.input) ? body.input : [body.input];
      const empty = texts.indexOf('');
      if (empty >= 0)
        throw new contract.Refusal('prompt_empty', { which: texts.length > 1 ? ` number ${empty + 1}` : '' });
      const vectors = await modelClient.embed(body.model, { texts, too_long: 'refuse' }, callContextOf(caller, reply));
      if (body.dimensions !== undefined && body.dimensions !== vectors.dimensions)
        throw new contract.Refusal('dimensions_fixed', { name: body.model, dimensions: vectors.dimensions });
      const rows =
        body.encoding_format === 'base64' ? base64Rows(vectors).map((row) => row.toString('base64')) : rowsOf(vectors);
      return {
        object: 'list' as const,
        model: body.model,
        data: rows.map((embedding, index) => ({ object: 'embedding' as const, index, embedding })),
        usage: { prompt_tokens: vectors.tokens, total_tokens: vectors.tokens },
      };
    });

  serve(app, contract.listModels, async ({ caller }) => await models.list(caller));
  serve(app, contract.showModel, async ({ caller, params }) => await models.show(caller, params.model));
  for (const route of [contract.showModelByParts, contract.showModelByPartsInV1])
    serve(
      app,
      route,
      async ({ caller, params }) => await models.show(caller, `${params.organisation}/${params.model}`),
    );
}

/** Completes a text, at /inf/completions and at /v1/completions. */
export function completeText(modelClient: ModelClient, keeper: DecisionKeeper): Handler<typeof contract.completeText> {
  return async ({ caller, body, request, reply }) => {
    if (body.model.startsWith(indexPrefix)) throw new contract.Refusal('index_answers_chats', { name: body.model });
    const callContext = callContextOf(caller, reply);
    warnOfIgnored(reply, body);
    const of = await forKeeping(keeper, caller.account.id, body);
    return body.stream
      ? await sendEvents(request, reply, keptEvents(of, textEvents(modelClient, of.asked, callContext)))
      : await keepDecision(of, await textAnswer(modelClient, of.asked, callContext));
  };
}

function warnOfIgnored(reply: FastifyReply, body: contract.ChatBody | contract.TextBody): void {
  const names = contract.ignoredOf(body);
  if (names.length > 0) warn(reply, [`Not supported, and ignored: ${names.join(', ')}.`]);
}

/** Without a timeout: these clients have one of their own, and disconnect after it. */
function callContextOf(caller: Caller, reply: FastifyReply): CallContext {
  return {
    accountId: caller.account.id,
    keyId: caller.key.id,
    signal: requestSignal(reply),
    timeoutMs: defaultTimeoutMs,
  };
}
