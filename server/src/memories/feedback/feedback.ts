// Feedback on answers: decision records for accounts that opted in, votes, and the proposals that they become.
import {
  type BodyOf,
  type Feedback,
  type giveFeedback,
  type listFeedback,
  type Memory,
  type QueryOf,
  Refusal,
} from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import { record } from '../../audit/record.ts';
import type { Caller } from '../../auth/caller.ts';
import { isoTime } from '../../http/iso-time.ts';
import type { Store } from '../../store/database.ts';
import { newestPage } from '../../store/page.ts';
import type { AnswerDecisionRow, FeedbackRow } from '../../store/tables/feedback.ts';
import { storable } from '../fact-details.ts';
import { type Change, type Db, lockMemory, type OwnMemory } from '../memory-store.ts';
import { recordCreated } from '../proposals/proposals.ts';
import { type Proposed, propose } from '../proposals/propose.ts';
import { lockTexts } from '../texts-lock.ts';
import { withdrawReplaced } from './replaced-vote.ts';

type OwnFeedback = Selectable<FeedbackRow>;
type Decision = Selectable<AnswerDecisionRow>;
type Vote = BodyOf<typeof giveFeedback>;

const dayMs = 86_400_000;
/** Cache lifetime of the settings. A change takes effect on every server within it. */
const settingsCacheMs = 2000;
/** Maximum characters kept of a question and of an answer. */
const maxTextLength = 20_000;

export interface Answered {
  accountId: number;
  id: string;
  model: string;
  input: string;
  output: string;
  memory: Memory | null | undefined;
  /** Number of the account's last receipt when the question was asked. */
  receipt: number;
}

export class AnswerFeedback {
  readonly #store: Store;
  readonly #days = new Map<number, { days: number | null; until: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  async days(accountId: number): Promise<number | null> {
    const row = await this.#store.db
      .selectFrom('feedback_settings')
      .select('days')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row?.days ?? null;
  }

  /** Notes the state before a question. Undefined if the account has not opted in. */
  async asked(accountId: number): Promise<{ receipt: number } | undefined> {
    if ((await this.#retentionDays(accountId)) === null) return undefined;
    return { receipt: await lastReceipt(this.#store.db, accountId) };
  }

  /** Retention days of an account, cached for a while. */
  async #retentionDays(accountId: number): Promise<number | null> {
    const known = this.#days.get(accountId);
    if (known && known.until > performance.now()) return known.days;
    const days = await this.days(accountId);
    if (this.#days.size > 10_000) this.#days.clear();
    this.#days.set(accountId, { days, until: performance.now() + settingsCacheMs });
    return days;
  }

  async setDays({ account }: Caller, days: number | null): Promise<void> {
    await this.#store.db.transaction().execute(async (change) => {
      await change.deleteFrom('feedback_settings').where('account_id', '=', account.id).execute();
      if (days === null) {
        await change.deleteFrom('answer_decisions').where('account_id', '=', account.id).execute();
        await forgetInVotes(change, account.id);
      } else {
        await change.insertInto('feedback_settings').values({ account_id: account.id, days }).execute();
        // A shorter retention also applies to answers that are kept already.
        const end = Date.now() + days * dayMs;
        await change
          .updateTable('answer_decisions')
          .set({ expires_at: end })
          .where('account_id', '=', account.id)
          .where('expires_at', '>', end)
          .execute();
      }
      const details = { decision_days: days };
      await record(change, {
        action: 'feedback.settings_changed',
        accountId: account.id,
        subject: account.id,
        details,
      });
    });
    this.#days.delete(account.id);
  }

  /**
   * Stores an answer, unless an erasure ended after its question: the answer may hold the erased text, which cannot be searched for
   * any more, since nothing stores it.
   */
  async keep({ accountId, id, model, input, output, memory, receipt }: Answered): Promise<void> {
    const days = await this.#retentionDays(accountId);
    if (days === null) return;
    const now = Date.now();
    await this.#store.db.transaction().execute(async (change) => {
      await lockTexts(this.#store, change, accountId, 'shared');
      if ((await lastReceipt(change, accountId)) !== receipt) return;
      await change
        .insertInto('answer_decisions')
        .values({
          ...{ answer_id: id, account_id: accountId, model: storable(model).slice(0, 300) },
          ...{ input: storable(input.slice(0, maxTextLength)), output: storable(output.slice(0, maxTextLength)) },
          decision: memory ? storable(JSON.stringify(memory)) : null,
          ...{ created_at: now, expires_at: now + days * dayMs },
        })
        .execute();
    });
  }

  /** Deletes records after their retention time, also from votes. */
  async sweep(): Promise<void> {
    await this.#store.db.transaction().execute(async (change) => {
      await change.deleteFrom('answer_decisions').where('expires_at', '<=', Date.now()).execute();
      await forgetInVotes(change);
    });
  }

  /** Stores a vote. A second vote on the same answer replaces the first. */
  async give({ account }: Caller, vote: Vote): Promise<Feedback> {
    return await this.#store.db.transaction().execute(async (change) => {
      await lockTexts(this.#store, change, account.id, 'shared');
      const kept = await change
        .selectFrom('answer_decisions')
        .selectAll()
        .where('answer_id', '=', vote.answer_id)
        .where('account_id', '=', account.id)
        .where('expires_at', '>', Date.now())
        .executeTakeFirst();
      const [model, input] = [kept?.model ?? vote.model, kept?.input ?? vote.input];
      const teaches = vote.rating === 'down' && vote.expected !== undefined;
      if (!kept && (model === undefined || input === undefined))
        throw new Refusal('answer_unknown', { id: vote.answer_id });
      const memory = await this.#memoryOf(change, account.id, model!);
      const outcomes =
        memory && teaches ? await propose(change, memory, [proposalOf(vote, input!, kept)], account.name) : [];
      const text = (value: string | undefined) => (value === undefined ? null : storable(value));
      const given = {
        ...{ account_id: account.id, answer_id: vote.answer_id, rating: vote.rating, model: text(model) },
        ...{ input: text(input), output: kept?.output ?? null, decision: kept?.decision ?? null },
        ...{ expected: text(vote.expected), comment: text(vote.comment), memory: memory?.name ?? null },
        ...{ proposal: outcomes[0]?.number ?? null, actor: account.name, created_at: Date.now() },
      };
      const earlier = await change
        .selectFrom('feedback')
        .selectAll()
        .where('account_id', '=', account.id)
        .where('answer_id', '=', vote.answer_id)
        .executeTakeFirst();
      const row = await change
        .insertInto('feedback')
        .values(given)
        .onConflict((conflict) => conflict.columns(['account_id', 'answer_id']).doUpdateSet(given))
        .returningAll()
        .executeTakeFirstOrThrow();
      if (memory) await recordCreated(change, memory, outcomes);
      if (earlier) await withdrawReplaced(this.#store, change, earlier, { actor: account.name, now: row.proposal });
      return shown(row);
    });
  }

  /** Locks the memory with this name, or with a version that has this model. */
  async #memoryOf(change: Change, accountId: number, model: string): Promise<OwnMemory | undefined> {
    const found =
      (await change
        .selectFrom('memories')
        .select('id')
        .where('account_id', '=', accountId)
        .where('name', '=', storable(model))
        .executeTakeFirst()) ??
      (await change
        .selectFrom('memory_versions')
        .innerJoin('memories', 'memories.id', 'memory_versions.memory_id')
        .select('memories.id')
        .where('memories.account_id', '=', accountId)
        .where('memory_versions.model_name', '=', storable(model))
        .executeTakeFirst());
    return found && (await lockMemory(this.#store, change, found.id));
  }

  async list({ account }: Caller, { rating, limit, after }: QueryOf<typeof listFeedback>) {
    let query = this.#store.db.selectFrom('feedback').selectAll().where('account_id', '=', account.id);
    if (rating !== undefined) query = query.where('rating', '=', rating);
    const { rows, next } = await newestPage<OwnFeedback>(query, limit, after);
    return { feedback: rows.map(shown), next };
  }
}

