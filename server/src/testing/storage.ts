// A real S3-compatible storage for tests: SeaweedFS on the loopback, with one key and one bucket. It can be killed and started
// again on the same data.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bucket } from '../blobs/s3/bucket.ts';
import { Credentials } from '../blobs/s3/credentials.ts';
import { Http, type HttpOptions, type RetryPolicy } from '../blobs/s3/http.ts';
import { checkout, type SettingName } from '../config/settings.ts';

const program = join(checkout, '.setup/storage/bin/weed');
/** The reason to skip a suite if there is no storage. */
export const noStorage: string | false =
  !existsSync(program) && 'no object storage: setup/python.sh storage could not set it up';

export const keys = { id: 'lorekeep-test', secret: 'a-secret-of-tests-0123456789' };
const environment = { AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: keys.secret };
const startSeconds = 60;
const maxStarts = 5;

export interface TestStorage {
  endpoint: string;
  /** A new prefix in the bucket of tests. */
  prefix(): string;
  /** Settings of a server that keeps its data there. */
  settings(prefix: string): Partial<Record<SettingName, string>>;
  kill(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

export async function startStorage(): Promise<TestStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  const identity = { name: 'test', credentials: [{ accessKey: keys.id, secretKey: keys.secret }], actions: ['Admin'] };
  await writeFile(join(folder, 's3.json'), JSON.stringify({ identities: [identity] }));
  const credentials = join(folder, 'credentials');
  const lines = `aws_access_key_id = ${keys.id}\naws_secret_access_key = ${keys.secret}\n`;
  await writeFile(credentials, `[other]\naws_access_key_id = other\n[default]\n${lines}`);
  let ports: number[] = [];
  let endpoint = '';
  let child: ChildProcess | undefined;
  let count = 0;
  const kill = async () => {
    if (!child) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    child = undefined;
  };
  // An interrupted test leaves nothing running.
  process.once('exit', () => child?.kill('SIGKILL'));
  const start = async () => {
    child = spawn(program, argumentsOf(folder, ports), {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, GOMAXPROCS: '2' },
    });
    await answers(endpoint, child);
  };
  // A free port may be taken before the program binds it. The program then ends and is restarted on other ports.
  for (let attempt = 1; ; attempt++) {
    ports = await freePorts(8);
    endpoint = `http://127.0.0.1:${ports[6]}`;
    try {
      await start();
      break;
    } catch (error) {
      if (attempt === maxStarts || (child as ChildProcess | undefined)?.exitCode == null) throw error;
      child = undefined;
    }
  }
  return {
    ...{ endpoint, kill, start },
    prefix: () => `test/${++count}/`,
    settings: (prefix) => ({
      ...{ storage: `s3://${testBucket}/${prefix}`, storage_endpoint: endpoint, storage_credentials: credentials },
    }),
    end: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function argumentsOf(folder: string, ports: number[]): string[] {
  const [master, masterRpc, volume, volumeRpc, filer, filerRpc, s3, s3Rpc] = ports;
  return [
    ...['-logtostderr=false', `-logdir=${folder}`, 'server', `-dir=${folder}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1'],
    ...[`-master.port=${master}`, `-master.port.grpc=${masterRpc}`, '-master.volumeSizeLimitMB=128'],
    ...['-master.electionTimeout=200ms', '-master.heartbeatInterval=50ms'],
    ...[`-volume.port=${volume}`, `-volume.port.grpc=${volumeRpc}`, '-volume.max=200'],
    ...['-filer', `-filer.port=${filer}`, `-filer.port.grpc=${filerRpc}`],
    ...['-s3', `-s3.port=${s3}`, `-s3.port.grpc=${s3Rpc}`, `-s3.config=${join(folder, 's3.json')}`],
    ...['-s3.port.iceberg=0', '-s3.port.lance=0', '-s3.iam=false', '-s3.autoCreateBucket=false'],
  ];
}

export const testBucket = 'tests';

export const optionsOf = (endpoint: string, closing = new AbortController().signal): HttpOptions => ({
  closing,
  ...{ endpoint: new URL(endpoint), bucket: testBucket, region: 'us-east-1', pathStyle: true },
  credentials: new Credentials('', environment),
});

export const bucketOf = (endpoint: string, prefix: string, patience: Partial<RetryPolicy> = {}): Bucket =>
  new Bucket(optionsOf(endpoint), prefix, patience);

/** Resolves when it accepts writes: the gateway answers before its parts have found each other. */
async function answers(endpoint: string, child: ChildProcess): Promise<void> {
  const begun = performance.now();
  for (;;) {
    try {
      const http = new Http(optionsOf(endpoint), { attempts: 1 });
      await http.call({ method: 'PUT' }).catch((error) => {
        if (error.status !== 409) throw error;
      });
      await http.call({ method: 'PUT', key: 'probe', body: Buffer.from('x') });
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() - begun > startSeconds * 1000) throw error;
      await sleep(100);
    }
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
