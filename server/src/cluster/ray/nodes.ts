// Nodes of a Ray cluster with their slots and what has reserved them, from Ray's lists of nodes and of placement groups.
import type { ClusterNode } from '../cluster.ts';
import type { PlacementGroup, RayNode, Usage } from './api.ts';

/** Ray's list keeps dead nodes until its head is replaced. */
const lostMs = 86_400_000;
const maxLost = 50;

/** Id of an attempt as a job of Ray; its driver names the placement group alike. */
export const submissionId = (name: string, attempt: number) => `${prefixOf(name)}${attempt}`;
export const prefixOf = (name: string) => `lk-${name.slice(0, 24)}-`;

/** Runs of these names are replicas of the engine: what they hold is no job's. */
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

/** Slots of each living node that neither runs of ours nor replicas hold. Where the usage of nodes is not known,
 * work without a group is not either. */
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

/** The report spells names of resources in its own way: "gpu_slot" is "gpuSlot". */
function usedOf(usage: Usage[string] | undefined, resource: string): number | undefined {
  const [first, ...more] = resource.split('_');
  const camel = [first, ...more.map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())].join('');
  return (usage?.[resource] ?? usage?.[camel])?.[0];
}

/** `running` are names of jobs; a group of none of them is work of others. */
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
    // It came back as another node, or was lost several times.
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
/** An autoscaler that takes a node away ends it as expected. */
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
