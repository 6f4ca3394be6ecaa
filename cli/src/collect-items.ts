/** Collects up to `most` items of an async iterable into a list, since Node 20 has no Array.fromAsync. */
export async function collectItems<Item>(items: AsyncIterable<Item>, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length >= most) break;
  }
  return all;
}
