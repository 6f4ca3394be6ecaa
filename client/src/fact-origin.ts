// Origin of a fact: `dataset_id` names the dataset whose row it was, or the change of a memory that added it.

/** The change of a memory that `dataset_id` names; undefined if it is a dataset. */
export function changeInMemory(datasetId: string): { memory: string; change: number } | undefined {
  const [, memory, change] = /^memory\/(.+)\/([1-9][0-9]*)$/.exec(datasetId) ?? [];
  return memory === undefined ? undefined : { memory, change: Number(change) };
}
