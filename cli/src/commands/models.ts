// lorekeep models: what can be asked, and bringing more from a hub.
import { type DownloadedModel, ModelNotFoundError } from '@lorekeep/client';
import type { Command } from '../command.ts';
import { Interrupted } from '../exit.ts';
import { bar } from '../progress.ts';
import { table } from '../terminal.ts';
import { bytes } from '../words.ts';

export const modelsList: Command = {
  name: 'models list',
  summary: 'the models that can be asked, and those on their way',
  async run(context) {
    const models = await context.client().listDownloadedModels(context);
    const row = (model: DownloadedModel) => [
      model.model_name,
      model.model_type ?? '',
      model.source,
      model.status,
      sizeOf(model),
    ];
    context.show(models, () => table([['NAME', 'TYPE', 'SOURCE', 'STATUS', 'SIZE'], ...models.map(row)]));
  },
};

export const modelsDownload: Command = {
  name: 'models download',
  summary: 'bring a model from the hub, and wait until it is here',
  words: 'NAME',
  options: {
    type: {
      value: 'TYPE',
      choices: ['transformer', 'embedding'],
      about: 'transformer or embedding; told by the model without it',
    },
    detach: { about: 'do not wait' },
  },
  more: 'A token for a private or gated model is taken from HF_TOKEN of the environment. It is kept nowhere.',
  async run(context, given) {
    const name = given.words[0]!;
    const args = {
      hf_model_name: name,
      model_type: given.text('type') as 'transformer' | 'embedding' | undefined,
      private_hf_token: context.environment.HF_TOKEN || undefined,
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
          throw new Interrupted(`The download goes on. How far it is: ${context.program} models download ${name}`);
        throw error;
      }
    }
    context.show(model, () => `${name} is ${model!.status}.`);
  },
};

export const modelsDelete: Command = {
  name: 'models delete',
  summary: 'delete a tuned model; for the operator also a downloaded one, or its download',
  words: 'NAME',
  async run(context, given) {
    const model = given.words[0]!;
    const deleted = await context
      .client()
      .deleteTunedModel({ model }, context)
      .catch((error) => {
        // It is none that was tuned: one that was downloaded, or none at all, which that call says.
        if (error instanceof ModelNotFoundError) return context.client().deleteDownloadedModel({ model }, context);
        throw error;
      });
    context.show(deleted, () => `${deleted.deleted} is deleted.`);
  },
};

function sizeOf({ bytes_done, bytes_total }: DownloadedModel): string {
  if (bytes_total === null) return '';
  return bytes_done === null || bytes_done >= bytes_total
    ? bytes(bytes_total)
    : `${bytes(bytes_done)} of ${bytes(bytes_total)}`;
}
