/** Collects an async iterable into a list, since Node 20 has no Array.fromAsync. */
export async function gathered<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
