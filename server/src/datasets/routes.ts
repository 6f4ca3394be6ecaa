// The routes of datasets.
import type { IncomingMessage } from 'node:http';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { SpareWorker } from '../cluster/spare-worker.ts';
import type { UploadLimits } from '../http/form.ts';
import type { Metrics } from '../http/metrics.ts';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import { parsed } from '../http/validate.ts';
import { conflictsIn, rewordedIn } from './conflicts.ts';
import type { Datasets } from './datasets.ts';
import { streamRows } from './json-body.ts';
import { JsonRows } from './json-rows.ts';
import { receiveFile } from './receive-file.ts';
import type { FoundRow } from './row.ts';

const basePath = 'local';

interface Dependencies {
  datasets: Datasets;
  metrics: Metrics;
  limits: UploadLimits;
  spare: SpareWorker;
}

export function datasetRoutes(app: FastifyInstance, { datasets, metrics, limits, spare }: Dependencies): void {
  serve(app, contract.showUploadBasePath, async () => ({ upload_base_path: basePath }) as const);

  serve(app, contract.uploadRows, async ({ caller, request }) => {
    const reader = new JsonRows();
    const rows = bodyRows(request.body as unknown as IncomingMessage | undefined, reader, limits);
    const {
      dataset_id,
      dataset_location,
      rows: count,
    } = await datasets.store(caller, rows, ['body', 'data'], () => {
      const { name, is_public } = checkedFields(reader.fields);
      return { name, isPublic: is_public };
    });
    metrics.rowsStored.inc(count);
    return { dataset_id, dataset_location };
  });

  serve(app, contract.locateDataset, async ({ caller, body }) => {
    refuseOtherBase(body.upload_base_path);
    const { dataset_location } = await datasets.show(caller, body.dataset_id);
    return { dataset_location };
  });

  serve(app, contract.uploadFile, async ({ caller, request }) => {
    const stored = await receiveFile(request.raw, limits, (rows, label) =>
      datasets.store(caller, rows, ['body', 'file'], label),
    );
    metrics.rowsStored.inc(stored.rows);
    return stored;
  });

  serve(app, contract.listDatasets, async ({ caller, query }) => await datasets.list(caller, query.limit, query.after));

  serve(app, contract.showDataset, async ({ caller, params }) => ({
    ...(await datasets.show(caller, params.id)),
    first_rows: await datasets.firstRows(caller, params.id, 5),
  }));

  rowRoutes(app, datasets, spare);

  serve(
    app,
    contract.changeDataset,
    async ({ caller, params, body }) =>
      await datasets.change(caller, params.id, { name: body.name, isPublic: body.is_public }),
  );

  serve(app, contract.deleteDataset, async ({ caller, params }) => {
    await datasets.delete(caller, params.id);
    return { deleted: params.id };
  });
}

function rowRoutes(app: FastifyInstance, datasets: Datasets, spare: SpareWorker): void {
  serve(
    app,
    contract.readDatasetRows,
    async ({ caller, params, query }) => await datasets.read(caller, params.id, query.limit),
  );

  serve(app, contract.downloadDataset, async ({ caller, params, reply }) => {
    const { bytes, content } = await datasets.download(caller, params.id);
    reply.header('content-disposition', `attachment; filename="${params.id.slice(0, 16)}.jsonl"`);
    reply.header('content-length', bytes);
    return content;
  });

  serve(app, contract.findDatasetConflicts, async ({ caller, params, query: { limit, reworded }, reply }) => {
    const read = () => datasets.keptRows(caller, params.id);
    const found = await conflictsIn(read, limit);
    if (reworded === 'false') return { ...found, compared: 0, reworded: [] };
    return { ...found, ...(await rewordedIn(read, limit, spare, requestSignal(reply, 300))) };
  });
}

async function* bodyRows(
  body: IncomingMessage | undefined,
  reader: JsonRows,
  limits: UploadLimits,
): AsyncGenerator<FoundRow[]> {
  yield* streamRows(body, reader, limits);
  if (!('data' in reader.fields)) checkedFields(reader.fields);
}

/** Validates the fields besides the rows against the contract, like an ordinary body. */
function checkedFields(fields: Record<string, unknown>): {
  name?: string | undefined;
  is_public?: boolean | undefined;
} {
  const read = parsed(contract.uploadRows.body!.omit({ data: true }), fields);
  refuseOtherBase(read.upload_base_path);
  return read;
}

function refuseOtherBase(path: string | undefined): void {
  if (path !== undefined && path !== basePath)
    throw new contract.Refusal('upload_base_path_unknown', { path: path.slice(0, 100) });
}
