// Erases texts of facts in proposals. A proposal of the fact loses all its texts, and is rejected if it is open. A proposal of
// another fact loses only the texts that hold the erased one.
import type { ProposalRow } from '../../store/tables/proposal.ts';
import { erasedMark } from '../erased-text.ts';
import { type ErasureScope, preselects, rowsAtOnce } from './kept-place.ts';

const factTexts = ['input', 'output', 'withdraws', 'accepted_input', 'accepted_output'] as const;
const others = ['subject', 'quote', 'document', 'conversation', 'assignee', 'reason'] as const;

export interface ErasedProposals {
  count: number;
  /** Numbers of the rejected open proposals, by the name of their memory. */
  rejected: Map<string, number[]>;
}

export async function eraseProposals(place: ErasureScope): Promise<ErasedProposals> {
  const { change, accountId, text } = place;
  const rejected = new Map<string, number[]>();
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await change
      .selectFrom('memory_proposals as proposal')
      .innerJoin('memories', 'memories.id', 'proposal.memory_id')
      .selectAll('proposal')
      .select('memories.name')
      .where('memories.account_id', '=', accountId)
      .where('proposal.id', '>', after)
      .where(preselects(place, ...[...factTexts, ...others].map((column) => `proposal.${column}`)))
      .orderBy('proposal.id')
      .limit(rowsAtOnce)
      .execute();
    if (rows.length === 0) return { count, rejected };
    after = rows.at(-1)!.id;
    for (const { name, ...row } of rows) {
      const holds = (column: (typeof factTexts | typeof others)[number]) =>
        row[column] !== null && text.isIn(row[column], false);
      const whole = factTexts.some(holds);
      const gone = (whole ? [...factTexts, ...others] : others.filter(holds)).filter((column) => row[column] !== null);
      if (gone.length === 0) continue;
      await change
        .updateTable('memory_proposals')
        .set(valuesOf(row, gone, whole))
        .where('id', '=', row.id)
        .execute();
      count++;
      if (whole && row.state === 'open') rejected.set(name, [...(rejected.get(name) ?? []), row.number]);
    }
  }
}

type Row = Pick<ProposalRow, 'state' | 'input' | 'output' | 'quote'>;

function valuesOf(row: Row, gone: (keyof ProposalRow)[], whole: boolean): Partial<Omit<ProposalRow, 'id'>> {
  const left: Row = { ...row, ...Object.fromEntries(gone.map((column) => [column, erasedMark])) };
  const values = {
    ...Object.fromEntries(gone.map((column) => [column, erasedMark])),
    search: [left.input, left.output ?? '', left.quote ?? ''].join('\n').toLowerCase(),
    ...(whole && { question: erasedMark }),
  };
  if (!whole || row.state !== 'open') return values;
  return {
    ...values,
    ...{ state: 'rejected', reason: 'Its fact was erased.', decided_by: 'server', decided_at: Date.now() },
  };
}
