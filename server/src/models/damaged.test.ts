// A model with damaged files is reported to the caller and in the log, and nothing of it is served.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { callerOf, endProcesses, startProcess } from '../testing/process.ts';
import { answered, facts, jobOver, submit } from '../testing/tuning.ts';

it('a damaged expert is refused with the name of its model, and the base still answers', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  try {
    const server = await startProcess({ home, slots: '1', log_format: 'json' });
    const { call } = callerOf(server);
    const data = facts(5, 'Damage');
    const { job_id } = await submit({ call }, { data, custom_model_name: 'handbook' });
    const { model_name } = await jobOver({ call }, job_id);
    const folder = join(home, 'tuned', model_name!, 'experts');
    for (const name of await readdir(folder)) {
      const content = await readFile(join(folder, name));
      const head = 8 + Number(content.readBigUInt64LE());
      for (let at = head; at < content.length; at += 1009) content[at]! ^= 1;
      await rm(join(folder, name));
      await writeFile(join(folder, name), content);
    }
    await answered({ call }, { model_name: 'lorekeep/quill', prompt: 'a', max_tokens: 1 });
    for (const { input } of data) {
      const ask = { model_name: 'handbook', prompt: input, explain: true };
      const asked = async () => await call('POST', '/v1/completions', { body: ask });
      let answer = await asked();
      while (answer.status === 513) answer = await asked();
      assert.deepEqual([answer.status, answer.body.code], [500, 'data_damaged'], JSON.stringify(answer.body));
      assert.match(
        answer.body.detail,
        /^The model handbook is damaged: experts\/[0-9a-f]+\.safetensors cannot be used/,
      );
      assert.match(answer.body.detail, /Restore it from a backup/);
      assert.ok(!answer.body.detail.includes(home), 'no place of this machine is told');
    }
    const hello = { model_name: 'handbook', prompt: 'Hello!', max_tokens: 4, explain: true };
    assert.equal((await answered({ call }, hello)).memory.used, false);
    const logged = server
      .output()
      .split('\n')
      .filter((line) => line.includes(model_name!) && line.includes('is damaged'));
    assert.ok(logged.length > 0 && logged.every((line) => /"level":("error"|50)/.test(line)), logged[0]);
  } finally {
    await endProcesses();
    await rm(home, { recursive: true, force: true });
  }
});
