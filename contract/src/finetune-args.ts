// Every argument of a tuning job, once: what it takes, what counts without it, what it does. Validation, the table of the reference and
// forms come from here. The engine's twin is engine/lorekeep/tune/arguments.py.
import { z } from 'zod';

type Takes =
  | { kind: 'number' | 'whole'; from: number; to: number; powerOfTwo?: true }
  | { kind: 'choice'; of: readonly string[] }
  | { kind: 'text' }
  | { kind: 'flag' };

export interface FinetuneArg {
  takes: Takes;
  /** What counts without it, as people read it. */
  preset: string;
  does: string;
}

const whole = (from: number, to: number): Takes => ({ kind: 'whole', from, to });
const number = (from: number, to: number): Takes => ({ kind: 'number', from, to });

export const indexMethods = ['IndexIVFPQ', 'IndexHNSWPQ', 'IndexHNSWFlat', 'IndexFlatL2', 'IndexPQ'] as const;

export const finetuneArgs = {
  learning_rate: {
    takes: number(1e-8, 1),
    preset: '3e-4',
    does: 'How far a step goes. Read for a model of width 4096, and scaled for others.',
  },
  max_steps: {
    takes: whole(1, 10_000_000),
    preset: '400',
    does: 'Steps of an expert at most: each stops as soon as it knows its facts.',
  },
  r_value: {
    takes: whole(1, 512),
    preset: '8, up to 64 for an expert of many facts',
    does: 'The rank of an expert: how much it can hold.',
  },
  lora_alpha: { takes: number(1e-3, 1e6), preset: 'as r_value', does: 'Scales what an expert starts with.' },
  num_train_epochs: {
    takes: number(1e-6, 1e7),
    preset: 'none',
    does: 'Lowers max_steps: a step sees all facts of its expert.',
  },
  max_length: {
    takes: { kind: 'whole', from: 16, to: 8192, powerOfTwo: true },
    preset: '2048',
    does: 'Tokens of a question in its template with its answer, at most. Longer rows are refused.',
  },
  max_finetuning_examples: {
    takes: whole(1, 1_000_000_000),
    preset: 'all',
    does: 'Only the first so many facts are taught.',
  },
  index_max_size: { takes: whole(1, 1_000_000_000), preset: '65536', does: 'Experts at most; 1 is one for all facts.' },
  index_k: { takes: whole(1, 1000), preset: '2', does: 'Nothing: one expert answers.' },
  index_method: {
    takes: { kind: 'choice', of: indexMethods },
    preset: 'IndexIVFPQ',
    does: 'The index of the router above 10,000 facts without names; what it finds is ranked again.',
  },
  index_ivf_nlist: { takes: whole(1, 10_000_000), preset: '2048', does: 'Cells of an IVF index.' },
  index_ivf_nprobe: { takes: whole(1, 10_000_000), preset: '48', does: 'Cells of an IVF index that are searched.' },
  index_pq_m: { takes: whole(1, 384), preset: '8', does: 'Parts of a vector in a PQ index.' },
  index_pq_nbits: { takes: whole(1, 16), preset: '8', does: 'Bits of a part in a PQ index.' },
  index_hnsw_m: { takes: whole(2, 512), preset: '32', does: 'Links of a point in an HNSW index.' },
  index_hnsw_efConstruction: {
    takes: whole(1, 100_000),
    preset: '16',
    does: 'Candidates while an HNSW index is built.',
  },
  index_hnsw_efSearch: {
    takes: whole(1, 100_000),
    preset: '8',
    does: 'Candidates while an HNSW index is searched.',
  },
  facts_per_expert: { takes: whole(1, 1024), preset: '4', does: 'Facts of one subject in an expert.' },
  gradient_accumulation_steps: {
    takes: whole(1, 1_000_000),
    preset: '1',
    does: 'Nothing: a step sees all facts of its expert.',
  },
  batch_size: {
    takes: whole(1, 1_000_000),
    preset: 'all',
    does: 'Nothing: a step sees all facts of its expert.',
  },
  save_steps: {
    takes: whole(1, 1_000_000_000),
    preset: '60',
    does: 'Nothing: every finished wave of experts is a checkpoint.',
  },
  optim: { takes: { kind: 'text' }, preset: 'adam', does: 'Nothing: experts are trained with Adam.' },
  early_stopping: {
    takes: { kind: 'flag' },
    preset: 'true',
    does: 'Nothing: every expert stops when its facts are recalled.',
  },
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
    case 'text':
      return 'a text';
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
    case 'text':
      return typeof value === 'string' && value.length <= 100;
    case 'flag':
      return typeof value === 'boolean';
  }
}

const known = new Map<string, FinetuneArg>(Object.entries(finetuneArgs));
const mostArgs = 100;

/** Names that are not known here: they are accepted, and told. */
export const unknownArgs = (given: Record<string, unknown>): string[] =>
  Object.keys(given).filter((name) => !known.has(name));

/** What is wrong with a value of an argument that is known, in words. */
export function argumentProblem(name: string, value: unknown): string | undefined {
  const takes = known.get(name)?.takes;
  if (!takes || value === null || fits(takes, value)) return undefined;
  const shown = JSON.stringify(value) ?? 'nothing';
  return `${name} is ${shown.length > 100 ? `${shown.slice(0, 100)}…` : shown}; it has to be ${allowed(takes)}`;
}

export const finetuneArgsSchema = z
  .record(z.string().max(100), z.unknown())
  .superRefine((given, context) => {
    if (Object.keys(given).length > mostArgs)
      context.addIssue({ code: 'custom', message: `has more than ${mostArgs} arguments` });
    for (const [name, value] of Object.entries(given)) {
      const message = argumentProblem(name, value);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .meta({
    description:
      'Arguments of the tuning, docs/reference/tuning.md. Names that are not known are accepted and told in X-Warning.',
    examples: [{ max_steps: 50, r_value: 32, learning_rate: 3e-4 }],
  });
export type FinetuneArgs = z.infer<typeof finetuneArgsSchema>;
