// What OpenAI's clients call, below /inf.
import { stat } from 'node:fs/promises';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Asker, type Asking, usualPatience } from '../completions/asking.ts';
import { base64Rows, rowsOf } from '../completions/vectors.ts';
import type { Documents } from '../documents/documents.ts';
import type { OwnIndex } from '../documents/indexes.ts';
import { untilGone } from '../http/gone.ts';
import { serve } from '../http/serve.ts';
import type { Caller } from '../keys/caller.ts';
import type { Model, Models } from '../models/models.ts';
import { chatAnswer, chatEvents } from './chat.ts';
import { sendEvents } from './events.ts';
import { indexAnswer, indexEvents, indexPrefix } from './index-chat.ts';
import { textAnswer, textEvents } from './text.ts';

export function openaiRoutes(
  app: FastifyInstance,
  asking: Asking,
  models: Models,
  { indexes, answers }: Pick<Documents, 'indexes' | 'answers'>,
): void {
  serve(app, contract.chat, async ({ caller, body, request, reply }) => {
    const asker = askerOf(caller, reply);
    if (body.model.startsWith(indexPrefix)) {
      const index = await indexes.byModel(caller.account.id, body.model);
      return body.stream
        ? await sendEvents(request, reply, indexEvents({ asking, answers, index }, body, asker))
        : await indexAnswer({ asking, answers, index }, body, asker);
    }
    return body.stream
      ? await sendEvents(request, reply, chatEvents(asking, body, asker))
      : await chatAnswer(asking, body, asker);
  });

  serve(app, contract.completeText, async ({ caller, body, request, reply }) => {
    if (body.model.startsWith(indexPrefix)) throw new contract.Refusal('index_answers_chats', { name: body.model });
    const asker = askerOf(caller, reply);
    return body.stream
      ? await sendEvents(request, reply, textEvents(asking, body, asker))
      : await textAnswer(asking, body, asker);
  });

  serve(app, contract.embedTexts, async ({ caller, body, reply }) => {
    const texts = Array.isArray(body.input) ? body.input : [body.input];
    const vectors = await asking.embed(body.model, { texts, too_long: 'refuse' }, askerOf(caller, reply));
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

  const one = async (caller: Caller, name: string) =>
    name.startsWith(indexPrefix)
      ? shownIndex(await indexes.byModel(caller.account.id, name))
      : await shown(await models.find(name, caller.account.id));

  serve(app, contract.listModels, async ({ caller }) => ({
    object: 'list' as const,
    data: [
      ...(await Promise.all((await models.list(caller.account.id)).map(shown))),
      ...(await indexes.ready(caller.account.id)).map(shownIndex),
    ],
  }));
  serve(app, contract.showModel, async ({ caller, params }) => await one(caller, params.model));
  serve(
    app,
    contract.showModelByParts,
    async ({ caller, params }) => await one(caller, `${params.organisation}/${params.model}`),
  );
}

/** Without a deadline: these clients wait for as long as they were told to, and go away when they were not. */
function askerOf(caller: Caller, reply: FastifyReply): Asker {
  return { accountId: caller.account.id, keyId: caller.key.id, signal: untilGone(reply), patience: usualPatience };
}

async function shown({ name, folder }: Model) {
  const created = await stat(folder).then(
    ({ mtimeMs }) => Math.floor(mtimeMs / 1000),
    () => 0,
  );
  return {
    id: name,
    object: 'model' as const,
    created,
    owned_by: name.includes('/') ? name.split('/', 1)[0]! : 'local',
  };
}

const shownIndex = ({ id, name, created_at }: OwnIndex) => ({
  id: `${indexPrefix}${name ?? id}`,
  object: 'model' as const,
  created: Math.floor(created_at / 1000),
  owned_by: 'local',
});
