// What is sent to /v1/train becomes a job, or a refusal that leaves nothing behind: everything is checked before there is one. Read top-down, it is
// the way of a request.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { finetuneArgsSchema, type Mistake, Refusal, type TrainBody, trainBody, unknownArgs } from '@lorekeep/contract';
import type { Capacity } from '../cluster/cluster.ts';
import { checkRows, type Datasets } from '../datasets/datasets.ts';
import { arrivingRows } from '../datasets/json-body.ts';
import { JsonRows } from '../datasets/json-rows.ts';
import type { FoundRow, KeptRow } from '../datasets/row.ts';
import type { UploadLimits } from '../datasets/upload.ts';
import { invalid } from '../http/validate.ts';
import type { Caller } from '../keys/caller.ts';
import type { Model, Models } from '../models/models.ts';
import type { Store } from '../store/database.ts';
import { isForeignAlias } from './aliases.ts';
import { contextOf } from './context.ts';
import { Intake, mostTold } from './intake.ts';
import type { JobFolders, SweepOrder } from './job-folders.ts';
import type { Haste, Planner } from './planner.ts';
import { type Preparation, specOf } from './preparation.ts';
import type { JobRequests, NewJob } from './requests.ts';
import { isOfRouter } from './sweeps.ts';
import { refuseTooMany } from './turns.ts';

export interface SubmissionParts {
  store: Store;
  datasets: Datasets;
  models: Models;
  folders: JobFolders;
  requests: JobRequests;
  planner: Planner;
  preparation: Preparation;
  /** What there is, of this server and of others. */
  capacity(): Promise<Capacity[]>;
  uploads: UploadLimits;
  contact: string;
  onNew(): void;
  /** Seconds in which long rows must be counted, waiting included. */
  patience?: number;
}

/** Older clients give up after 90 seconds, and would never hear of what came of their job. */
const usualPatience = 80;

/** What stands beside the rows; a sweep makes no model, and says what it compares. */
type Fields = Omit<TrainBody, 'data'> & { sweep?: SweepOrder };
const fieldsSchema = trainBody.omit({ data: true });
type ReadFields = (given: Record<string, unknown>) => Fields;

/** A request that was read and understood, its facts in a folder of its own. */
export interface Draft {
  name: string;
  fields: Fields;
  intake: Intake;
  base: Model;
  warnings: string[];
}

/** What of a row is taught; a column that happens to be called dataset_id is not. */
const taught = ({ input, output, topic }: KeptRow) => ({ input, output, topic });

const jsonl = /^local\/([0-9a-f]{64})$/;
/** Tokens that a template puts around a question and an answer, generously. */
const templateTokens = 256;
const usualLength = 2048;

