// What the engine says of a tuned model that came from elsewhere: which base it was tuned on, or why it is none.
import { Refusal } from '@lorekeep/contract';
import type { EngineCommands } from '../engine/command.ts';
import type { Model } from './models.ts';

type Said = { base: string } | { base: null; named: string } | { refused: string };

export class Acceptance {
  readonly #commands: EngineCommands;
  /** One at a time: each reads a whole model. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(commands: EngineCommands) {
    this.#commands = commands;
  }

  /** The name of its base among some models; it stands in the folder from then on. */
  async accept(folder: string, models: Model[], signal: AbortSignal): Promise<string> {
    const bases = models.filter(({ kind, tunedOn }) => kind === 'transformer' && tunedOn === undefined);
    const words = ['import', folder, ...bases.flatMap((base) => ['--base', base.folder])];
    const turn = this.#last.then(async () => await this.#commands.run(words, signal));
    this.#last = turn.catch(() => {});
    const said = JSON.parse(await turn) as Said;
    if ('refused' in said) throw new Refusal('import_invalid', { reason: said.refused });
    if (said.base === null) throw new Refusal('import_base_missing', { base: said.named.slice(0, 200) });
    return bases.find((base) => base.folder === said.base)!.name;
  }
}
