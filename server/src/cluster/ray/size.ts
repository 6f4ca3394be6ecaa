// Size of a Ray cluster as nodes of equal slots, from the resources of its nodes.
import type { Capacity } from '../cluster.ts';

/** The largest total of slots over nodes with the same number of slots, since jobs request a number of slots on each of their nodes. */
export function sizeOf(nodes: readonly Record<string, number>[], resource: string): Capacity {
  const slots = nodes.map((node) => Math.floor(node[resource] ?? 0)).filter((count) => count > 0);
  const sizes = [...new Set(slots)].map((count) => ({
    nodes: slots.filter((one) => one >= count).length,
    slots: count,
  }));
  sizes.sort((one, other) => other.nodes * other.slots - one.nodes * one.slots || other.slots - one.slots);
  return sizes[0] ?? { nodes: 0, slots: 0 };
}

/** The maximum of each dimension. */
export function larger(one: Capacity, other: Capacity): Capacity {
  return { nodes: Math.max(one.nodes, other.nodes), slots: Math.max(one.slots, other.slots) };
}
