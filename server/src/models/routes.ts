// The routes of models and their downloads.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import type { Downloads } from './downloads/downloads.ts';
import { listKnownModels } from './known-models.ts';

export function modelRoutes(app: FastifyInstance, downloads: Downloads, gpus: () => number | undefined): void {
  serve(app, contract.listKnownModels, async ({ caller }) => listKnownModels(await downloads.list(caller), gpus()));

  serve(app, contract.listDownloadedModels, async ({ caller }) => await downloads.list(caller));

  serve(
    app,
    contract.downloadModel,
    async ({ caller, body }) =>
      await downloads.request(caller, {
        name: body.hf_model_name,
        modelType: body.model_type ?? null,
        // Some clients send an empty token instead of none.
        token: body.private_hf_token || undefined,
        isPublic: body.is_public,
        precision: body.precision,
      }),
  );

  const remove = async (name: string) => {
    await downloads.remove(name);
    return { deleted: name };
  };
  const joined = ({ organisation, model }: { organisation: string; model: string }) => `${organisation}/${model}`;

  serve(app, contract.showDownloadedModel, async ({ caller, params }) => await downloads.show(caller, params.model));
  serve(
    app,
    contract.showDownloadedModelByParts,
    async ({ caller, params }) => await downloads.show(caller, joined(params)),
  );
  serve(app, contract.deleteDownloadedModel, async ({ params }) => await remove(params.model));
  serve(app, contract.deleteDownloadedModelByParts, async ({ params }) => await remove(joined(params)));
}
