// Handles a request to /v1/train, in reading order from top to bottom: it becomes a job, or a refusal that leaves nothing
// behind. Everything is validated before the job exists.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  defaultGate,
  finetuneArgsSchema,
  idleArgs,
  type Mistake,
  Refusal,
  type TrainBody,
  trainBody,
} from '@lorekeep/contract';
import type { Caller } from '../../auth/caller.ts';
import type { Capacity } from '../../cluster/cluster.ts';
import { checkRows, type Datasets } from '../../datasets/datasets.ts';
import { streamRows } from '../../datasets/json-body.ts';
import { JsonRows } from '../../datasets/json-rows.ts';
import type { FoundRow, KeptRow } from '../../datasets/row.ts';
import type { UploadLimits } from '../../http/form.ts';
import { parsed } from '../../http/validate.ts';
import type { Model, Models } from '../../models/models.ts';
import type { Store } from '../../store/database.ts';
import { contextOf } from '../context.ts';
import type { JobCommands, NewJob } from '../job-commands.ts';
import type { JobFolders, SweepOrder } from '../job-folders.ts';
import { refuseTooMany } from '../queue/rounds.ts';
import { type JobSpecs, specOf } from '../run/job-spec.ts';
import { isOfRouter } from '../sweeps.ts';
import { tunableBase } from './base.ts';
import { FactsFile, maxListed } from './facts-file.ts';
import { refuseBeyondMemory } from './memory.ts';
import type { DryRunOptions, Planner } from './planner.ts';

export interface SubmissionDependencies {
  store: Store;
  datasets: Datasets;
  models: Models;
  folders: JobFolders;
  jobCommands: JobCommands;
  planner: Planner;
  jobSpecs: JobSpecs;
  /** The most slots that a job can ask for, of this server, of others, or of their shared cluster. */
  capacity(): Promise<Capacity[]>;
  /** Main memory of the machine that tunes; undefined if GPUs tune. */
  memory(): number | undefined;
  uploads: UploadLimits;
  contact: string;
  onNew(): void;
  /** Time limit in seconds for tokenizing long rows, including the wait for the planner. */
  timeoutSeconds?: number;
}

/** Older clients time out after 90 seconds and would not learn the id of their job. */
const defaultTimeoutSeconds = 80;

/** Fields besides the rows. A sweep makes no model and lists the values that it compares. */
type Fields = Omit<TrainBody, 'data'> & { sweep?: SweepOrder };
const fieldsSchema = trainBody.omit({ data: true });
type ReadFields = (given: Record<string, unknown>) => Fields;

/** A parsed request with its facts in a folder. */
export interface Draft {
  name: string;
  fields: Fields;
  factsFile: FactsFile;
  base: Model;
  warnings: string[];
}

/** The question and answer of a row, without other columns, such as one named dataset_id. */
const factOf = ({ input, output, topic }: KeptRow) => ({ input, output, topic });

const datasetPathPattern = /^local\/([0-9a-f]{64})$/;
/** Upper bound of the tokens that a template adds to a question and an answer. */
export const templateTokens = 256;
export const defaultLength = 2048;

export class Submission {
  readonly #dependencies: SubmissionDependencies;

  constructor(parts: SubmissionDependencies) {
    this.#dependencies = parts;
  }

