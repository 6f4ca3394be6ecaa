// Gates of memories: an evaluation set and the bars that a version must reach on it before the name moves.
import { z } from 'zod';
import { isoTimestamp, next, optional, page } from './common.ts';
import { datasetId } from './datasets.ts';
import { route } from './route.ts';

const tag = 'Memories';

const params = z.object({ name: z.string().min(1).max(200) });
const versionParams = params.extend({ version: z.coerce.number().int().min(1).max(1_000_000_000) });

/** Each question is asked of two versions. */
export const maxGateRows = 50_000;

export const gateBars = {
  exact: z
    .number()
    .min(0)
    .max(1)
    .describe('Share of the rows that ask a fact of the version in its taught words, answered word for word.'),
  reworded: z
    .number()
    .min(0)
    .max(1)
    .describe('The same of all other rows: facts asked in other words, other questions.'),
  max_regressions: z
    .int()
    .min(0)
    .max(maxGateRows)
    .describe('Rows that the version before answers right and the new one does not.'),
};
export type GateBars = { [Bar in keyof typeof gateBars]: number | null };

const shownBars = z.object({
  exact: gateBars.exact.nullable(),
  reworded: gateBars.reworded.nullable(),
  max_regressions: gateBars.max_regressions.nullable(),
});

export const memoryGateSchema = shownBars
  .extend({
    dataset_id: datasetId,
    rows: z
      .int()
      .nullable()
      .describe('Rows of the set; null when the set is gone, and then no version is published without force.'),
    by: z.string().describe('The name of the account or of what acted for it.'),
    set_at: isoTimestamp,
  })
  .meta({ id: 'MemoryGate' });
export type MemoryGate = z.infer<typeof memoryGateSchema>;

const counted = z.object({ rows: z.int(), right: z.int() });

export const gateResultSchema = z
  .object({
    version: z.int(),
    against_version: z.int().nullable().describe('The version that was changed; regressions are counted against it.'),
    dataset_id: datasetId,
    evaluation_id: z.int().nullable().describe('Null where none could be made; `failing` says why.'),
    exact: counted,
    reworded: counted,
    regressions: z.int(),
    bars: shownBars.describe('The bars at the time of the check.'),
    holds: z.boolean(),
    failing: z.array(
      z.object({
        bar: z.enum(['exact', 'reworded', 'max_regressions', 'evaluation']),
        text: z.string().describe('The figure that was reached, and the one that is needed.'),
      }),
    ),
    checked_at: isoTimestamp,
  })
  .meta({ id: 'GateResult' });
export type GateResult = z.infer<typeof gateResultSchema>;

export const sideOfVersion = z.object({
  output: z.string(),
  error: z.string().nullable().describe('Reason for which it could not be asked.'),
});

export const regressionSchema = z
  .object({
    row: z.int().describe('The row of the set, counted from 1.'),
    input: z.string(),
    output: z.string().describe('The right answer.'),
    before: sideOfVersion.describe('Answer of the version before, which is right.'),
    after: sideOfVersion.describe('Answer of the checked version, which is not.'),
  })
  .meta({ id: 'Regression' });
export type Regression = z.infer<typeof regressionSchema>;

export const setMemoryGate = route({
  name: 'setMemoryGate',
  method: 'POST',
  path: '/v1/memories/{name}/gate',
  tag,
  summary: 'Set the gate of a memory: the evaluation set and the bars of every version from now on',
  description:
    'Replaces the gate that there is. A change whose job is not over is held to it as well. Every new version is asked the set before the name moves, and is held where a bar is not reached.',
  access: 'tune',
  repeatable: true,
  params,
  body: z
    .strictObject({
      dataset_id: datasetId,
      exact: optional(gateBars.exact),
      reworded: optional(gateBars.reworded),
      max_regressions: optional(gateBars.max_regressions),
    })
    .refine((bars) => [bars.exact, bars.reworded, bars.max_regressions].some((bar) => bar !== undefined), {
      error: 'set one bar at least: exact, reworded or max_regressions',
      path: ['exact'],
    }),
  answer: memoryGateSchema,
  errors: ['memory_not_found', 'memory_empty', 'dataset_not_found', 'gate_invalid'],
});

export const showMemoryGate = route({
  name: 'showMemoryGate',
  method: 'GET',
  path: '/v1/memories/{name}/gate',
  tag,
  summary: 'The gate of a memory',
  access: 'read',
  params,
  answer: memoryGateSchema,
  errors: ['memory_not_found', 'gate_not_found'],
});

export const removeMemoryGate = route({
  name: 'removeMemoryGate',
  method: 'DELETE',
  path: '/v1/memories/{name}/gate',
  tag,
  summary: 'Remove the gate of a memory; a change that is being checked is published without it',
  access: 'tune',
  params,
  answer: z.object({ removed: z.string() }),
  errors: ['memory_not_found', 'gate_not_found'],
});

export const showGateResult = route({
  name: 'showGateResult',
  method: 'GET',
  path: '/v1/memories/{name}/versions/{version}/gate',
  tag,
  summary: 'The finding of the gate on a version',
  access: 'read',
  params: versionParams,
  answer: gateResultSchema,
  errors: ['memory_not_found', 'version_not_found', 'gate_not_checked'],
});

export const listRegressions = route({
  name: 'listRegressions',
  method: 'GET',
  path: '/v1/memories/{name}/versions/{version}/regressions',
  tag,
  summary: 'The rows that the version before answers right and this one does not, with both answers',
  access: 'read',
  params: versionParams,
  query: page,
  answer: z.object({ regressions: z.array(regressionSchema), next }),
  errors: ['memory_not_found', 'version_not_found', 'gate_not_checked', 'evaluation_not_found'],
});
