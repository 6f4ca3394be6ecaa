// Sorts rows for a memory into new ones, known ones and contradictions with its facts.
import { errorInWords, type FindConflictsAnswer, type Lorekeep } from '@lorekeep/client';
import { forPeople } from '../format.ts';
import { questionOf, type Row } from './rows.ts';

export type StandingFact = NonNullable<FindConflictsAnswer['conflicts'][number]['stands']>;

/** A row with its number in the source, from 1. */
export interface OfferedRow extends Row {
  row: number;
  /** Rows that are accepted together, since they contradict nothing. */
  together?: OfferedRow[];
}

export interface Contradiction {
  question: string;
  /** The current fact; null if only rows contradict each other. */
  stands: StandingFact | null;
  /** The first row of each answer. */
  offered: OfferedRow[];
  /** Similarity of the questions, if they differ in words. Then both may be right. */
  likeness?: number;
}

export interface MemoryComparison {
  /** The published version that the rows were compared with. */
  version: number | null;
  fresh: OfferedRow[];
  known: number;
  contradictions: Contradiction[];
  /** Reason why similar questions were not compared. */
  notCompared?: string;
}

/** One attempt without retries, so that the caller does not wait for a server that cannot compare now. */
const noRetry = { retries: 0, timeoutMs: 300_000 };

/** Maximum facts per call. */
const maxFactsPerCall = 1000;

/** Compares each question with all its answers to the memory, in several calls if necessary. */
export async function compareWithMemory(
  lorekeep: Lorekeep,
  name: string,
  rows: OfferedRow[],
): Promise<MemoryComparison> {
  const { version } = await lorekeep.showMemory({ name });
  const held: MemoryComparison = { version, fresh: [], known: 0, contradictions: [] };
  for (const part of batchesOf(groupByQuestion(rows))) {
    const facts = part.map(({ input, output }) => ({ input, output }));
    const { fresh, known, conflicts } = await lorekeep.findConflicts({ name, facts });
    held.known += known.length;
    held.fresh.push(
      ...(await withoutSimilar(
        lorekeep,
        name,
        fresh.map((at) => part[at]!),
        held,
      )),
    );
    for (const same of Map.groupBy(conflicts, ({ at }) => questionOf(part[at]!)).values()) {
      const offered = same.map(({ at }) => part[at]!);
      held.contradictions.push({ question: offered[0]!.input, stands: same[0]!.stands ?? null, offered });
    }
  }
  return held;
}

/** Checks a changed answer: only other facts with similar questions can contradict it. */
export async function compareWithOthers(lorekeep: Lorekeep, name: string, row: OfferedRow): Promise<MemoryComparison> {
  const { version } = await lorekeep.showMemory({ name });
  const held: MemoryComparison = { version, fresh: [], known: 0, contradictions: [] };
  held.fresh = await withoutSimilar(lorekeep, name, [row], held);
  // A change never replaces another fact: that fact stays, or nothing is changed.
  for (const one of held.contradictions) one.offered = one.offered.filter(({ together }) => together);
  return held;
}

/** Returns the rows without similar questions in the memory or among the rows; the others become contradictions. */
async function withoutSimilar(
  lorekeep: Lorekeep,
  name: string,
  rows: OfferedRow[],
  held: MemoryComparison,
): Promise<OfferedRow[]> {
  if (rows.length === 0 || held.notCompared !== undefined) return rows;
  const facts = rows.map(({ input, output }) => ({ input, output }));
  const found = await lorekeep.findRewordedConflicts({ name, facts }, noRetry).catch((error: unknown) => {
    held.notCompared = forPeople(errorInWords(error));
  });
  const groups = new Map<OfferedRow, Contradiction>();
  for (const { at, stands, other, likeness } of found?.reworded ?? []) {
    const some = [rows[at]!, ...(other === null ? [] : [rows[other]!])];
    const group = some.flatMap((row) => groups.get(row) ?? [])[0] ?? {
      ...{ question: rows[at]!.input, stands: null, offered: [], likeness },
    };
    group.stands ??= stands;
    for (const row of some) if (!groups.has(row)) group.offered.push(row);
    for (const row of some) groups.set(row, groups.get(row) ?? group);
  }
  for (const group of new Set(groups.values())) {
    group.offered.push({ ...group.offered[0]!, together: [...group.offered] });
    held.contradictions.push(group);
  }
  return rows.filter((row) => !groups.has(row));
}

/** Groups rows by question, with each answer once. */
function groupByQuestion(rows: OfferedRow[]): OfferedRow[][] {
  const answersIn = (same: OfferedRow[]) => Map.groupBy(same, ({ output }) => output.trim()).values();
  return [...Map.groupBy(rows, questionOf).values()].map((same) => [...answersIn(same)].map(([first]) => first!));
}

function batchesOf(questions: OfferedRow[][]): OfferedRow[][] {
  const parts: OfferedRow[][] = [];
  for (const same of questions) {
    const last = parts.at(-1);
    if (last && last.length + same.length <= maxFactsPerCall) last.push(...same);
    else parts.push([...same]);
  }
  return parts;
}

/** The decision about a contradiction: the chosen row; undefined to keep the current fact. */
export type Decisions = ReadonlyMap<string, OfferedRow>;

/** The facts of the change, without kept and known ones. */
export function changeOf(
  { fresh, contradictions }: MemoryComparison,
  decisions: Decisions,
): { add: Row[]; change: Row[] } {
  const add: Row[] = fresh.map(({ input, output }) => ({ input, output }));
  const change: Row[] = [];
  for (const { question, stands } of contradictions) {
    const taken = decisions.get(question);
    if (taken?.together) add.push(...taken.together.map(({ input, output }) => ({ input, output })));
    else if (taken && stands) change.push({ input: stands.input, output: taken.output });
    else if (taken) add.push({ input: taken.input, output: taken.output });
  }
  return { add, change };
}