export class Submission {
  readonly #parts: SubmissionParts;

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  async submit(
    caller: Caller,
    body: IncomingMessage | undefined,
    signal: AbortSignal,
    read: ReadFields = readTraining,
  ): Promise<{ id: number; datasetId: string; warnings: string[] }> {
    const { folders, datasets, requests, store, contact } = this.#parts;
    const name = randomBytes(32).toString('hex');
    const folder = await folders.create(name);
    const intake = await Intake.into(folder);
    try {
      const { reader, rows, hasRows } = await this.#opened(body);
      let draft: Draft | undefined;
      let id: number | undefined;
      let datasetId: string;
      const approve = async (fields: Record<string, unknown>) => {
        draft = await this.#understood(caller, name, read(fields), intake, hasRows);
        this.#refuseConflicts(draft);
        await intake.close();
        await refuseTooMany(store.db, caller.account.id, caller.account.limits.jobs, contact);
        await this.#refuseLong(draft, signal);
      };
      if (hasRows) {
        const label = () => ({ isPublic: draft!.fields.is_public });
        const stored = await datasets.store(caller, rows, ['body', 'data'], label, {
          row: (number, row) => intake.add(number, taught(row)),
          pause: () => intake.flush(),
          approve: () => approve(reader.fields),
          // A refused job leaves no dataset behind, nor one that was there changed.
          kept: async (change, hash) => {
            id = await requests.add(change, this.#jobOf(caller, draft!, hash));
          },
        });
        datasetId = stored.dataset_id;
      } else {
        datasetId = await this.#named(caller, reader, read(reader.fields), intake);
        await approve(reader.fields);
        id = await requests.create(this.#jobOf(caller, draft!, datasetId));
      }
      this.#parts.onNew();
      return { id: id!, datasetId, warnings: draft!.warnings };
    } catch (error) {
      await intake.abandon();
      await folders.removeJob(name);
      throw error;
    }
  }

  /** The same, of facts that are to be planned only: what is wrong with them is told and not thrown. */
  async read(caller: Caller, body: IncomingMessage | undefined): Promise<Draft> {
    const { folders } = this.#parts;
    const name = randomBytes(32).toString('hex');
    const folder = await folders.create(name);
    const intake = await Intake.into(folder);
    try {
      const { reader, rows, hasRows } = await this.#opened(body);
      if (hasRows) {
        const witness = {
          row: (number: number, row: KeptRow) => intake.add(number, taught(row)),
          pause: () => intake.flush(),
        };
        await checkRows(rows, ['body', 'data'], witness);
      } else await this.#named(caller, reader, readTraining(reader.fields), intake);
      const draft = await this.#understood(caller, name, readTraining(reader.fields), intake, hasRows);
      await intake.close();
      return draft;
    } catch (error) {
      await intake.abandon();
      await folders.removeJob(name);
      throw error;
    }
  }

  /** Reads until the first rows, or the end where there are none. */
  async #opened(body: IncomingMessage | undefined) {
    const reader = new JsonRows();
    const source = arrivingRows(body, reader, this.#parts.uploads);
    let first: FoundRow[] = [];
    while (first.length === 0) {
      const step = await source.next();
      if (step.done) return { reader, rows: source, hasRows: false };
      first = step.value;
    }
    async function* rows(): AsyncGenerator<FoundRow[]> {
      yield first;
      yield* source;
    }
    return { reader, rows: rows(), hasRows: true };
  }

  /** The facts of a dataset that the request names. */
  async #named(caller: Caller, reader: JsonRows, fields: Fields, intake: Intake): Promise<string> {
    const path = fields.upload_file_path;
    const located = path === undefined ? undefined : jsonl.exec(path)?.[1];
    if (path !== undefined && located === undefined)
      throw new Refusal('upload_file_path_unknown', { path: path.slice(0, 100) });
    const hash = fields.dataset_id ?? located;
    if (reader.sawData) throw new Refusal('dataset_empty');
    if (hash === undefined) throw new Refusal('train_data_missing');
    if (located !== undefined && located !== hash)
      throw new Refusal('train_data_ambiguous', { both: 'dataset_id and upload_file_path are of different datasets' });
    for await (const rows of this.#parts.datasets.keptRows(caller, hash)) {
      for (const { number, row } of rows) intake.add(number, taught(row));
      await intake.flush();
    }
    return hash;
  }

  /** Every field, each by itself and against what there is. */
  async #understood(caller: Caller, name: string, fields: Fields, intake: Intake, inline: boolean): Promise<Draft> {
    const { models, store, contact } = this.#parts;
    const { train_type: type, model_name, custom_model_name: alias, priority = 0 } = fields;
    if (type !== undefined && type !== 'memory_tuning') throw new Refusal('train_type_unsupported', { type });
    if (inline && (fields.dataset_id ?? fields.upload_file_path) !== undefined)
      throw new Refusal('train_data_ambiguous', { both: 'there are rows, and a dataset is named' });
    const base = await models.find(model_name, caller.account.id);
    if (base.tunedOn !== undefined) throw new Refusal('base_is_tuned', { name: model_name, base: base.tunedOn });
    if (base.kind === 'embedding') throw new Refusal('model_of_other_kind', { name: model_name, kind: 'embed texts' });
    if (priority > 0 && !caller.isOperator) throw new Refusal('operator_only');
    await this.#refuseTooLarge(fields);
    if (
      alias !== undefined &&
      ((await models.isReserved(alias)) || (await isForeignAlias(store.db, alias, caller.account.id)))
    )
      throw new Refusal('name_taken', { name: alias });
    const count = taughtOf(fields, intake);
    const limit = caller.account.limits.data_points;
    if (limit !== null && count > limit) throw new Refusal('data_points_limit', { count, limit, contact });
    return { name, fields, intake, base, warnings: warningsOf(fields, intake) };
  }

