// Merges streams of answers, at most `width` of them concurrently, in the order in which they grow.
import type { Delta } from '../engine/protocol.ts';
import type { DocumentedEnd } from '../inference/model-client.ts';

export type Grown =
  | { choice: number; delta: Delta; end?: never }
  | { choice: number; end: DocumentedEnd; delta?: never };

type Step = { choice: number; step: IteratorResult<Delta, DocumentedEnd> };

export async function* mergeStreams(
  answers: AsyncGenerator<Delta, DocumentedEnd>[],
  width: number,
): AsyncGenerator<Grown> {
  const next = (choice: number) => answers[choice]!.next().then((step): Step => ({ choice, step }));
  const waiting = new Map<number, Promise<Step>>();
  let begun = 0;
  const begin = () => {
    for (; begun < answers.length && waiting.size < width; begun++) waiting.set(begun, next(begun));
  };
  try {
    begin();
    while (waiting.size > 0) {
      const { choice, step } = await Promise.race(waiting.values());
      if (step.done) {
        waiting.delete(choice);
        begin();
        yield { choice, end: step.value };
      } else {
        waiting.set(choice, next(choice));
        yield { choice, delta: step.value };
      }
    }
  } finally {
    for (const pending of waiting.values()) pending.catch(() => {});
    await Promise.all(answers.map((answer) => answer.return(undefined as never).catch(() => {})));
  }
}
