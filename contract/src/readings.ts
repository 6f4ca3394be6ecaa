// Readings: the facts that documents of an index state become proposals of a memory, file by file, in the background.
import { z } from 'zod';
import { id, isoTimestamp, next, optional, page } from './common.ts';
import { route } from './route.ts';

const tag = 'Proposals';

export const maxReadFiles = 10_000;
/** Passages of a file that are read. */
export const maxReadPassages = 2000;
/** Passages of a file that a base is asked about: each is an answer of some hundred tokens. */
export const maxAskedPassages = 200;
/** Facts that one reading proposes. */
export const maxReadFacts = 20_000;

export const readingSchema = z
  .object({
    id: z.int(),
    index_id: z.int(),
    state: z.enum(['running', 'done', 'failed']),
    files: z.int().describe('Files to be read.'),
    files_done: z.int(),
    proposed: z.int(),
    known: z.int().describe('Facts that the memory has, or that were proposed before.'),
    asks_base: z.boolean().describe('Whether the base of the memory writes facts from prose, too.'),
    notices: z.array(z.string()).describe('Bounds that were met, and why it failed.'),
    by: z.string(),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'Reading' });
export type Reading = z.infer<typeof readingSchema>;

const params = z.object({ name: z.string().min(1).max(200) });

export const createReading = route({
  name: 'createReading',
  method: 'POST',
  path: '/v1/memories/{name}/readings',
  tag,
  summary:
    'Propose the facts that documents state: rows of tables, key-value lines, headings with one value, sentences',
  description:
    'No model is asked for these. A base that reads prose (by the measurement in its lorekeep.json; one without a measurement does) is asked for facts of prose besides, unless `ask_base` is false: ' +
    `${maxAskedPassages} passages of a file at most, and only what stands word for word in the passage is proposed. ` +
    `Each proposal has its quote, in which its answer stands word for word, and its page. Answered at once; the work goes on in the background, and after a restart. ` +
    `At most ${maxReadFiles} files, ${maxReadPassages} passages of each and ${maxReadFacts} facts; \`notices\` says where there was more. When a file goes, its open proposals are withdrawn, ` +
    'and for accepted ones a change (when a file of the same name is there) or a withdrawal is proposed, as kind `stale`.',
  access: 'tune',
  params,
  body: z.strictObject({
    index_id: id,
    files: optional(z.array(id).min(1).max(1000)).describe('Ids of files; all of the index without it.'),
    min_confidence: z.number().min(0).max(1).default(0),
    assignee: optional(z.string().trim().min(1).max(200)),
    ask_base: z.boolean().default(true).describe('False: no model is asked.'),
  }),
  answer: readingSchema,
  errors: ['memory_not_found', 'index_not_found', 'index_file_not_found'],
});

export const listReadings = route({
  name: 'listReadings',
  method: 'GET',
  path: '/v1/memories/{name}/readings',
  tag,
  summary: 'Readings of documents for a memory, newest first',
  access: 'read',
  params,
  query: page,
  answer: z.object({ readings: z.array(readingSchema), next }),
  errors: ['memory_not_found'],
});

export const showReading = route({
  name: 'showReading',
  method: 'GET',
  path: '/v1/memories/{name}/readings/{id}',
  tag,
  summary: 'One reading, and how far it is',
  access: 'read',
  params: params.extend({ id }),
  answer: readingSchema,
  errors: ['memory_not_found', 'reading_not_found'],
});
