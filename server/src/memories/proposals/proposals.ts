// Proposals of memories for callers: create, list, accept, reject, assign, retract.
import {
  type AnswerOf,
  type acceptProposals,
  type BodyOf,
  type createProposals,
  type findConflicts,
  type MemoryChange,
  type Mistake,
  Refusal,
} from '@lorekeep/contract';
import { record } from '../../audit/record.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Store } from '../../store/database.ts';
import { storable } from '../fact-details.ts';
import type { Memories } from '../memories.ts';
import { type Change, type OwnMemory, shownChange } from '../memory-store.ts';
import { longFactText } from '../operations.ts';
import { lockForProposals } from '../texts-lock.ts';
import { conflictsOf } from './conflicts.ts';
import { acceptedOf, factsOf, markAccepted, mistake, requireOpenProposals } from './decide.ts';
import { invalid, type Outcome, type Proposed, propose } from './propose.ts';
import { type OwnProposal, queryInBatches } from './rows.ts';

/** Maximum number of proposals that an audit row names; the rest is counted. */
const maxNamed = 50;

type Action = 'rejected' | 'assigned' | 'withdrawn';

export class Proposals {
  readonly #store: Store;
  readonly #memories: Memories;

  constructor(store: Store, memories: Memories) {
    this.#store = store;
    this.#memories = memories;
  }