  async #refuseTooLarge({ gpu_config }: Fields): Promise<void> {
    const { gpus = 1, nodes = 1 } = gpu_config ?? {};
    const all = await this.#parts.capacity();
    if (all.some((one) => one.nodes >= nodes && one.slots >= gpus)) return;
    const { nodes: there, slots } = all.reduce((best, one) =>
      one.nodes * one.slots > best.nodes * best.slots ? one : best,
    );
    const most = `${slots} on ${there === 1 ? 'one node' : `each of ${there} nodes`}`;
    throw new Refusal('gpus_unavailable', { gpus, nodes, most });
  }

  #refuseConflicts({ intake }: Draft): void {
    const { conflicts, conflictCount } = intake;
    if (conflictCount === 0) return;
    const mistakes = conflicts.map(({ rows, message }) => mistakeAt(rows[1], message, 'conflict'));
    throw new Refusal(
      'facts_conflict',
      { count: conflictCount, summary: conflicts[0]!.message },
      { mistakes: withMore(mistakes, conflictCount) },
    );
  }

  /** A token is a byte at least: what is short in bytes fits, and only others are counted by the tokenizer. */
  async #refuseLong(draft: Draft, signal: AbortSignal): Promise<void> {
    if (draft.intake.longest + templateTokens <= Math.min(lengthOf(draft.fields), await contextOf(draft.base.folder)))
      return;
    const { patience: seconds = usualPatience } = this.#parts;
    const { problems, count } = await this.foresee(draft, [], signal, { seconds, first: true });
    if (count === 0) return;
    const mistakes = problems
      .slice(0, mostTold)
      .map(({ rows, message }) => mistakeAt(rows[0] ?? 0, message, 'too_long'));
    throw new Refusal(
      'facts_too_long',
      { count, summary: (problems[0]?.message ?? '').replace(/\.$/, '') },
      { mistakes: withMore(mistakes, count) },
    );
  }

  /** What the engine thinks of it. */
  async foresee({ name, fields, base }: Draft, reuse: string[], signal: AbortSignal, haste: Haste) {
    const { folders, planner } = this.#parts;
    await folders.writeSpec(name, {
      ...specOf(
        {
          arguments: JSON.stringify(widestArgs(fields)),
          gpus: fields.gpu_config?.gpus ?? 1,
          gate: fields.gate ?? 'balanced',
          dataset_id: null,
          sweep: null,
        },
        base.folder,
        // It counts tokens, and computes nothing.
        'cpu',
      ),
      reuse,
    });
    return await planner.foresee(folders.job(name), signal, haste);
  }

  #jobOf(caller: Caller, { name, fields, intake, base, warnings }: Draft, datasetId: string): NewJob {
    const { contact } = this.#parts;
    return {
      name,
      accountId: caller.account.id,
      keyId: caller.key.id,
      jobsLimit: caller.account.limits.jobs,
      contact,
      base_model: base.name,
      custom_model_name: fields.custom_model_name ?? null,
      is_public: fields.is_public ? 1 : 0,
      dataset_id: datasetId,
      arguments: JSON.stringify(argsOf(fields)),
      gate: fields.gate ?? 'balanced',
      use_cached_model: fields.use_cached_model === false ? 0 : 1,
      gpus: fields.gpu_config?.gpus ?? 1,
      nodes: fields.gpu_config?.nodes ?? 1,
      facts: fields.sweep ? taughtOf(fields, intake) * fields.sweep.values.length : intake.facts,
      sweep: fields.sweep ? JSON.stringify({ ...fields.sweep, facts: taughtOf(fields, intake), best: null }) : null,
      priority: fields.priority ?? 0,
      warnings: JSON.stringify(warnings),
    };
  }
}

/** The fields beside the rows, held against the contract as an ordinary body would be. */
function readTraining(given: Record<string, unknown>): Fields {
  const { data: _, ...rest } = given;
  const result = fieldsSchema.safeParse(rest);
  if (!result.success) throw invalid(result.error.issues, 'body');
  return result.data;
}

/** How many facts are taught. */
function taughtOf(fields: Fields, { facts }: Intake): number {
  const most = argsOf(fields).max_finetuning_examples as number | undefined;
  return Math.min(facts, most ?? facts, fields.sweep?.facts ?? facts);
}

/** Nulls mean that an argument is not given. */
export function argsOf({ finetune_args }: Fields): Record<string, unknown> {
  const given = finetuneArgsSchema.parse(finetune_args ?? {});
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** With which a row is held to its length: of a sweep, the longest that is tried. */
function widestArgs(fields: Fields): Record<string, unknown> {
  const { sweep } = fields;
  const args = { ...argsOf(fields), ...(sweep && { max_finetuning_examples: sweep.facts }) };
  if (sweep?.argument !== 'max_length') return args;
  return { ...args, max_length: Math.max(...sweep.values.map((value) => (value as number | null) ?? usualLength)) };
}

const lengthOf = (fields: Fields) => (widestArgs(fields).max_length as number | undefined) ?? usualLength;

function warningsOf(fields: Fields, { duplicateCount, duplicates }: Intake): string[] {
  const unknown = unknownArgs(argsOf(fields));
  const { sweep } = fields;
  const named = duplicates.slice(0, 20).join(', ');
  return [
    ...(sweep && isOfRouter(sweep.argument)
      ? [`${sweep.argument} is of the router, which a sweep does not ask: its values come out alike.`]
      : []),
    ...(unknown.length > 0
      ? [
          `${unknown.length === 1 ? 'An argument is' : 'Some arguments are'} not known here and without effect: ${unknown.join(', ')}.`,
        ]
      : []),
    ...(duplicateCount > 0
      ? [`${duplicateCount} rows repeat another row and count once: ${named}${duplicateCount > 20 ? ' ...' : ''}.`]
      : []),
  ];
}

const mistakeAt = (row: number, msg: string, type: string): Mistake => ({ loc: ['body', 'data', row - 1], msg, type });

function withMore(mistakes: Mistake[], count: number): Mistake[] {
  const rest = count - mistakes.length;
  return rest > 0 ? [...mistakes, { loc: ['body', 'data'], msg: `and ${rest} more rows`, type: 'more' }] : mistakes;
}