  async submit(
    caller: Caller,
    body: IncomingMessage | undefined,
    signal: AbortSignal,
    read: ReadFields = readTraining,
  ): Promise<{ id: number; datasetId: string; warnings: string[] }> {
    const { folders, datasets, jobCommands, store, contact } = this.#dependencies;
    const name = randomBytes(32).toString('hex');
    const folder = await folders.create(name);
    const factsFile = await FactsFile.into(folder);
    try {
      const { reader, rows, hasRows } = await this.#opened(body);
      let draft: Draft | undefined;
      let id: number | undefined;
      let datasetId: string;
      const approve = async (fields: Record<string, unknown>) => {
        draft = await this.#understood(caller, name, read(fields), factsFile, hasRows);
        this.#refuseConflicts(draft);
        await factsFile.close();
        await refuseTooMany(store.db, caller.account.id, caller.account.limits.jobs, contact);
        await this.#refuseLong(draft, signal);
        await folders.keep(name);
      };
      if (hasRows) {
        const label = () => ({ isPublic: draft!.fields.is_public });
        const stored = await datasets.store(caller, rows, ['body', 'data'], label, {
          row: (number, row) => factsFile.add(number, factOf(row)),
          pause: () => factsFile.flush(),
          approve: () => approve(reader.fields),
          // A refused job neither leaves a dataset behind nor changes an existing one.
          record: async (change, hash) => {
            id = await jobCommands.add(change, this.#jobOf(caller, draft!, hash));
          },
        });
        datasetId = stored.dataset_id;
      } else {
        datasetId = await this.#named(caller, reader, read(reader.fields), factsFile);
        await approve(reader.fields);
        id = await jobCommands.create(this.#jobOf(caller, draft!, datasetId));
      }
      this.#dependencies.onNew();
      return { id: id!, datasetId, warnings: draft!.warnings };
    } catch (error) {
      await factsFile.abandon();
      await folders.discard(name);
      throw error;
    }
  }

  /** The same for a dry run: problems of facts are returned, not thrown. */
  async read(caller: Caller, body: IncomingMessage | undefined): Promise<Draft> {
    const { folders } = this.#dependencies;
    const name = randomBytes(32).toString('hex');
    const folder = await folders.create(name);
    const factsFile = await FactsFile.into(folder);
    try {
      const { reader, rows, hasRows } = await this.#opened(body);
      if (hasRows) {
        const witness = {
          row: (number: number, row: KeptRow) => factsFile.add(number, factOf(row)),
          pause: () => factsFile.flush(),
        };
        await checkRows(rows, ['body', 'data'], witness);
      } else await this.#named(caller, reader, readTraining(reader.fields), factsFile);
      const draft = await this.#understood(caller, name, readTraining(reader.fields), factsFile, hasRows);
      await factsFile.close();
      return draft;
    } catch (error) {
      await factsFile.abandon();
      await folders.folders.remove(name);
      throw error;
    }
  }

  /** Reads the body up to the first rows, or to its end if it has none. */
  async #opened(body: IncomingMessage | undefined) {
    const reader = new JsonRows();
    const source = streamRows(body, reader, this.#dependencies.uploads);
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

  /** The facts of the dataset that the request names. */
  async #named(caller: Caller, reader: JsonRows, fields: Fields, factsFile: FactsFile): Promise<string> {
    const path = fields.upload_file_path;
    const located = path === undefined ? undefined : datasetPathPattern.exec(path)?.[1];
    if (path !== undefined && located === undefined)
      throw new Refusal('upload_file_path_unknown', { path: path.slice(0, 100) });
    const hash = fields.dataset_id ?? located;
    if (reader.sawData) throw new Refusal('dataset_empty');
    if (hash === undefined) throw new Refusal('train_data_missing');
    if (located !== undefined && located !== hash)
      throw new Refusal('train_data_ambiguous', { both: 'dataset_id and upload_file_path are of different datasets' });
    for await (const rows of this.#dependencies.datasets.keptRows(caller, hash)) {
      for (const { number, row } of rows) factsFile.add(number, factOf(row));
      await factsFile.flush();
    }
    return hash;
  }

  /** Validates every field by itself and against stored data. */
  async #understood(
    caller: Caller,
    name: string,
    fields: Fields,
    factsFile: FactsFile,
    inline: boolean,
  ): Promise<Draft> {
    const { models, contact } = this.#dependencies;
    const { train_type: type, model_name, custom_model_name: alias, priority = 0 } = fields;
    if (type !== undefined && type !== 'memory_tuning') throw new Refusal('train_type_unsupported', { type });
    if (inline && (fields.dataset_id ?? fields.upload_file_path) !== undefined)
      throw new Refusal('train_data_ambiguous', { both: 'there are rows, and a dataset is named' });
    const base = await tunableBase({ models }, model_name, caller.account.id);
    if (priority > 0 && !caller.isOperator) throw new Refusal('operator_only');
    await this.#refuseTooLarge(fields);
    await refuseBeyondMemory(base, this.#dependencies.memory(), await this.#dependencies.capacity());
    if (alias !== undefined && (await models.isReserved(alias))) throw new Refusal('name_taken', { name: alias });
    const count = taughtOf(fields, factsFile);
    const limit = caller.account.limits.data_points;
    if (limit !== null && count > limit) throw new Refusal('data_points_limit', { count, limit, contact });
    return { name, fields, factsFile, base, warnings: warningsOf(fields, factsFile) };
  }

  async #refuseTooLarge({ gpu_config }: Fields): Promise<void> {
    const { gpus = 1, nodes = 1 } = gpu_config ?? {};
    const all = await this.#dependencies.capacity();
    // The size of a cluster that has never answered is unknown, so the job is accepted and waits for it.
    if (all.length === 0 || all.some((one) => one.nodes >= nodes && one.slots >= gpus)) return;
    const { nodes: there, slots } = all.reduce((best, one) =>
      one.nodes * one.slots > best.nodes * best.slots ? one : best,
    );
    const available = `${slots} on ${there === 1 ? 'one node' : `each of ${there} nodes`}`;
    throw new Refusal('gpus_unavailable', { gpus, nodes, most: available });
  }

  #refuseConflicts({ factsFile }: Draft): void {
    const { conflicts, conflictCount } = factsFile;
    if (conflictCount === 0) return;
    const mistakes = conflicts.map(({ rows, message }) => mistakeAt(rows[1], message, 'conflict'));
    throw new Refusal(
      'facts_conflict',
      { count: conflictCount, summary: conflicts[0]!.message },
      { mistakes: withMore(mistakes, conflictCount) },
    );
  }

