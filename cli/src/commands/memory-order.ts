// Orders a change of a memory, and waits for its version on request.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeMemoryArgs, MemoryChange } from '@lorekeep/client';
import type { Context, Option, ParsedArguments } from '../command.ts';
import { EndedError, PartlyError } from '../exit.ts';

export const reason = { value: 'TEXT', about: 'why; kept with the change' };

export const ordering: Record<string, Option> = {
  reason,
  expected: { value: 'NUMBER', about: 'the expected published version; refused if another one is published' },
  watch: { short: 'w', about: 'wait until it is over' },
};

type Facts = Pick<ChangeMemoryArgs, 'add' | 'change' | 'withdraw' | 'expected_version'>;

export async function order(context: Context, given: ParsedArguments, facts: Facts): Promise<void> {
  const name = given.words[0]!;
  const about = { expected_version: given.number('expected'), reason: given.text('reason') };
  await reportChange(context, given, name, await context.client().changeMemory({ name, ...about, ...facts }, context));
}

/** Reports an ordered change, after its end if the command waits for it. */
export async function reportChange(
  context: Context,
  given: ParsedArguments,
  name: string,
  ordered: MemoryChange,
): Promise<MemoryChange> {
  let change = ordered;
  const { number } = change;
  while (given.is('watch') && change.finished_at === null) {
    await sleep(300, undefined, { signal: context.signal });
    change = await context.client().showMemoryChange({ name, number }, context);
  }
  if (change.state === 'failed') throw new EndedError(`The change ${number} failed: ${change.error}`);
  if (change.state === 'held')
    throw new PartlyError(`Version ${change.version} is held: ${change.error?.replace(/\.$/, '')}.`);
  context.show(change, () => String(change.version ?? number));
  if (change.version !== null) context.terminal.say(`Version ${change.version} is published.`);
  else context.terminal.say(`The change ${number} is ${change.state}: ${context.program} memory changes ${name}`);
  return change;
}
