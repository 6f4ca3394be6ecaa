// The routes of tuned models.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import type { Models } from './models.ts';
import type { ModelExports } from './transfer/export.ts';
import type { ModelImports } from './transfer/import.ts';
import type { TunedModels } from './tuned.ts';
import { pageOfFacts } from './tuned-facts.ts';
import type { TunedFolders } from './tuned-folders.ts';

export interface TunedModelParts {
  tuned: TunedModels;
  models: Models;
  /** All models that can be asked, in OpenAI's format. */
  askable: {
    list(caller: Caller): Promise<{ object: 'list'; data: contract.AnswerOf<typeof contract.showModel>[] }>;
    show(caller: Caller, name: string): Promise<contract.AnswerOf<typeof contract.showModel>>;
  };
  folders: TunedFolders;
  exports: ModelExports;
  imports: ModelImports;
  engine: Pick<Engine, 'unready' | 'unload'>;
  /** ID of an index of the caller; null for an empty text. */
  indexId(caller: Caller, index: string | number): Promise<number | null>;
  forget(
    caller: Caller,
    model: string,
    inputs: string[],
    alias: string | undefined,
  ): Promise<contract.AnswerOf<typeof contract.forgetFacts>>;
  move(
    caller: Caller,
    model: string,
    body: contract.BodyOf<typeof contract.moveTunedModel>,
    signal: AbortSignal,
  ): Promise<contract.AnswerOf<typeof contract.moveTunedModel>>;
}

export function tunedModelRoutes(
  app: FastifyInstance,
  { tuned, models, askable, folders, exports, imports, engine, indexId, forget, move }: TunedModelParts,
): void {
  const tunedName = tunedNames(tuned, askable);
  serve(app, contract.listTunedModels, async ({ caller, query }) => ({
    ...(await tuned.list(caller, query.limit, query.after)),
    ...(query.after === undefined ? await askable.list(caller) : { object: 'list' as const, data: [] }),
  }));
  serve(app, contract.showTunedModel, async ({ caller, params: { model } }) => {
    const askableModel = await askable.show(caller, model);
    return (await tuned.find(model, caller.account.id))
      ? { ...(await tuned.show(caller, model)), ...askableModel }
      : askableModel;
  });
  serve(app, contract.listModelFacts, async ({ caller, params, query }) => {
    const { name } = await tuned.visibleTo(caller, await tunedName(caller, params.model));
    return await pageOfFacts(folders, name, query.limit, query.after);
  });
  transferRoutes(app, { tuned, models, folders, exports, imports }, tunedName);
  serve(app, contract.changeTunedModel, async ({ caller, params, body }) => {
    const { custom_model_name: alias, is_public: isPublic, index, ...set } = body;
    if (alias !== undefined && (await models.isReserved(alias)))
      throw new contract.Refusal('name_taken', { name: alias });
    const policy = { ...set, ...(index !== undefined && { index_id: await indexId(caller, index) }) };
    return await tuned.change(caller, await tunedName(caller, params.model), { alias, isPublic, policy });
  });
  serve(app, contract.deleteTunedModel, async ({ caller, params: { model } }) => {
    const model_name = await tuned.delete(caller, await tunedName(caller, model), engine);
    return { id: model, object: 'model' as const, deleted: true as const, model_name };
  });
  serve(
    app,
    contract.forgetFacts,
    async ({ caller, params, body }) =>
      await forget(caller, await tunedName(caller, params.model), body.inputs, body.custom_model_name),
  );
  serve(
    app,
    contract.moveTunedModel,
    async ({ caller, params, body, reply }) =>
      await move(caller, await tunedName(caller, params.model), body, requestSignal(reply)),
  );
}

function transferRoutes(
  app: FastifyInstance,
  {
    tuned,
    models,
    folders,
    exports,
    imports,
  }: Pick<TunedModelParts, 'tuned' | 'models' | 'folders' | 'exports' | 'imports'>,
  tunedName: ReturnType<typeof tunedNames>,
): void {
  serve(app, contract.exportTunedModel, async ({ caller, params, query, reply }) => {
    const model = await tuned.visibleTo(caller, await tunedName(caller, params.model));
    const { format, with_base } = query;
    const file =
      format === 'folder' && with_base !== 'true'
        ? await exports.whole(await folders.model(model.name), model)
        : await exports.adapters(
            await models.find(model.name, caller.account.id),
            model,
            { format, withBase: with_base === 'true' },
            requestSignal(reply),
          );
    await tuned.recordExport(model, query.format);
    reply.header('content-disposition', `attachment; filename="${model.name}.tar"`);
    return file;
  });
  serve(
    app,
    contract.importTunedModel,
    async ({ caller, request, reply }) => await imports.import(caller, request.raw, requestSignal(reply)),
  );
}

/** Checks the name of a tuned model. One that can be asked and is none is refused as such. */
const tunedNames =
  (tuned: TunedModels, askable: TunedModelParts['askable']) =>
  async (caller: Caller, name: string): Promise<string> => {
    if (!(await tuned.find(name, caller.account.id)) && (await askable.show(caller, name).catch(() => undefined)))
      throw new contract.Refusal('model_not_tuned', { name });
    return name;
  };
