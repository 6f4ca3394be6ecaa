// lorekeep memory read: proposes facts for a memory from the documents of an index.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reading } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command } from '../command.ts';
import { EndedError } from '../exit.ts';
import { count, wholeNumber } from '../format.ts';
import { table } from '../terminal.ts';
import { indexNumber } from './index-number.ts';

export const memoryRead: Command = {
  name: 'memory read',
  summary: 'propose the facts that documents of an index state, each with its quote and page',
  words: 'NAME INDEX [FILE ...]',
  names: 'tuned',
  options: {
    confidence: { value: 'SHARE', about: 'only facts with at least this confidence, 0 to 1' },
    assignee: { value: 'WHO', about: 'the person who decides' },
    'no-base': { about: 'ask no model: tables, key-value lines, headings and plain sentences alone' },
    watch: { short: 'w', about: 'wait until it is done' },
  },
  async run(context, given) {
    const [name, index, ...words] = given.words as [string, string, ...string[]];
    const files = words.map((word) => wholeNumber(word, 'a file'));
    const index_id = await indexNumber(context, index);
    const asked = { name, index_id, min_confidence: given.number('confidence') ?? 0, assignee: given.text('assignee') };
    const only = { ask_base: !given.is('no-base'), ...(files.length > 0 && { files }) };
    let reading: Reading = await context.client().createReading({ ...asked, ...only }, context);
    while (given.is('watch') && reading.state === 'running') {
      await sleep(300, undefined, { signal: context.signal });
      reading = await context.client().showReading({ name, id: reading.id }, context);
    }
    if (reading.state === 'failed') throw new EndedError(`The reading ${reading.id} failed: ${reading.notices.at(-1)}`);
    context.show(reading, () => String(reading.id));
    for (const notice of reading.notices) context.terminal.say(notice);
    context.terminal.say(
      `${count(reading.files_done, 'file')} of ${reading.files} read, ${count(reading.proposed, 'proposal')}: ` +
        `${context.program} memory proposals ${name}`,
    );
  },
};

export const memoryReadings: Command = {
  name: 'memory readings',
  summary: 'documents that were read for a memory, newest first',
  words: 'NAME',
  names: 'tuned',
  async run(context, given) {
    const readings = await collectItems(context.client().allReadings({ name: given.words[0]!, limit: 1000 }, context));
    context.show(readings, () =>
      table([
        ['ID', 'INDEX', 'STATE', 'FILES', 'PROPOSED', 'KNOWN', 'NOTICES'],
        ...readings.map((one) => [
          ...[String(one.id), String(one.index_id), one.state, `${one.files_done}/${one.files}`],
          ...[String(one.proposed), String(one.known), one.notices.join(' ')],
        ]),
      ]),
    );
  },
};
