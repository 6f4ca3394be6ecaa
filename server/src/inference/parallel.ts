// Maps a list with bounded concurrency. Results keep the order of the list; the first failure fails the whole call.
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, place: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const place = next++;
      try {
        results[place] = await work(items[place]!, place);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
