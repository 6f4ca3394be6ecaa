// The manifests for Kubernetes (deploy/kubernetes) against the product: settings, health routes, names, ports, and the version of Ray.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { health, readiness } from '@lorekeep/contract';
import { checkout, settings } from '../../config/settings.ts';

const folder = join(checkout, 'deploy/kubernetes');
const files = globSync('**/*.yaml', { cwd: folder }).sort();

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
type Manifest = any;

/** Every document of a file. The engine's packages have a parser of YAML. */
function read(file: string): Manifest[] {
  const program = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))';
  return JSON.parse(
    execFileSync(join(checkout, '.setup/engine/bin/python'), ['-c', program, join(folder, file)], { encoding: 'utf8' }),
  );
}

const documents = new Map(files.map((file) => [file, read(file)]));
const all = [...documents.values()].flat();
const named = (kind: string, name: string): Manifest =>
  all.find((one) => one.kind === kind && one.metadata?.name === name);
const server = named('Deployment', 'lorekeep').spec.template.spec;
const ray = named('RayCluster', 'lorekeep').spec;
const [workers] = ray.workerGroupSpecs;
const nodes = [ray.headGroupSpec.template.spec, workers.template.spec];
const pods = [server, ...nodes, named('StatefulSet', 'ray-redis').spec.template.spec];
const envOf = (container: Manifest): Record<string, string | undefined> =>
  Object.fromEntries((container.env ?? []).map(({ name, value }: Manifest) => [name, value]));
const env = envOf(server.containers[0]);
const dockerfile = readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8');

/** Every object within, at any depth. */
function* within(value: unknown): Generator<Manifest> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const one of Object.values(value)) yield* within(one);
}

describe('the manifests for Kubernetes', () => {
  it('name files that are there, and every file is named', () => {
    for (const file of files.filter((one) => basename(one) === 'kustomization.yaml')) {
      const [{ resources, patches = [] }] = documents.get(file)!;
      const beside = files.filter((one) => dirname(one) === dirname(file) && one !== file).map((one) => basename(one));
      const used = [...resources, ...patches.map(({ path }: Manifest) => path)].filter((one) => one !== '..');
      assert.deepEqual(used.sort(), beside.sort());
    }
  });

  it('set no variable that is no setting, and values that a setting takes', () => {
    const set = all.flatMap((one) => [...within(one)]).filter(({ name }) => /^LOREKEEP_/.test(name ?? ''));
    const inImage = [...dockerfile.matchAll(/(LOREKEEP_\w+)=(\S+)/g)].map(([, name, value]) => ({ name, value }));
    assert.ok(set.length > 8 && inImage.length > 0);
    for (const { name, value } of [...set, ...inImage] as { name: string; value?: string }[]) {
      const setting = settings[name.replace('LOREKEEP_', '').toLowerCase() as keyof typeof settings];
      assert.ok(setting, `${name} is no setting`);
      if (value !== undefined) assert.ok(setting.schema.safeParse(value).success, `${name}=${value}`);
    }
    // Those of a Service named lorekeep would be taken for settings.
    for (const pod of pods) assert.equal(pod.enableServiceLinks, false);
  });

  it('probe routes that are there, on ports that are listened on', () => {
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = server.containers;
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map((probe) => probe.httpGet.path),
      [health.path, health.path, readiness.path],
    );
    assert.equal(String(ports[0].containerPort), env.LOREKEEP_PORT);
    assert.ok(dockerfile.includes(`EXPOSE ${env.LOREKEEP_PORT}\n`));
    const names = pods.flatMap(({ containers }) => containers).flatMap(({ ports = [] }) => ports);
    for (const { spec } of all.filter(({ kind }) => kind === 'Service'))
      for (const { targetPort } of spec.ports) assert.ok(names.some(({ name }) => name === targetPort));
    const { hostname, port } = new URL(env.LOREKEEP_RAY_ADDRESS!);
    // KubeRay names the service of a head after its cluster.
    assert.equal(hostname, `${named('RayCluster', 'lorekeep').metadata.name}-head-svc`);
    assert.ok(nodes[0].containers[0].ports.some(({ containerPort }: Manifest) => String(containerPort) === port));
  });

  it('give every pod one user, one image and one home, from claims and secrets that are there', () => {
    for (const pod of [server, ...nodes]) {
      const [{ image, volumeMounts }] = pod.containers;
      assert.deepEqual([image, pod.securityContext.runAsUser], ['lorekeep', 1000]);
      const home = volumeMounts.find(({ name }: Manifest) => name === 'home');
      assert.equal(home.mountPath, env.LOREKEEP_HOME);
      const volumes = new Map<string, Manifest>(pod.volumes.map((volume: Manifest) => [volume.name, volume]));
      assert.equal(volumes.get('home')!.persistentVolumeClaim.claimName, 'lorekeep-home');
      for (const { name } of volumeMounts) assert.ok(volumes.has(name), name);
      for (const { persistentVolumeClaim } of volumes.values())
        if (persistentVolumeClaim) assert.ok(named('PersistentVolumeClaim', persistentVolumeClaim.claimName));
    }
    assert.deepEqual(named('PersistentVolumeClaim', 'lorekeep-home').spec.accessModes, ['ReadWriteMany']);
    const generated = all.flatMap(({ secretGenerator = [] }) => secretGenerator);
    const keys = new Map<string, string>(generated.map(({ name, files: [file] }) => [name, file.split('=')[0]]));
    for (const { secretKeyRef } of all.flatMap((one) => [...within(one)]).filter((one) => one.secretKeyRef))
      assert.equal(keys.get(secretKeyRef.name), secretKeyRef.key);
    // KubeRay reads this key of the secret, and the server the same as a file.
    assert.equal(keys.get(ray.authOptions.secretName), 'auth_token');
    const mount = server.containers[0].volumeMounts.find(({ name }: Manifest) => name === 'ray-token').mountPath;
    assert.equal(env.LOREKEEP_RAY_TOKEN_FILE, `${mount}/auth_token`);
  });

  it('say one version of Ray, one size of the cluster, and the variables of the guide', () => {
    const [, version] = /^ray==(.+)$/m.exec(readFileSync(join(checkout, 'engine/ray.lock'), 'utf8'))!;
    assert.equal(ray.rayVersion, version);
    assert.equal(ray.headGroupSpec.rayStartParams['num-gpus'], '0');
    assert.equal(String(workers.maxReplicas), env.LOREKEEP_RAY_MAX_NODES);
    const gpus = workers.template.spec.containers[0].resources.limits['nvidia.com/gpu'];
    assert.equal(gpus, env.LOREKEEP_RAY_NODE_SLOTS);
    const guide = readFileSync(join(checkout, 'docs/guide/cluster.md'), 'utf8');
    const health = [...guide.matchAll(/\b(RAY_(?:health_check|grpc_client)\w+)=(\d+)/g)];
    assert.ok(health.length >= 6);
    const { data } = named('ConfigMap', 'ray-settings');
    for (const [, name, value] of health) assert.equal(data[name!], value, name);
    for (const node of nodes)
      assert.ok(node.containers[0].envFrom.some(({ configMapRef }: Manifest) => configMapRef.name === 'ray-settings'));
  });
});