  /** A token has at least one byte, so rows that are short in bytes fit. Only longer rows are tokenized. */
  async #refuseLong(draft: Draft, signal: AbortSignal): Promise<void> {
    if (
      draft.factsFile.maxLength + templateTokens <=
      Math.min(lengthOf(draft.fields), await contextOf(draft.base.folder))
    )
      return;
    const { timeoutSeconds: seconds = defaultTimeoutSeconds } = this.#dependencies;
    const { problems, count } = await this.dryRun(draft, [], signal, { seconds, first: true });
    if (count === 0) return;
    const mistakes = problems
      .slice(0, maxListed)
      .map(({ rows, message }) => mistakeAt(rows[0] ?? 0, message, 'too_long'));
    throw new Refusal(
      'facts_too_long',
      { count, summary: (problems[0]?.message ?? '').replace(/\.$/, '') },
      { mistakes: withMore(mistakes, count) },
    );
  }

  /** The engine's check of the draft. */
  async dryRun({ name, fields, base }: Draft, reuse: string[], signal: AbortSignal, haste: DryRunOptions) {
    const { folders, planner, jobSpecs } = this.#dependencies;
    await folders.writeSpec(name, {
      ...specOf(
        {
          arguments: JSON.stringify(widestArgs(fields)),
          slots: (fields.gpu_config?.gpus ?? 1) * (fields.gpu_config?.nodes ?? 1),
          gate: fields.gate ?? defaultGate,
          dataset_id: null,
          sweep: null,
        },
        base.folder,
        // The plan counts tokens and needs no device.
        'cpu',
        jobSpecs.embedder,
      ),
      reuse,
    });
    return await planner.dryRun(folders.job(name), signal, haste);
  }

  #jobOf(caller: Caller, { name, fields, factsFile, base, warnings }: Draft, datasetId: string): NewJob {
    const { contact } = this.#dependencies;
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
      gate: fields.gate ?? defaultGate,
      use_cached_model: fields.use_cached_model === false ? 0 : 1,
      gpus: fields.gpu_config?.gpus ?? 1,
      nodes: fields.gpu_config?.nodes ?? 1,
      facts: fields.sweep ? taughtOf(fields, factsFile) * fields.sweep.values.length : factsFile.facts,
      sweep: fields.sweep ? JSON.stringify({ ...fields.sweep, facts: taughtOf(fields, factsFile), best: null }) : null,
      priority: fields.priority ?? 0,
      warnings: JSON.stringify(warnings),
    };
  }
}

/** Validates the fields besides the rows against the contract, like an ordinary body. */
function readTraining(given: Record<string, unknown>): Fields {
  const { data: _, ...rest } = given;
  return parsed(fieldsSchema, rest);
}

/** Number of facts that are trained. */
function taughtOf(fields: Fields, { facts }: FactsFile): number {
  const limit = argsOf(fields).max_finetuning_examples as number | undefined;
  return Math.min(facts, limit ?? facts, fields.sweep?.facts ?? facts);
}

/** Drops arguments that are null, which means not given. */
export function argsOf({ finetune_args }: Fields): Record<string, unknown> {
  const given = finetuneArgsSchema.parse(finetune_args ?? {});
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** The length limit of rows; for a sweep, the largest value tried. */
function widestArgs(fields: Fields): Record<string, unknown> {
  const { sweep } = fields;
  const args = { ...argsOf(fields), ...(sweep && { max_finetuning_examples: sweep.facts }) };
  if (sweep?.argument !== 'max_length') return args;
  return { ...args, max_length: Math.max(...sweep.values.map((value) => (value as number | null) ?? defaultLength)) };
}

const lengthOf = (fields: Fields) => (widestArgs(fields).max_length as number | undefined) ?? defaultLength;

function warningsOf(fields: Fields, { duplicateCount, duplicates }: FactsFile): string[] {
  const idle = idleArgs(argsOf(fields));
  const { sweep } = fields;
  const named = duplicates.slice(0, 20).join(', ');
  return [
    ...(sweep && isOfRouter(sweep.argument)
      ? [`${sweep.argument} belongs to the router, which a sweep does not use: all its values give the same result.`]
      : []),
    ...(idle.length > 0 ? [`Of other trainers, and without effect here: ${idle.join(', ')}.`] : []),
    ...(duplicateCount > 0
      ? [
          `${duplicateCount === 1 ? '1 row repeats another row and counts' : `${duplicateCount} rows repeat another row and count`} once: ${named}${duplicateCount > 20 ? ' ...' : ''}.`,
        ]
      : []),
  ];
}

const mistakeAt = (row: number, msg: string, type: string): Mistake => ({ loc: ['body', 'data', row - 1], msg, type });

function withMore(mistakes: Mistake[], count: number): Mistake[] {
  const rest = count - mistakes.length;
  return rest > 0
    ? [...mistakes, { loc: ['body', 'data'], msg: `and ${rest} more ${rest === 1 ? 'row' : 'rows'}`, type: 'more' }]
    : mistakes;
}
