// lorekeep models: lists models that can be asked, and downloads more from a hub.
import { type DownloadedModel, NotFoundError } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context } from '../command.ts';
import { Interrupted, UsageError } from '../exit.ts';
import { bytes } from '../format.ts';
import { nearest } from '../nearest.ts';
import { bar } from '../progress.ts';
import { table } from '../terminal.ts';

/** Bases and tuned models in one list. A tuned model is listed by its alias, or by its hash if it has none. */
export const modelsList: Command = {
  name: 'models list',
  summary: 'the models: bases, downloads in progress, and tuned models with their base',
  async run(context) {
    const client = context.client();
    const [bases, tuned] = await Promise.all([
      client.listDownloadedModels(context),
      collectItems(client.allTunedModels({ limit: 1000 }, context)),
    ]);
    const models = [
      ...bases.map((model) => ({ name: model.model_name, kind: kindOf(model), base: null, ...model })),
      ...tuned.map((model) => ({
        name: model.custom_model_name ?? model.model_name,
        kind: 'tuned' as const,
        base: model.base_model,
        status: 'available' as const,
        ...model,
      })),
    ];
    const row = (model: (typeof models)[number]) => [
      model.name,
      model.kind ?? '',
      model.base ?? '',
      'precision' in model && model.precision !== 'none' ? (model.precision ?? '') : '',
      'upstream' in model && model.upstream ? 'upstream' : 'here',
      model.status,
      'bytes' in model ? bytes(model.bytes) : sizeOf(model),
    ];
    context.show(models, () =>
      table([['NAME', 'KIND', 'BASE', 'PRECISION', 'COMPUTED', 'STATUS', 'SIZE'], ...models.map(row)]),
    );
  },
};

/** Null until the size is known. */
const kindOf = ({ model_type }: DownloadedModel) => (model_type === 'transformer' ? 'base' : model_type);

export const modelsKnown: Command = {
  name: 'models known',
  summary: 'base models to use instead of the tiny shipped one, and whether they fit the server',
  async run(context) {
    const known = await context.client().listKnownModels(context);
    const billions = (parameters: number) => `${(parameters / 1e9).toFixed(1)} B`;
    context.show(known, () => {
      const rows = known.models.map((model) => [
        model.model_name,
        billions(model.parameters),
        bytes(model.download_bytes),
        bytes(model.memory_bytes),
        model.is_here ? 'here' : fitWords(model),
        model.gated ? `${model.licence}, needs HF_TOKEN` : model.licence,
      ]);
      return `${table([['NAME', 'SIZE', 'DOWNLOAD', 'MEMORY ON A CPU', 'FITS', 'LICENCE'], ...rows])}

The server has ${bytes(known.memory_bytes)} of memory${known.gpus ? ` and ${known.gpus} GPU${known.gpus > 1 ? 's' : ''}` : ''}.
To take one: ${context.program} models download ${known.models[0]!.model_name}
In fewer bits, where a column says so: --precision int8 or int4, or auto`;
    });
  },
};

export const modelsDownload: Command = {
  name: 'models download',
  summary: 'download a model from the hub and wait for it',
  words: 'NAME',
  names: 'known',
  whereToLook: '"models known" lists some that are known to work, and whether they fit.',
  options: {
    type: {
      value: 'TYPE',
      choices: ['transformer', 'embedding'],
      about: 'transformer or embedding; read from the model without it',
    },
    precision: {
      value: 'PRECISION',
      choices: ['none', 'int8', 'int4', 'auto'],
      about: 'keep the weights as they are (none), in 8 or 4 bits, or as the memory of the server allows',
    },
    detach: { about: 'do not wait' },
  },
  more: 'NAME is as on the hub; "models known" lists some that are known to work, and whether they fit the server. A token for a private or gated model is\ntaken from HF_TOKEN of the environment. It is not stored.',
  async run(context, given) {
    const name = given.words[0]!;
    if (!name.includes('/')) throw new UsageError(await hubNameError(context, name));
    const args = {
      hf_model_name: name,
      model_type: given.text('type') as 'transformer' | 'embedding' | undefined,
      private_hf_token: context.environment.HF_TOKEN || undefined,
      precision: given.text('precision') as Precision | undefined,
    };
    let model: DownloadedModel | undefined;
    if (given.is('detach')) model = await context.client().downloadModel(args, context);
    else {
      try {
        for await (model of context.client().modelProgress(args, context)) {
          if (context.json) {
            if (model.status !== 'available') context.show(model, () => '');
            continue;
          }
          const { status, bytes_done, bytes_total } = model;
          context.terminal.draw([
            `${bar(bytes_total ? (bytes_done ?? 0) / bytes_total : 0, 30)} ${status}  ${sizeOf(model)}  ${name}`,
          ]);
        }
      } catch (error) {
        if (context.signal.aborted)
          throw new Interrupted(`The download continues. To follow it: ${context.program} models download ${name}`);
        throw error;
      }
    }
    context.show(model, () => `${name} is ${model!.status}.`);
  },
};

/** Whether a model fits the machine, or the precision in which it would fit. */
const fitWords = ({ fits, auto }: { fits: string | null; auto: string | null }) =>
  fits === null ? 'see your GPU' : fits === 'serve and tune' || !auto || auto === 'none' ? fits : `in ${auto}`;

type Precision = 'none' | 'int8' | 'int4' | 'auto';

/** Error message for a name without a slash, since names on the hub have two parts. */
async function hubNameError(context: Context, name: string): Promise<string> {
  // Checked here, so that a wrong name is reported even without a server.
  const { models } = await context
    .client()
    .listKnownModels(context)
    .catch(() => ({ models: [] }));
  const known = models.map(({ model_name }) => model_name);
  const last = (one: string) => one.split('/').at(-1)!;
  const near = nearest(name, known.map(last));
  const meant = near === undefined ? '' : ` Did you mean "${known.find((one) => last(one) === near)}"?`;
  return `"${name}" is not the name of a model on the hub, which is ORGANISATION/MODEL.${meant} ${context.program} models known lists some.`;
}

export const modelsDelete: Command = {
  name: 'models delete',
  summary: 'delete a tuned model; for the operator also a downloaded one, or its download',
  words: 'NAME',
  names: 'models',
  async run(context, given) {
    const model = given.words[0]!;
    const deleted = await context
      .client()
      .deleteTunedModel({ model }, context)
      .catch((error) => {
        // Not a tuned model: a downloaded one, or none, which the next call reports.
        if (error instanceof NotFoundError) return context.client().deleteDownloadedModel({ model }, context);
        throw error;
      });
    context.show(deleted, () => `${'model_name' in deleted ? deleted.model_name : deleted.deleted} is deleted.`);
  },
};

function sizeOf({ bytes_done, bytes_total }: DownloadedModel): string {
  if (bytes_total === null) return '';
  return bytes_done === null || bytes_done >= bytes_total
    ? bytes(bytes_total)
    : `${bytes(bytes_done)} of ${bytes(bytes_total)}`;
}
