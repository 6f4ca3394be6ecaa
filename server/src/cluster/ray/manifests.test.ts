// The manifests for Kubernetes (deploy/kubernetes) against the product: settings, health routes, names, ports, and the version of Ray.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { health, readiness } from '@lorekeep/contract';
import { checkout, settings } from '../../config/settings.ts';

const folder = join(checkout, 'deploy/kubernetes');
const files = globSync('**/*.yaml', { cwd: folder }).sort();

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
type Manifest = any;

/** Every document of a text. The engine's packages have a parser of YAML. */
function read(input: string): Manifest[] {
  const program = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))';
  const python = join(checkout, '.setup/engine/bin/python');
  return JSON.parse(execFileSync(python, ['-c', program], { encoding: 'utf8', input }));
}

const documents = new Map(files.map((file) => [file, read(readFileSync(join(folder, file), 'utf8'))]));
const all = [...documents.values()].flat();
const named = (kind: string, name: string): Manifest =>
  all.find((one) => one.kind === kind && one.metadata?.name === name);
const server = named('Deployment', 'lorekeep').spec.template;
const ray = named('RayCluster', 'lorekeep').spec;
const [workers] = ray.workerGroupSpecs;
const nodes = [ray.headGroupSpec.template.spec, workers.template.spec];
const pods = [server.spec, ...nodes, named('StatefulSet', 'ray-redis').spec.template.spec];
const envOf = (container: Manifest): Record<string, string | undefined> =>
  Object.fromEntries((container.env ?? []).map(({ name, value }: Manifest) => [name, value]));
const env = envOf(server.spec.containers[0]);
const dockerfile = readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8');

/** The optional components, as they are commented out in the file. */
const parts = '\n# components:\n#   - with-replicas\n#   - with-redis\n';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** All manifests as kubectl combines them, with the files of an operator. */
function kustomized(components: readonly string[]): Manifest[] {
  const copy = mkdtempSync(join(tmpdir(), 'lorekeep-test-'));
  try {
    cpSync(folder, copy, { recursive: true });
    mkdirSync(join(copy, 'secrets'), { recursive: true });
    for (const file of ['secrets/ray-token', 'secrets/admin-key', 'with-redis/redis-password'])
      writeFileSync(join(copy, file), 'secret');
    const main = join(copy, 'kustomization.yaml');
    const wanted = components.length === 0 ? '' : `components: ${JSON.stringify(components)}\n`;
    writeFileSync(main, readFileSync(main, 'utf8').replace(parts, `\n${wanted}`));
    return read(execFileSync('kubectl', ['kustomize', copy], { encoding: 'utf8' }));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** All nested objects, at any depth. */
function* within(value: unknown): Generator<Manifest> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const one of Object.values(value)) yield* within(one);
}

