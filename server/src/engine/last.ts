// The end of an answer whose pieces nobody reads.

export async function last<Result>(pieces: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = await pieces.next();
    if (step.done) return step.value;
  }
}
