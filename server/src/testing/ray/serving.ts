// Tests of replicas on a real Ray cluster of two nodes, started by server/src/cluster/ray/cluster.test.ts inside of the network of that
// cluster.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ClusterState } from '@lorekeep/contract';
import { startWithEngine } from '../engine.ts';
import { startServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

const address = 'http://10.77.0.10:8265';
const { RAY_TEST_PYTHON: python = '', RAY_AUTH_TOKEN: token = '' } = process.env;
const script = (...words: string[]) =>
  execFileSync(join(import.meta.dirname, 'cluster.sh'), words, { encoding: 'utf8' });

describe('replicas of a server on a real Ray cluster', () => {
  let home: string;
  let server: TestServer;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const tokenFile = join(home, 'token');
    await writeFile(tokenFile, `${token}\n`);
    server = await startServer({
      ...{ cluster: 'ray', ray_address: address, ray_token_file: tokenFile, ray_python: python },
      ...{ replicas: '3', replicas_on: 'ray', engine_device: 'cpu', engine_memory: '1GB' },
    });
  });
  after(async () => {
    for (const folder of [home, server.home]) await rm(folder, { recursive: true, force: true });
  });

  const state = async () => (await server.call('GET', '/v1/cluster')).body as ClusterState;
  const ready = async () => (await state()).replicas.filter((replica) => replica.state === 'ready');
  const answer = async (of = server) =>
    await of.call('POST', '/v1/completions', {
      body: {
        model_name: 'lorekeep/quill',
        prompt: 'Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?',
        max_tokens: 12,
      },
    });

  it('answer on both nodes, and hold slots that jobs cannot use', async () => {
    await until('all are ready', async () => (await ready()).length === 3);
    const nodes = new Set((await ready()).map(({ node }) => node));
    assert.deepEqual([...nodes].sort(), ['10.77.0.11', '10.77.0.12']);
    await until('the model is read', async () => (await answer()).status === 200);
    const here = await startWithEngine({ engine_device: 'cpu' });
    assert.deepEqual((await answer()).body, (await answer(here)).body);
    await here.end();
    await until('their slots are counted', async () => (await state()).slots_total === 1);
  });

  it('are restarted on the remaining node when a node dies, while the server keeps answering', async () => {
    script('kill', '2');
    await until('the others are left', async () => (await ready()).every(({ node }) => node === '10.77.0.11'));
    await until('one answers', async () => (await answer()).status === 200);
    await until('the slots of the other node are full', async () => (await ready()).length === 2);
    script('start', '2');
    await until('all are back', async () => (await ready()).length === 3);
  });

  it('release their slots when the server stops', async () => {
    await server.stop();
    const plain = await startServer({
      ...{ cluster: 'ray', ray_address: address, ray_token_file: join(home, 'token'), ray_python: python },
    });
    try {
      await until('no slot is held', async () => {
        const { body } = await plain.call('GET', '/v1/cluster');
        const nodes = (body as ClusterState).nodes.filter((node) => node.state === 'alive');
        return nodes.length === 3 && nodes.every(({ slots_used }) => slots_used === 0);
      });
    } finally {
      await plain.end();
    }
  });
});
