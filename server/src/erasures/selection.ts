// Selects the facts of an erasure and the versions that hold them, with a digest of both that detects a changed list.
import { createHash } from 'node:crypto';
import { type FactSource, maxErased, Refusal } from '@lorekeep/contract';
import { sql } from 'kysely';
import { canonical } from '../audit/chain.ts';
import { questionKey, storable } from '../files/question-key.ts';
import { searchForm } from '../files/search-form.ts';
import { endedVersions } from '../memories/erased.ts';
import type { Db, OwnMemory, OwnVersion } from '../memories/rows.ts';
import type { Failed } from './dependencies.ts';
import { type ErasedFact, ErasedText, holdsText } from './erased-text.ts';
import { foundName } from './hidden-name.ts';

export interface ChosenFact extends ErasedFact {
  id: number;
  question: string;
  since: number;
  until: number | null;
  /** Erases the question with all its answers. */
  whole: boolean;
}

export interface Selection {
  facts: ChosenFact[];
  versions: { version: OwnVersion; loses: number; becomes: 'rebuilt' | 'ended' }[];
  sources: SourceOf[];
  digest: string;
}

export interface ErasureCriteria {
  inputs?: string[] | undefined;
  about?: string | undefined;
  /** The facts of a failed erasure that still exist. */
  again?: Failed['again'] | undefined;
  /** The name that the failed erasure was about. */
  hidden?: Failed['about'];
}

/** A fact that stays, with texts in its source that are overwritten. */
type SourceOf = Pick<ChosenFact, 'id' | 'input' | 'since' | 'until'>;

/** Equal for equal facts: the engine's normal form of the question, and the answer. */
export const factKey = ({ input, output }: Pick<ErasedFact, 'input' | 'output'>): string =>
  `${questionKey(input)} ${answerOf(output)}`;

const answerOf = (output: string) => storable(output).trim();

/** Tests whether a fact is among these. The answer is compared first: most facts differ in it, so their question is not hashed. */
export function factMatcher(
  facts: Pick<ErasedFact, 'input' | 'output'>[],
): (fact: Pick<ErasedFact, 'input' | 'output'>) => boolean {
  const keys = new Set(facts.map(factKey));
  const answers = new Set(facts.map(({ output }) => answerOf(output)));
  return (fact) => answers.has(answerOf(fact.output)) && keys.has(factKey(fact));
}

export async function select(db: Db, memory: OwnMemory, chosen: ErasureCriteria): Promise<Selection> {
  const facts = await chosenFacts(db, memory, chosen);
  if (facts.length > maxErased) throw new Refusal('erasure_too_large', { count: facts.length, limit: maxErased });
  const ended = await endedVersions(db, memory.id);
  const all = await db
    .selectFrom('memory_versions')
    .selectAll()
    .where('memory_id', '=', memory.id)
    .orderBy('number')
    .execute();
  const versions = all.flatMap((version) => {
    const loses = facts.filter((fact) => isInVersion(fact, version.number)).length;
    if (loses === 0 || ended.has(version.number)) return [];
    return [{ version, loses, becomes: loses >= version.facts ? ('ended' as const) : ('rebuilt' as const) }];
  });
  const sources = await sourcesWith(db, memory, facts);
  return { facts, versions, sources, digest: digestOf(facts, versions, sources) };
}

/** Facts that are not erased although their source holds an erased text. */
async function sourcesWith(db: Db, { id }: OwnMemory, facts: ChosenFact[]): Promise<SourceOf[]> {
  const text = new ErasedText(facts);
  const chosen = new Set(facts.map((fact) => fact.id));
  const rows = await db
    .selectFrom('memory_facts')
    .select(['id', 'input', 'source', 'since', 'until'])
    .where('memory_id', '=', id)
    .where('source', 'is not', null)
    .orderBy('id')
    .execute();
  return rows
    .filter((row) => !chosen.has(row.id) && text.withoutInSource(JSON.parse(row.source!) as FactSource) !== undefined)
    .map(({ source: _, ...row }) => row);
}

export const isInVersion = ({ since, until }: Pick<ChosenFact, 'since' | 'until'>, version: number): boolean =>
  since <= version && (until === null || until > version);

function digestOf(facts: ChosenFact[], versions: Selection['versions'], sources: SourceOf[]): string {
  const said = {
    facts: facts.map(({ id, input, output, since, until }) => [id, input, output, since, until]),
    versions: versions.map(({ version, becomes }) => [version.number, version.model_name, becomes]),
    ...(sources.length > 0 && { sources: sources.map(({ id, input, since, until }) => [id, input, since, until]) }),
  };
  return createHash('sha256').update(canonical(said)).digest('hex');
}

/** Sources are not erased without a fact: the refusal names the facts to change or erase instead. */
function onlySources(facts: Pick<ChosenFact, 'input'>[]): string {
  const [first] = facts;
  if (!first) return '';
  const also = facts.length > 1 ? ` and of ${facts.length - 1} more` : '';
  return `, only the source of ${JSON.stringify(first.input.slice(0, 200))}${also} names it; erase these facts by their questions, and add them again with another source`;
}

async function chosenFacts(db: Db, { id, name }: OwnMemory, chosen: ErasureCriteria): Promise<ChosenFact[]> {
  const { inputs, about, again, hidden } = chosen;
  const rows = db
    .selectFrom('memory_facts')
    .select(['id', 'input', 'output', 'subject', 'question', 'since', 'until'])
    .where('memory_id', '=', id)
    .orderBy('id');
  if (again !== undefined) {
    const whole = new Map(again.map((one) => [one.id, one.whole]));
    const facts: Omit<ChosenFact, 'whole'>[] = [];
    const ids = [...whole.keys()];
    for (let at = 0; at < ids.length; at += 500)
      facts.push(...(await rows.where('id', 'in', ids.slice(at, at + 500)).execute()));
    if (facts.length === 0) throw new Refusal('nothing_to_erase', { name, what: 'a fact of that erasure' });
    const named = hidden && foundName(facts, hidden);
    return facts.map((fact) => ({ ...fact, whole: whole.get(fact.id)!, about: named }));
  }
  if (about !== undefined) {
    const pattern = `%${searchForm(about)
      .split(/\s+/u)
      .sort((a, b) => b.length - a.length)[0]!
      .replace(/[\\%_]/g, '\\$&')}%`;
    const found = await rows.select('source').where('search', 'like', sql<string>`${pattern} escape '\\'`).execute();
    const facts = found.filter(({ input, output, subject }) =>
      [input, output, subject ?? ''].some((text) => holdsText(text, about)),
    );
    if (facts.length === 0) {
      const sourced = found.filter(({ source }) => source !== null && holdsText(source, about));
      throw new Refusal('nothing_to_erase', { name, what: `a fact about this${onlySources(sourced)}` });
    }
    return facts.map(({ source: _, ...fact }) => ({ ...fact, whole: holdsText(fact.input, about), about }));
  }
  const wanted = new Map((inputs ?? []).map((input) => [questionKey(input), input]));
  const facts: Omit<ChosenFact, 'whole'>[] = [];
  const keys = [...wanted.keys()];
  for (let at = 0; at < keys.length; at += 500)
    facts.push(...(await rows.where('question', 'in', keys.slice(at, at + 500)).execute()));
  const known = new Set(facts.map(({ question }) => question));
  for (const [question, input] of wanted)
    if (!known.has(question))
      throw new Refusal('nothing_to_erase', { name, what: `the question ${JSON.stringify(input.slice(0, 200))}` });
  return facts.sort((a, b) => a.id - b.id).map((fact) => ({ ...fact, whole: true }));
}