  async create(caller: Caller, name: string, proposed: Proposed[]): Promise<AnswerOf<typeof createProposals>> {
    const own = await this.#memories.own(caller, name);
    await this.#refuseOtherIndexes(own, proposed);
    const named = await this.#withNames(proposed);
    const proposals = await this.#locked(own, async (change, memory) => {
      const outcomes = await propose(change, memory, named, caller.account.name);
      await recordCreated(change, memory, outcomes);
      return outcomes;
    });
    return { created: proposals.filter(({ outcome }) => outcome === 'created').length, proposals };
  }

  async conflicts(
    caller: Caller,
    name: string,
    body: BodyOf<typeof findConflicts>,
  ): Promise<AnswerOf<typeof findConflicts>> {
    const own = await this.#memories.own(caller, name);
    return await this.#locked(own, async (change, memory) => {
      const { found, outcomes } = await conflictsOf(change, memory, body, caller.account.name);
      await recordCreated(change, memory, outcomes);
      return found;
    });
  }

  /** Adds the name of the document where only its file is given. */
  async #withNames(proposed: Proposed[]): Promise<Proposed[]> {
    const unnamed = proposed.flatMap(({ source }) => (source?.document === undefined ? (source?.file_id ?? []) : []));
    const rows = await queryInBatches([...new Set(unnamed)], async (some) =>
      this.#store.db.selectFrom('index_files').select(['id', 'index_id', 'name']).where('id', 'in', some).execute(),
    );
    const files = new Map(rows.map((row) => [row.id, row]));
    return proposed.map((one) => {
      const file = files.get(one.source?.file_id ?? Number.NaN);
      if (!one.source || !file || one.source.document !== undefined || file.index_id !== one.source.index_id)
        return one;
      return { ...one, source: { ...one.source, document: file.name.slice(0, 1000) } };
    });
  }

  /** Checks that the index of a source belongs to the same account. */
  async #refuseOtherIndexes({ account_id }: OwnMemory, proposed: Proposed[]): Promise<void> {
    const ids = [...new Set(proposed.flatMap(({ source }) => source?.index_id ?? []))];
    const rows = await queryInBatches(ids, async (some) =>
      this.#store.db
        .selectFrom('indexes')
        .select('id')
        .where('id', 'in', some)
        .where('account_id', '=', account_id)
        .where('deleted_at', 'is', null)
        .execute(),
    );
    const there = new Set(rows.map(({ id }) => id));
    const mistakes = proposed.flatMap(({ source }, at): Mistake[] => {
      const { index_id, file_id } = source ?? {};
      const loc = ['body', 'proposals', at, 'source'];
      if (index_id === undefined)
        return file_id === undefined ? [] : [{ loc, msg: 'a file_id needs its index_id', type: 'proposal' }];
      return there.has(index_id) ? [] : [{ loc, msg: `there is no index ${index_id}`, type: 'proposal' }];
    });
    if (mistakes.length > 0) throw invalid(mistakes);
  }

  async accept(
    caller: Caller,
    name: string,
    { proposals, reason }: BodyOf<typeof acceptProposals>,
    signal: AbortSignal,
  ): Promise<MemoryChange> {
    const own = await this.#memories.own(caller, name);
    await this.#refuseLong(own, proposals, signal);
    const ordered = await this.#locked(own, async (change, memory) => {
      if (memory.published === null) throw new Refusal('memory_empty', { name });
      const accepted = await acceptedOf(change, memory, proposals);
      const facts = await factsOf(change, memory, accepted, proposals);
      const made = await this.#memories.orderWithin(change, caller, memory, { ...facts, reason });
      await markAccepted(change, accepted, made);
      await this.#memories.recordOrder(change, memory, made);
      const numbers = accepted.map(({ row }) => row.number);
      const details = {
        ...{ change: made.number, count: numbers.length, numbers: numbers.slice(0, maxNamed) },
        edited: accepted.filter(({ edited }) => edited).length,
      };
      await record(change, { action: 'proposals.accepted', accountId: memory.account_id, subject: name, details });
      return made;
    });
    this.#memories.wake();
    return shownChange(ordered);
  }

  /** Refuses proposals that would become facts too long for the model. */
  async #refuseLong(own: OwnMemory, asked: BodyOf<typeof acceptProposals>['proposals'], signal: AbortSignal) {
    const accepted = await this.#store.db.transaction().execute(async (read) => acceptedOf(read, own, asked));
    const facts = accepted.map(({ input, output }) => ({ input, output: output ?? '' }));
    const long = [...(await this.#memories.tooLong(own, facts, signal))];
    if (long.length > 0) throw invalid(long.map(([at, why]) => mistake(at, longFactText(facts[at]!.input, why))));
  }

  async reject(caller: Caller, name: string, numbers: number[], reason: string) {
    return await this.#update(caller, name, numbers, 'rejected', (now) => ({
      ...{ state: 'rejected' as const, reason: storable(reason) },
      ...{ decided_by: caller.account.name, decided_at: now },
    }));
  }

  async withdraw(caller: Caller, name: string, numbers: number[], reason: string | undefined) {
    return await this.#update(caller, name, numbers, 'withdrawn', (now) => ({
      ...{ state: 'withdrawn' as const, reason: reason === undefined ? null : storable(reason) },
      ...{ decided_by: caller.account.name, decided_at: now },
    }));
  }

  async assign(caller: Caller, name: string, numbers: number[], assignee: string | null) {
    const set = { assignee: assignee === null ? null : storable(assignee) };
    return await this.#update(caller, name, numbers, 'assigned', () => set);
  }

  async #update(
    caller: Caller,
    name: string,
    numbers: number[],
    action: Action,
    values: (now: number) => Partial<Omit<OwnProposal, 'id'>>,
  ): Promise<{ proposals: number[] }> {
    const own = await this.#memories.own(caller, name);
    return await this.#locked(own, async (change, memory) => {
      const rows = await requireOpenProposals(change, memory, numbers);
      const set = values(Date.now());
      await queryInBatches(
        rows.map(({ id }) => id),
        async (ids) => change.updateTable('memory_proposals').set(set).where('id', 'in', ids).execute(),
      );
      const done = rows.map(({ number }) => number);
      const details = { count: done.length, numbers: done.slice(0, maxNamed) };
      const entry = { accountId: memory.account_id, subject: name, details };
      await record(change, { action: `proposals.${action}`, ...entry });
      return { proposals: done };
    });
  }

  /** Runs `work` in one transaction that has locked the memory. */
  async #locked<Result>(
    { id, name }: OwnMemory,
    work: (change: Change, memory: OwnMemory) => Promise<Result>,
  ): Promise<Result> {
    return await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockForProposals(this.#store, change, id);
      if (!memory) throw new Refusal('memory_not_found', { name });
      return await work(change, memory);
    });
  }
}

export async function recordCreated(change: Change, memory: OwnMemory, outcomes: Outcome[]): Promise<void> {
  const numbers = outcomes.flatMap(({ outcome, number }) => (outcome === 'created' ? number! : []));
  if (numbers.length === 0) return;
  const details = { count: numbers.length, numbers: numbers.slice(0, maxNamed) };
  const entry = { accountId: memory.account_id, subject: memory.name, details };
  await record(change, { action: 'proposals.created', ...entry });
}
