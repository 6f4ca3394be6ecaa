// Works on a list, so many at once and no more, and answers in the order of the list. The first that fails fails all.
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