/** Removes copies of deleted records from votes. Only votes on kept answers have an answer. A question given with a vote stays. */
async function forgetInVotes(change: Change, accountId?: number): Promise<void> {
  let votes = change
    .updateTable('feedback')
    .set({ input: null, output: null, decision: null })
    .where('output', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('answer_decisions')
            .select('answer_decisions.answer_id')
            .whereRef('answer_decisions.answer_id', '=', 'feedback.answer_id')
            .whereRef('answer_decisions.account_id', '=', 'feedback.account_id'),
        ),
      ),
    );
  if (accountId !== undefined) votes = votes.where('account_id', '=', accountId);
  await votes.execute();
}

/** Number of the last receipt; 0 if there is none. */
async function lastReceipt(db: Db, accountId: number): Promise<number> {
  const row = await db
    .selectFrom('receipts')
    .select('number')
    .where('account_id', '=', accountId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? 0;
}

/** The proposal from a vote. If the answer recited one fact, the proposal is about that fact, however the question was worded. */
function proposalOf({ answer_id, expected }: Vote, input: string, kept: Decision | undefined): Proposed {
  const decision = kept?.decision ? (JSON.parse(kept.decision) as Memory) : undefined;
  const [fact, ...others] = decision?.used && decision.outcome === 'recite' ? decision.facts : [];
  const question = fact && others.length === 0 ? fact.input : input;
  return {
    ...{ kind: 'feedback', input: question, output: expected, subject: undefined, withdraws: undefined },
    ...{ quote: undefined, confidence: undefined, assignee: undefined },
    source: { document: undefined, index_id: undefined, file_id: undefined, page: undefined, conversation: answer_id },
  };
}

const shown = (row: OwnFeedback): Feedback => ({
  ...{ answer_id: row.answer_id, rating: row.rating, model: row.model, input: row.input, output: row.output },
  decision: row.decision === null ? null : (JSON.parse(row.decision) as Memory),
  ...{ expected: row.expected, comment: row.comment, memory: row.memory, proposal: row.proposal, by: row.actor },
  created_at: isoTime(row.created_at)!,
});
