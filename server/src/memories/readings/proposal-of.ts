// A fact found in a file, as a proposal.
import type { FoundFact } from '../../documents/facts/found-fact.ts';
import type { OwnReading } from './readings.ts';

export const proposalOf = (
  { index_id, assignee }: Pick<OwnReading, 'index_id' | 'assignee'>,
  file: { id: number; name: string },
  { input, output, subject, quote, page, confidence, asked }: FoundFact,
) => ({
  ...{ kind: 'document' as const, input, output, subject: subject.trim() || undefined, quote, confidence },
  ...{ withdraws: undefined, assignee: assignee ?? undefined, asked },
  source: {
    ...{ document: file.name.slice(0, 1000), index_id, file_id: file.id, page: page ?? undefined },
    conversation: undefined,
  },
});
