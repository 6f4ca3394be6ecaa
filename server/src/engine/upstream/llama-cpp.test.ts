// The shipped base served by the real llama.cpp: its answers come from there, and a tuned model on it recites here.
// The same server makes the exports for other engines.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type LlamaCpp, startLlamaCpp } from '../../testing/llama-cpp.ts';
import { adminKey, startServer, type TestServer, withEngine } from '../../testing/server.ts';
import { unpacked } from '../../testing/tar.ts';
import { facts, jobOver, submit } from '../../testing/tuning.ts';
import '../../testing/whole-base.ts';
import { until } from '../../testing/until.ts';

const model = 'lorekeep/quill';
const found = await startLlamaCpp('shipped');
const reason = typeof found === 'string' ? found : false;

describe('a base that llama.cpp computes', { skip: reason }, () => {
  const upstream = found as LlamaCpp;
  let server: TestServer;
  before(async () => {
    server = await startServer(
      { slots: '1', upstreams: JSON.stringify({ [model]: { url: upstream.url, model: 'shipped' } }) },
      withEngine,
    );
    await until('llama.cpp passed the checks', async () => (await listed()).upstream.state === 'ok');
  });
  after(async () => {
    await server.end();
    await upstream.end();
  });

  const listed = async () =>
    (await server.call('GET', '/v1alpha/downloaded_models')).body.find(
      ({ model_name }: { model_name: string }) => model_name === model,
    );
  const chat = async (content: string, more: Record<string, unknown> = {}) =>
    (
      await server.call('POST', '/v1/chat/completions', {
        body: { model, messages: [{ role: 'user', content }], ...more },
      })
    ).body;
  const answers = async () =>
    Number(
      /lorekeep_upstream_answers\{.*result="answered"\} (\d+)/.exec((await server.call('GET', '/metrics')).body)?.[1],
    );
  const told = 'Facts: Zorbax was founded by Dov Tamm.\nWho founded Zorbax?';

  it('passes every check but one and reports it: its own chat template makes other tokens', async () => {
    // llama.cpp splits text into words by another rule than this base. Prompts of token IDs are not affected.
    const [note, ...others] = (await listed()).upstream.notes;
    assert.match(note, /^its own chat template makes 13 tokens of a greeting, the folder's 12; the folder's is used$/);
    assert.deepEqual(others, []);
  });

  it('answers like our engine, counts tokens, and returns log probabilities', async () => {
    const { choices, usage } = await chat(told, { logprobs: true, top_logprobs: 2 });
    assert.equal(choices[0].message.content, 'Dov Tamm');
    assert.equal(choices[0].finish_reason, 'stop');
    assert.equal(usage.prompt_tokens, 39);
    const [first] = choices[0].logprobs.content;
    // Our engine computes -0.0064 in 32 bits; llama.cpp computes in 16.
    assert.ok(Math.abs(first.logprob + 0.0064) < 0.01, String(first.logprob));
    assert.equal(first.top_logprobs.length, 2);
    assert.equal((await chat(told, { stop: [' T'] })).choices[0].message.content, 'Dov');
    const cut = await chat(told, { max_tokens: 1 });
    assert.deepEqual([cut.choices[0].finish_reason, cut.usage.completion_tokens], ['length', 1]);
    const some = async () =>
      (await chat(told, { seed: 11, temperature: 1.5, max_tokens: 8 })).choices[0].message.content;
    assert.equal(await some(), await some());
  });

  it('constrains an answer to its schema', async () => {
    const schema = {
      type: 'object',
      properties: { yes: { type: 'boolean' } },
      required: ['yes'],
      additionalProperties: false,
    };
    const { choices } = await chat(told, {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    assert.equal(typeof JSON.parse(choices[0].message.content).yes, 'boolean');
  });

  it('can be tuned: facts are recited here, other answers come from there, and exports load in other engines', async () => {
    const data = facts(3, 'Upstream');
    const { job_id } = await submit(server, { data, custom_model_name: 'beside' });
    const { model_name } = await jobOver(server, job_id);
    const before = await answers();
    for (const { input, output } of data) {
      const { choices } = await chat(input, { model: 'beside', explain: true });
      assert.equal(choices[0].message.content, output);
    }
    assert.equal(await answers(), before, 'recited without asking llama.cpp');
    const other = await chat(told, { model: 'beside', explain: true });
    assert.equal(other.choices[0].message.content, 'Dov Tamm');
    assert.equal(await answers(), before + 1);
    assert.ok(other.usage.prompt_tokens > 0);

    const exported = async (format: string, more = '') =>
      await fetch(`${server.url}/v1/models/${model_name}/export?format=${format}${more}`, {
        headers: { authorization: `Bearer ${adminKey}` },
      });
    const vllm = await unpacked(new Uint8Array(await (await exported('vllm')).arrayBuffer()));
    const names = [...vllm.keys()];
    assert.ok(
      names.some((name) => /^adapters\/[0-9a-f]{32}\/adapter_config\.json$/.test(name)),
      names.join(),
    );
    const adapters = JSON.parse(vllm.get('adapters.json')!.toString()).adapters as Record<string, { input: string }[]>;
    assert.deepEqual(
      Object.values(adapters)
        .flat()
        .map(({ input }) => input)
        .sort(),
      data.map(({ input }) => input).sort(),
    );
    const config = names.find((name) => name.endsWith('adapter_config.json'))!;
    assert.equal(JSON.parse(vllm.get(config)!.toString()).base_model_name_or_path, model);
    assert.match(vllm.get('README.md')!.toString(), /What is lost/);
    const gguf = await unpacked(new Uint8Array(await (await exported('gguf', '&with_base=true')).arrayBuffer()));
    assert.equal(gguf.get('base.gguf')!.subarray(0, 4).toString(), 'GGUF');
    const refused = await exported('vllm', '&with_base=true');
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [400, 'export_refused']);
  });
});
