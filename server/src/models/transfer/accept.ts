// Validates an imported tuned model with the engine: returns the base that it was tuned on, or the reason of the refusal.
import { precisions, Refusal } from '@lorekeep/contract';
import type { EngineCommands } from '../../engine/command.ts';
import type { Model } from '../models.ts';
import { stripControls } from './untar.ts';

/** A missing base is reported by name and precision, with the folders of local bases on which the model's experts could act. */
interface MissingBase {
  base: null;
  named: string;
  precision: unknown;
  alike: string[];
}

type AcceptanceResult = { base: string } | MissingBase | { refused: string };

export class Acceptance {
  readonly #commands: EngineCommands;
  /** Runs one at a time, since each reads a whole model. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(commands: EngineCommands) {
    this.#commands = commands;
  }

  /** The name of its base among the installed models, written into the folder. */
  async accept(folder: string, models: Model[], signal: AbortSignal): Promise<string> {
    const bases = models.filter(({ kind, tunedOn }) => kind === 'transformer' && tunedOn === undefined);
    const words = ['import', folder, ...bases.flatMap((base) => ['--base', base.folder])];
    const turn = this.#last.then(async () => await this.#commands.run(words, signal));
    this.#last = turn.catch(() => {});
    const result = JSON.parse(await turn) as AcceptanceResult;
    if ('refused' in result) throw new Refusal('import_invalid', { reason: result.refused });
    if (result.base === null) throw missing(result, bases);
    return bases.find((base) => base.folder === result.base)!.name;
  }
}

function missing({ named, precision, alike }: MissingBase, bases: Model[]): Refusal {
  const name = stripControls(named);
  const known = precisions.find((one) => one === precision);
  const base = known === undefined || known === 'none' ? name : `${name} in ${known}`;
  const other = bases.find(({ folder }) => alike.includes(folder));
  if (other === undefined) return new Refusal('import_base_missing', { base });
  return new Refusal('import_base_differs', { base, other: other.name, precision: known ?? 'none' });
}
