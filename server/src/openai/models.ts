// All models that can be asked, including document indexes, in OpenAI's format.
import { stat } from 'node:fs/promises';
import type { AnswerOf, showModel } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import type { Documents } from '../documents/documents.ts';
import type { OwnIndex } from '../documents/rows.ts';
import type { Model, Models } from '../models/models.ts';
import { indexPrefix } from './index-chat.ts';

type OpenaiModel = AnswerOf<typeof showModel>;

export class AskableModels {
  readonly #models: Models;
  readonly #indexes: Documents['indexes'];

  constructor(models: Models, { indexes }: Pick<Documents, 'indexes'>) {
    this.#models = models;
    this.#indexes = indexes;
  }

  async list({ account: { id } }: Caller): Promise<{ object: 'list'; data: OpenaiModel[] }> {
    const models = await Promise.all((await this.#models.list(id)).map(toOpenaiModel));
    return { object: 'list', data: [...models, ...(await this.#indexes.ready(id)).map(shownIndex)] };
  }

  async show({ account: { id } }: Caller, name: string): Promise<OpenaiModel> {
    return name.startsWith(indexPrefix)
      ? shownIndex(await this.#indexes.byModel(id, name))
      : await toOpenaiModel(await this.#models.find(name, id));
  }
}

async function toOpenaiModel({ name, folder, upstream }: Model): Promise<OpenaiModel> {
  const created = await stat(folder).then(
    ({ mtimeMs }) => Math.floor(mtimeMs / 1000),
    () => 0,
  );
  return {
    id: name,
    object: 'model',
    created,
    owned_by: upstream ? 'upstream' : name.includes('/') ? name.split('/', 1)[0]! : 'local',
  };
}

const shownIndex = ({ id, name, created_at }: OwnIndex): OpenaiModel => ({
  id: `${indexPrefix}${name ?? id}`,
  object: 'model',
  created: Math.floor(created_at / 1000),
  owned_by: 'local',
});
