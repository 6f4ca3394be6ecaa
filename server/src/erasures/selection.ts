// Selects the facts of an erasure and the versions that hold them, with a digest of both that detects a changed list.
import { createHash } from 'node:crypto';
import { maxErased, Refusal } from '@lorekeep/contract';
import { sql } from 'kysely';
import { canonical } from '../audit/chain.ts';
import { questionKey, storable } from '../files/question-key.ts';
import { endedVersions } from '../memories/erased.ts';
import type { Db, OwnMemory, OwnVersion } from '../memories/rows.ts';
import type { Failed } from './dependencies.ts';
import { type ErasedFact, holdsText } from './erased-text.ts';

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
  digest: string;
}

export interface Chosen {
  inputs?: string[] | undefined;
  about?: string | undefined;
  /** The facts of a failed erasure that still exist. */
  again?: Failed['again'] | undefined;
}

/** Equal for equal facts: the engine's normal form of the question, and the answer. */
export const factKey = ({ input, output }: Pick<ErasedFact, 'input' | 'output'>): string =>
  `${questionKey(input)} ${answerOf(output)}`;

const answerOf = (output: string) => storable(output).trim();

/** Tests whether a fact is among these. Most facts differ in the answer already, so their question is not hashed. */
export function isAmong(
  facts: Pick<ErasedFact, 'input' | 'output'>[],
): (fact: Pick<ErasedFact, 'input' | 'output'>) => boolean {
  const keys = new Set(facts.map(factKey));
  const answers = new Set(facts.map(({ output }) => answerOf(output)));
  return (fact) => answers.has(answerOf(fact.output)) && keys.has(factKey(fact));
}

export async function select(db: Db, memory: OwnMemory, chosen: Chosen): Promise<Selection> {
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
    const loses = facts.filter((fact) => isIn(fact, version.number)).length;
    if (loses === 0 || ended.has(version.number)) return [];
    return [{ version, loses, becomes: loses >= version.facts ? ('ended' as const) : ('rebuilt' as const) }];
  });
  return { facts, versions, digest: digestOf(facts, versions) };
}

export const isIn = ({ since, until }: Pick<ChosenFact, 'since' | 'until'>, version: number): boolean =>
  since <= version && (until === null || until > version);

function digestOf(facts: ChosenFact[], versions: Selection['versions']): string {
  const said = {
    facts: facts.map(({ id, input, output, since, until }) => [id, input, output, since, until]),
    versions: versions.map(({ version, becomes }) => [version.number, version.model_name, becomes]),
  };
  return createHash('sha256').update(canonical(said)).digest('hex');
}

async function chosenFacts(db: Db, { id, name }: OwnMemory, { inputs, about, again }: Chosen): Promise<ChosenFact[]> {
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
    return facts.map((fact) => ({ ...fact, whole: whole.get(fact.id)! }));
  }
  if (about !== undefined) {
    const pattern = `%${storable(about)
      .toLowerCase()
      .split(/\s+/u)
      .sort((a, b) => b.length - a.length)[0]!
      .replace(/[\\%_]/g, '\\$&')}%`;
    const found = await rows.where('search', 'like', sql<string>`${pattern} escape '\\'`).execute();
    const facts = found.filter(({ input, output, subject }) =>
      [input, output, subject ?? ''].some((text) => holdsText(text, about)),
    );
    if (facts.length === 0) throw new Refusal('nothing_to_erase', { name, what: 'a fact about this' });
    return facts.map((fact) => ({ ...fact, whole: holdsText(fact.input, about) }));
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
