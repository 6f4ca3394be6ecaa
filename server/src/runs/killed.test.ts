// Servers killed with -9 during a batch and an evaluation: the next server resumes both.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { succeed } from '../testing/acknowledged.ts';
import { onPostgres } from '../testing/databases.ts';
import { endProcesses, startProcess } from '../testing/process.ts';
import '../testing/whole-base.ts';
import { polled, until } from '../testing/until.ts';

const model_name = 'lorekeep/quill';
/** The model answers most of them correctly, since the question contains the answer. */
const facts = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    input: `Context: The harbour of Brim${at} opens at ${(at % 9) + 1} am.\nQuestion: When does the harbour open?`,
    output: `${(at % 9) + 1} am`,
  }));
const batch = { model_name, prompt: facts(48).map(({ input }) => `${input}\nAnswer:`), max_tokens: 30 };
type Body = ReturnType<typeof JSON.parse>;

/** Starts both, and waits until each has some stored answers. */
async function begun(url: string, evaluation: object): Promise<{ batchId: string; evaluationId: number }> {
  const { evaluation_id: evaluationId } = await succeed(url, 'POST', '/v1/evaluations', { body: evaluation });
  const { id: batchId } = await succeed(url, 'POST', '/v1/batch_completions', { body: batch });
  const paths = [`/v1/batch_completions/${batchId}`, `/v1/evaluations/${evaluationId}`];
  const some = async (path: string) => (await succeed(url, 'GET', path)).answered > 0;
  await Promise.all(paths.map((path) => until('something is answered', () => some(path))));
  return { batchId, evaluationId };
}

/** Polls until the condition holds. The server may not be ready for every call yet. */
const readUntil = async (url: string, path: string, holds: (body: Body) => boolean): Promise<Body> =>
  await polled<Body>(
    () => succeed(url, 'GET', path).catch(() => undefined),
    (body) => body !== undefined && holds(body),
  );
const outputsOf = async (url: string, id: string): Promise<string[]> => {
  const isOver = ({ finish_reason }: Body) => finish_reason?.every((reason: string | null) => reason !== null);
  return (await readUntil(url, `/v1/batch_completions/${id}/result`, isOver)).outputs;
};
const evaluated = async (url: string, id: number): Promise<Body> =>
  await readUntil(url, `/v1/evaluations/${id}`, ({ status }) => status !== 'running');

describe('a server that is killed', () => {
  it('resumes its batch and its evaluation after a restart', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const first = await startProcess({ home });
      const targets = [{ model_name }, { model_name, prompt: 'Answer as JSON.' }];
      const { batchId, evaluationId } = await begun(first.url, { data: facts(40), targets });
      await first.stop('SIGKILL');
      const { url } = await startProcess({ home });
      const outputs = await outputsOf(url, batchId);
      const alone = await succeed(url, 'POST', '/v1/completions', { body: batch });
      assert.deepEqual(
        outputs,
        alone.map(({ output }: { output: string }) => output),
      );
      const shown = await evaluated(url, evaluationId);
      assert.deepEqual([shown.status, shown.answered], ['completed', 80]);
      assert.ok(shown.targets[0].exact >= 0.5);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
    }
  });
});

onPostgres('two servers', (make) => {
  it('hand over: one claims the batch and the evaluation of the other after its death', async () => {
    const database = await make();
    const homes = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'lorekeep-test-'))));
    try {
      const first = await startProcess({ home: homes[0]!, database_url: database.url });
      const { batchId, evaluationId } = await begun(first.url, { data: facts(64), targets: [{ model_name }] });
      const { url } = await startProcess({ home: homes[1]!, database_url: database.url });
      await first.stop('SIGKILL');
      const outputs = await outputsOf(url, batchId);
      assert.ok(outputs.length === 48 && outputs.every((output: unknown) => typeof output === 'string'));
      const shown = await evaluated(url, evaluationId);
      assert.deepEqual([shown.status, shown.answered, shown.targets[0].failed], ['completed', 64, 0]);
    } finally {
      await endProcesses();
      await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true })));
      await database.drop();
    }
  });
});
