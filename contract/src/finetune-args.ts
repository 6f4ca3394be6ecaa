// Every argument of a tuning job: its values, its default, its effect. Validation, the table of the reference, the tables
// of the client with the forms of the console, and the engine's own table (engine/lorekeep/contract.py) come from here.
import { z } from 'zod';

export type Takes =
  | { kind: 'number' | 'whole'; from: number; to: number; powerOfTwo?: true }
  | { kind: 'choice'; of: readonly string[] }
  | { kind: 'flag' };

/** The default, or its description if the engine decides; and the effect, or the reason why there is none. */
export type FinetuneArg = { takes: Takes } & ({ preset: number | string | boolean } | { without: string }) &
  (
    | { does: string }
    /** Taken and without effect. Every value is warned of, or all but `unless`, which says what is done anyhow. */
    | { idle: string; unless?: number }
  );

const whole = (from: number, to: number): Takes => ({ kind: 'whole', from, to });
const number = (from: number, to: number): Takes => ({ kind: 'number', from, to });

export const indexMethods = ['IndexIVFPQ', 'IndexHNSWPQ', 'IndexHNSWFlat', 'IndexFlatL2', 'IndexPQ'] as const;

/** Names of optimizers as trainers of other programs know them. A name that is none of them is a mistake, though all have the same effect here. */
const optimizers = [
  ...['adam', 'adamw', 'adamw_hf', 'adamw_torch', 'adamw_torch_fused', 'adamw_torch_xla', 'adamw_torch_npu_fused'],
  ...['adamw_apex_fused', 'adamw_anyprecision', 'adamw_torch_4bit', 'adamw_torch_8bit', 'adamw_bnb_8bit', 'adamw_8bit'],
  ...['paged_adamw', 'paged_adamw_8bit', 'paged_adamw_32bit', 'ademamix', 'ademamix_8bit', 'adafactor', 'adagrad'],
  ...['lion', 'lion_8bit', 'lion_32bit', 'paged_lion', 'paged_lion_8bit', 'paged_lion_32bit', 'rmsprop', 'sgd'],
];

/** Arguments of other trainers that recipes contain. They are accepted, have no effect, and are named in X-Warning. */
const idleArgNames = [
  ...['warmup', 'warmup_steps', 'warmup_ratio', 'weight_decay', 'lr_scheduler_type', 'max_grad_norm'],
  ...['adam_beta1', 'adam_beta2', 'adam_epsilon', 'lora_dropout', 'target_modules', 'lora_target_modules', 'bias'],
  ...[
    'per_device_train_batch_size',
    'per_device_eval_batch_size',
    'eval_steps',
    'eval_strategy',
    'evaluation_strategy',
  ],
  ...['logging_steps', 'logging_strategy', 'save_strategy', 'save_total_limit', 'report_to', 'output_dir', 'run_name'],
  ...['seed', 'data_seed', 'fp16', 'bf16', 'tf32', 'gradient_checkpointing', 'group_by_length', 'packing'],
  ...['dataloader_num_workers', 'load_in_4bit', 'load_in_8bit', 'load_best_model_at_end', 'metric_for_best_model'],
];

export const finetuneArgs = {
  learning_rate: {
    takes: number(1e-8, 1),
    preset: 3e-4,
    does: 'Size of a step. Read for a model of width 4096, and scaled for others.',
  },
  max_steps: {
    takes: whole(1, 10_000_000),
    preset: 400,
    does: 'Steps of an expert at most: each stops as soon as it knows its facts.',
  },
  r_value: {
    takes: whole(1, 512),
    without: '8, up to 64 for an expert of many facts',
    does: 'The rank of an expert: how much it can hold.',
  },
  lora_alpha: { takes: number(1e-3, 1e6), without: 'as r_value', does: 'Scales what an expert starts with.' },
  num_train_epochs: {
    takes: number(1e-6, 1e7),
    without: 'none',
    does: 'Lowers max_steps: a step sees all facts of its expert.',
  },
  max_length: {
    takes: { kind: 'whole', from: 16, to: 8192, powerOfTwo: true },
    preset: 2048,
    does: 'Tokens of a question in its template with its answer, at most. Longer rows are refused.',
  },
  max_finetuning_examples: {
    takes: whole(1, 1_000_000_000),
    without: 'all',
    does: 'Only the first so many facts are taught.',
  },
  index_max_size: { takes: whole(1, 1_000_000_000), preset: 65536, does: 'Experts at most; 1 is one for all facts.' },
  index_k: { takes: whole(1, 1000), preset: 2, idle: 'one expert answers', unless: 1 },
  index_method: {
    takes: { kind: 'choice', of: indexMethods },
    preset: 'IndexIVFPQ',
    does: 'The index of the router above 10,000 facts without names; what it finds is ranked again.',
  },
  index_ivf_nlist: { takes: whole(1, 10_000_000), preset: 2048, does: 'Cells of an IVF index.' },
  index_ivf_nprobe: { takes: whole(1, 10_000_000), preset: 48, does: 'Cells of an IVF index that are searched.' },
  index_pq_m: { takes: whole(1, 384), preset: 8, does: 'Parts of a vector in a PQ index.' },
  index_pq_nbits: { takes: whole(1, 16), preset: 8, does: 'Bits of a part in a PQ index.' },
  index_hnsw_m: { takes: whole(2, 512), preset: 32, does: 'Links of a point in an HNSW index.' },
  index_hnsw_efConstruction: {
    takes: whole(1, 100_000),
    preset: 16,
    does: 'Candidates while an HNSW index is built.',
  },
  index_hnsw_efSearch: {
    takes: whole(1, 100_000),
    preset: 8,
    does: 'Candidates while an HNSW index is searched.',
  },
  facts_per_expert: { takes: whole(1, 1024), preset: 4, does: 'Facts of one subject in an expert.' },
  gradient_accumulation_steps: {
    takes: whole(1, 1_000_000),
    preset: 1,
    idle: 'a step sees all facts of its expert',
    unless: 1,
  },
  batch_size: {
    takes: whole(1, 1_000_000),
    without: 'all',
    idle: 'a step sees all facts of its expert',
    unless: 1,
  },
  save_steps: { takes: whole(1, 1_000_000_000), preset: 60, idle: 'every finished wave of experts is a checkpoint' },
  optim: { takes: { kind: 'choice', of: optimizers }, preset: 'adam', idle: 'experts are trained with Adam' },
  early_stopping: { takes: { kind: 'flag' }, preset: true, idle: 'every expert stops when its facts are recalled' },
} as const satisfies Record<string, FinetuneArg>;