describe('the manifests for Kubernetes', () => {
  it('name only existing files, and every file', () => {
    for (const file of files.filter((one) => basename(one) === 'kustomization.yaml')) {
      const [{ resources = [], patches = [] }] = documents.get(file)!;
      const beside = files.filter((one) => dirname(one) === dirname(file) && one !== file).map((one) => basename(one));
      const used = [...resources, ...patches.map(({ path }: Manifest) => path)].filter((one) => one !== '..');
      assert.deepEqual(used.sort(), beside.sort());
    }
  });

  it('set only known settings, to valid values', () => {
    const set = all.flatMap((one) => [...within(one)]).filter(({ name }) => /^LOREKEEP_/.test(name ?? ''));
    const inImage = [...dockerfile.matchAll(/(LOREKEEP_\w+)=(\S+)/g)].map(([, name, value]) => ({ name, value }));
    assert.ok(set.length > 8 && inImage.length > 0);
    for (const { name, value } of [...set, ...inImage] as { name: string; value?: string }[]) {
      const setting = settings[name.replace('LOREKEEP_', '').toLowerCase() as keyof typeof settings];
      assert.ok(setting, `${name} is no setting`);
      if (value !== undefined) assert.ok(setting.schema.safeParse(value).success, `${name}=${value}`);
    }
    // Service links of a Service named lorekeep would be taken for settings.
    for (const pod of pods) assert.equal(pod.enableServiceLinks, false);
  });

  it('probe existing routes, on listening ports', () => {
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = server.spec.containers;
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

  it('give every pod one user, one image and one home, from existing claims and secrets', () => {
    for (const pod of [server.spec, ...nodes]) {
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
    // KubeRay reads this key of the secret, and the server reads it as a file.
    assert.equal(keys.get(ray.authOptions.secretName), 'auth_token');
    const mount = server.spec.containers[0].volumeMounts.find(({ name }: Manifest) => name === 'ray-token').mountPath;
    assert.equal(env.LOREKEEP_RAY_TOKEN_FILE, `${mount}/auth_token`);
  });

  it('let the server reach the dashboard and the ports of replicas, and nobody else reach Ray', () => {
    const { podSelector, ingress } = named('NetworkPolicy', 'ray').spec;
    const labels = server.metadata.labels;
    const from = (rule: Manifest) => rule.from.map((one: Manifest) => one.podSelector.matchLabels);
    assert.deepEqual(ingress.map(from), [[podSelector.matchLabels], [labels]]);
    const [own, ofServer] = ingress;
    assert.equal(own.ports, undefined);
    const [first, last] = settings.replicas_ports.schema.parse(env.LOREKEEP_REPLICAS_PORTS)!;
    assert.deepEqual(ofServer.ports, [
      { port: Number(new URL(env.LOREKEEP_RAY_ADDRESS!).port) },
      { port: first, endPort: last },
    ]);
    // Ray's processes take ports up to 19999 (`ray start --max-worker-port`).
    assert.ok(first > 19_999);
  });

  it('have room for replicas besides that for jobs, and name the component that adds them', () => {
    const [{ kind }] = documents.get('with-replicas/kustomization.yaml')!;
    assert.equal(kind, 'Component');
    assert.ok(readFileSync(join(folder, 'kustomization.yaml'), 'utf8').includes(parts));
    const [patch] = documents.get('with-replicas/server.yaml')!;
    assert.equal(patch.metadata.name, named('Deployment', 'lorekeep').metadata.name);
    const [container] = patch.spec.template.spec.containers;
    assert.equal(container.name, server.spec.containers[0].name);
    const more = envOf(container);
    assert.equal(more.LOREKEEP_REPLICAS_ON, env.LOREKEEP_CLUSTER);
    const { min, max } = settings.replicas.schema.parse(more.LOREKEEP_REPLICAS);
    const slots = Number(env.LOREKEEP_RAY_NODE_SLOTS);
    const [changes] = documents.get('with-replicas/nodes.yaml')!;
    const sizes = Object.fromEntries(changes.map(({ path, value }: Manifest) => [basename(path), value]));
    for (const { op, path } of changes) {
      assert.equal(op, 'replace');
      assert.equal(dirname(path), '/spec/workerGroupSpecs/0');
      assert.ok(basename(path) in workers);
    }
    assert.ok(sizes.minReplicas * slots >= min);
    assert.equal(sizes.maxReplicas * slots, Number(env.LOREKEEP_RAY_MAX_NODES) * slots + max);
    const [first, last] = settings.replicas_ports.schema.parse(env.LOREKEEP_REPLICAS_PORTS)!;
    assert.ok(last - first + 1 >= slots);
  });

  it('are combined by kubectl, with each component and both', { skip: !hasKubectl && 'kubectl is missing' }, () => {
    for (const components of [[], ['with-replicas'], ['with-redis'], ['with-replicas', 'with-redis']]) {
      const made = kustomized(components);
      const one = (kind: string) => made.find((manifest) => manifest.kind === kind);
      const { workerGroupSpecs, gcsFaultToleranceOptions } = one('RayCluster').spec;
      const [container] = one('Deployment').spec.template.spec.containers;
      assert.match(container.image, /^registry\.example\/lorekeep:/);
      const isServing = components.includes('with-replicas');
      const { LOREKEEP_REPLICAS_ON, LOREKEEP_CLUSTER } = envOf(container);
      assert.deepEqual([LOREKEEP_REPLICAS_ON, LOREKEEP_CLUSTER], [isServing ? 'ray' : undefined, 'ray']);
      assert.deepEqual([workerGroupSpecs[0].minReplicas, workerGroupSpecs[0].maxReplicas], isServing ? [1, 6] : [0, 4]);
      const [hasRedis, hasMemory] = [one('StatefulSet'), gcsFaultToleranceOptions].map((found) => found !== undefined);
      assert.deepEqual([hasRedis, hasMemory], [components.includes('with-redis'), hasRedis]);
    }
  });

  it('state one version of Ray, one size of the cluster, and the variables of the guide', () => {
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
