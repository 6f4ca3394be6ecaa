// The routes of runs: batches, polled streams, batches of embeddings.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import type { ModelClient } from '../inference/model-client.ts';
import { float32Row } from '../inference/vectors.ts';
import { defaultEmbedder } from '../models/models.ts';
import type { RunRequest, Runs } from './runs.ts';

export function runRoutes(app: FastifyInstance, runs: Runs, modelClient: ModelClient): void {
  // A model that cannot be used is refused before the run is queued.
  serve(app, contract.startBatch, async ({ caller, body }) => {
    await modelClient.find(body.model_name, 'generate', caller.account.id);
    return await runs.start(caller, 'batch', body.model_name, requestOf(body));
  });
  serve(app, contract.startStream, async ({ caller, body }) => {
    await modelClient.find(body.model_name, 'generate', caller.account.id);
    return await runs.start(caller, 'stream', body.model_name, requestOf(body));
  });
  serve(app, contract.startEmbeddings, async ({ caller, body }) => {
    const model = body.model_name ?? defaultEmbedder;
    // The folder of the default embedder is known once the engine has started; the run waits for that.
    if (model !== defaultEmbedder) await modelClient.find(model, 'embed', caller.account.id);
    return await runs.start(caller, 'embeddings', model, { prompts: listOf(body.prompt) });
  });

  serve(app, contract.showBatch, async ({ caller, params }) => await runs.batchResults(caller, params.id));
  serve(app, contract.showStream, async ({ caller, params }) => await runs.streamResults(caller, params.id));
  serve(app, contract.showEmbeddings, async ({ caller, params }) => {
    const vectors = await runs.embeddingResults(caller, params.id);
    return vectors ? { embedding: vectors.map((text) => [...float32Row(Buffer.from(text, 'base64'))]) } : {};
  });

  serve(app, contract.listRuns, async ({ caller, query }) => await runs.list(caller, query.limit, query.after));
  serve(app, contract.showRun, async ({ caller, params }) => await runs.show(caller, params.id));
  serve(app, contract.deleteRun, async ({ caller, params }) => {
    await runs.delete(caller, params.id);
    return { deleted: params.id };
  });
}

const listOf = (prompt: string | string[]) => (Array.isArray(prompt) ? prompt : [prompt]);

/** All options of the call, since the engine is called later. */
function requestOf({ prompt, model_name: _, ...options }: contract.CompletionBody): RunRequest {
  return { prompts: listOf(prompt), ...options };
}