export function allowed(takes: Takes): string {
  switch (takes.kind) {
    case 'number':
      return `a number from ${takes.from} to ${takes.to}`;
    case 'whole':
      return takes.powerOfTwo
        ? `a power of two from ${takes.from} to ${takes.to}`
        : `a whole number from ${takes.from} to ${takes.to}`;
    case 'choice':
      return `one of ${takes.of.join(', ')}`;
    case 'flag':
      return 'true or false';
  }
}

function fits(takes: Takes, value: unknown): boolean {
  switch (takes.kind) {
    case 'number':
      return typeof value === 'number' && value >= takes.from && value <= takes.to;
    case 'whole':
      return (
        Number.isInteger(value) &&
        (value as number) >= takes.from &&
        (value as number) <= takes.to &&
        (!takes.powerOfTwo || Number.isInteger(Math.log2(value as number)))
      );
    case 'choice':
      return takes.of.includes(value as string);
    case 'flag':
      return typeof value === 'boolean';
  }
}

/** Effect of an argument, for people. */
export const effectOf = (arg: FinetuneArg): string => ('idle' in arg ? `Nothing: ${arg.idle}.` : arg.does);

/** Default of an argument, for people. */
export function withoutIt(arg: FinetuneArg): string {
  if ('without' in arg) return arg.without;
  // As it is written by hand: 3e-4, not 0.0003.
  return typeof arg.preset === 'number' && arg.preset < 0.001 ? arg.preset.toExponential() : String(arg.preset);
}

const known = new Map<string, FinetuneArg>(Object.entries(finetuneArgs));
const maxArgs = 100;

const idle = new Set(idleArgNames);
const all = [...known.keys(), ...idle];

/** Names of other trainers, which have no effect here. */
export const idleArgs = (given: Record<string, unknown>): string[] =>
  Object.keys(given).filter((name) => idle.has(name));

/**
 * The problem of an argument in words: its name, its value, and the allowed values. Null means that the argument is
 * not given.
 */
export function argumentProblem(name: string, value: unknown): string | undefined {
  if (value === null || idle.has(name)) return undefined;
  const takes = known.get(name)?.takes;
  if (takes && fits(takes, value)) return undefined;
  const text = JSON.stringify(value) ?? 'nothing';
  const excerpt = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  if (takes) return `${name} is ${excerpt}; it has to be ${allowed(takes)}`;
  const near = nearest(name, all);
  const rule = known.get(near)?.takes;
  return `there is no argument ${name} (${excerpt}); the nearest is ${near}${rule ? `, ${allowed(rule)}` : ''}. The arguments are ${[...known.keys()].join(', ')}`;
}

/** The candidate that needs the fewest changes; of a name that holds another one in full, that one. */
function nearest(name: string, candidates: string[]): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const normalized = plain(name);
  const distance = (candidate: string) => {
    const other = plain(candidate);
    const contained = normalized.length > 2 && (other.includes(normalized) || normalized.includes(other));
    return edits(normalized, other) * (contained ? 0.2 : 1);
  };
  return candidates.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** Characters to insert, delete or replace until one text is the other. */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const above = row;
    row = [at];
    for (let to = 1; to <= other.length; to++)
      row.push(Math.min(above[to]! + 1, row[to - 1]! + 1, above[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1)));
  }
  return row.at(-1)!;
}

export const finetuneArgsSchema = z
  .record(z.string().max(100), z.unknown())
  .superRefine((given, context) => {
    if (Object.keys(given).length > maxArgs) {
      context.addIssue({ code: 'custom', message: `has more than ${maxArgs} arguments` });
      return;
    }
    for (const [name, value] of Object.entries(given)) {
      const message = argumentProblem(name, value);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .meta({
    description:
      'Arguments of the tuning, docs/reference/tuning.md. Those of other trainers have no effect and are named in X-Warning; other names are refused.',
    examples: [{ max_steps: 50, r_value: 32, learning_rate: 3e-4 }],
  });
export type FinetuneArgs = z.infer<typeof finetuneArgsSchema>;
