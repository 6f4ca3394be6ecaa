// Nodes of a Ray cluster with their slots and what has reserved them, from Ray's lists of nodes and of placement groups.
import type { ClusterNode } from '../cluster.ts';
import type { PlacementGroup, RayNode, Usage } from './api.ts';

/** Ray's list keeps dead nodes until its head is replaced. */
const lostMs = 86_400_000;
const maxLost = 50;

/** Id of an attempt as a job of Ray; its driver gives the placement group the same name. */
export const submissionId = (name: string, attempt: number) => `${prefixOf(name)}${attempt}`;
export const prefixOf = (name: string) => `lk-${name.slice(0, 24)}-`;

/** Whether a run is a replica of the engine, whose slots belong to no job. */
const isServing = (name: PlacementGroup['name']) => name?.startsWith('lk-replica-') ?? false;

/** Resources of each living node, less the slots of replicas. */
export function aliveOf(
  nodes: readonly RayNode[],
  groups: readonly PlacementGroup[],
  resource: string,
): Record<string, number>[] {
  const serving = groups
    .filter(({ name, state }) => state !== 'REMOVED' && isServing(name))
    .flatMap(({ bundles }) => bundles ?? []);
  return nodes.filter(isAlive).map(({ node_id, resources_total }) => {
    const held = serving
      .filter((bundle) => bundle.node_id === node_id)
      .reduce((sum, { unit_resources }) => sum + slotsIn(unit_resources, resource), 0);
    return { ...resources_total, ...(held > 0 && { [resource]: slotsIn(resources_total, resource) - held }) };
  });
}

/** Slots of all living nodes that neither own runs nor replicas hold. If the usage of nodes is unknown, work without a
 * group is not counted. */
export function heldByOthers(
  nodes: readonly RayNode[],
  groups: readonly PlacementGroup[],
  usage: Usage | undefined,
  resource: string,
  ownPrefixes: readonly string[],
): number {
  const held = (nodeId: string, counts: (group: PlacementGroup) => boolean) =>
    groups
      .filter((group) => group.state === 'CREATED' && counts(group))
      .flatMap(({ bundles }) => bundles ?? [])
      .filter(({ node_id }) => node_id === nodeId)
      .reduce((sum, { unit_resources }) => sum + (unit_resources?.[resource] ?? 0), 0);
  const ours = ({ name }: PlacementGroup) => isServing(name) || ownPrefixes.some((prefix) => name?.startsWith(prefix));
  return nodes
    .filter(isAlive)
    .map(({ node_id }) => {
      const used = usedOf(usage?.[node_id], resource) ?? held(node_id, () => true);
      return Math.max(0, Math.ceil(used - held(node_id, ours)));
    })
    .reduce((sum, slots) => sum + slots, 0);
}

/** The report spells names of resources in camel case: "gpu_slot" is "gpuSlot". */
function usedOf(usage: Usage[string] | undefined, resource: string): number | undefined {
  const [first, ...more] = resource.split('_');
  const camel = [first, ...more.map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())].join('');
  return (usage?.[resource] ?? usage?.[camel])?.[0];
}

/** `running`: names of jobs; a group of no such job is work of others. */
export function nodesOf(
  nodes: readonly RayNode[],
  groups: readonly PlacementGroup[],
  resource: string,
  running: readonly string[],
  now: number,
): ClusterNode[] {
  const alive = nodes.filter(isAlive).map(
    (node): ClusterNode => ({
      ...named(node),
      state: 'alive',
      slots: slotsIn(node.resources_total, resource),
      held: heldOn(node.node_id, groups, resource, running),
    }),
  );
  const seen = new Set(alive.map(({ name }) => name));
  const lost: ClusterNode[] = [];
  for (const node of nodes.filter((one) => isLost(one, now)).sort(byEnd)) {
    const { name, address } = named(node);
    // The node came back as another one, or was lost several times.
    if (seen.has(name) || lost.length === maxLost) continue;
    seen.add(name);
    lost.push({ name, address, state: 'lost', slots: slotsIn(node.resources_total, resource), held: [] });
  }
  return [...alive, ...lost].sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}

function heldOn(
  nodeId: string,
  groups: readonly PlacementGroup[],
  resource: string,
  running: readonly string[],
): ClusterNode['held'] {
  const held: ClusterNode['held'] = [];
  for (const { name, state, bundles } of groups) {
    if (state === 'REMOVED') continue;
    const job = running.find((one) => name?.startsWith(prefixOf(one))) ?? null;
    // The last of several bundles of a run is the coordinator's CPU, which is no slot.
    const ofSlots = job && bundles && bundles.length > 1 ? bundles.slice(0, -1) : (bundles ?? []);
    const here = ofSlots.filter(({ node_id }) => node_id === nodeId);
    const slots = here.reduce((sum, { unit_resources }) => sum + slotsIn(unit_resources, resource), 0);
    if (slots > 0) held.push({ job, slots, ...(isServing(name) && { serving: true }) });
  }
  return held;
}

const isAlive = ({ state }: RayNode) => state === 'ALIVE';
/** A node that an autoscaler removes ends as expected, and is not lost. */
const isLost = ({ state, state_message, end_time_ms }: RayNode, now: number) =>
  state === 'DEAD' &&
  !/^(expected termination|terminated due to idle)/i.test(state_message ?? '') &&
  (end_time_ms ?? 0) > now - lostMs;
const byEnd = (one: RayNode, other: RayNode) => (other.end_time_ms ?? 0) - (one.end_time_ms ?? 0);
const slotsIn = (resources: RayNode['resources_total'], resource: string) => Math.floor(resources?.[resource] ?? 0);
const named = ({ node_id, node_ip, node_name }: RayNode) => ({
  name: node_name || node_ip || node_id,
  address: node_ip ?? null,
});
