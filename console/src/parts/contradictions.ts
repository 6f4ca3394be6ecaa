// Rows that are to become facts of a memory, held against those that it has: what is new, what it knows, what contradicts it.
import type { FindConflictsAnswer, Lorekeep } from '@lorekeep/client';
import { questionOf, type Row } from './rows.ts';

export type StandingFact = NonNullable<FindConflictsAnswer['conflicts'][number]['stands']>;

/** A row with its number where it comes from, counted from 1. */
export interface OfferedRow extends Row {
  row: number;
  /** Rows that are taken together, because they contradict nothing after all. */
  together?: OfferedRow[];
}

export interface Contradiction {
  question: string;
  /** Null where rows contradict each other alone. */
  stands: StandingFact | null;
  /** The first row of each answer. */
  offered: OfferedRow[];
  /** Likeness of questions in other words. Both may be right. */
  likeness?: number;
}

export interface HeldAgainst {
  /** The published version that they were held against. */
  version: number | null;
  fresh: OfferedRow[];
  known: number;
  contradictions: Contradiction[];
  /** The reason for which questions in other words were not looked for. */
  notCompared?: string;
}

/** A server that cannot compare now is not waited for. */
const once = { retries: 0, timeoutMs: 300_000 };

/** Facts in one call. */
const atOnce = 1000;

/** Each question is held against the memory with all its answers, also where it takes several calls. */
export async function heldAgainst(lorekeep: Lorekeep, name: string, rows: OfferedRow[]): Promise<HeldAgainst> {
  const { version } = await lorekeep.showMemory({ name });
  const held: HeldAgainst = { version, fresh: [], known: 0, contradictions: [] };
  for (const part of partsOf(distinct(rows))) {
    const facts = part.map(({ input, output }) => ({ input, output }));
    const { fresh, known, conflicts } = await lorekeep.findConflicts({ name, facts });
    held.known += known.length;
    held.fresh.push(
      ...(await compared(
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

/** A fact that is to have another answer: only other facts can contradict it, in other words. */
export async function heldAgainstOthers(lorekeep: Lorekeep, name: string, row: OfferedRow): Promise<HeldAgainst> {
  const { version } = await lorekeep.showMemory({ name });
  const held: HeldAgainst = { version, fresh: [], known: 0, contradictions: [] };
  held.fresh = await compared(lorekeep, name, [row], held);
  // It takes no other fact's place: that one stays, or the change is not made.
  for (const one of held.contradictions) one.offered = one.offered.filter(({ together }) => together);
  return held;
}

/** Rows that contradict nothing in other words either; the others become contradictions. */
async function compared(
  lorekeep: Lorekeep,
  name: string,
  rows: OfferedRow[],
  held: HeldAgainst,
): Promise<OfferedRow[]> {
  if (rows.length === 0 || held.notCompared !== undefined) return rows;
  const facts = rows.map(({ input, output }) => ({ input, output }));
  const found = await lorekeep.findRewordedConflicts({ name, facts }, once).catch((error: unknown) => {
    held.notCompared = error instanceof Error ? error.message : String(error);
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

/** Rows of one question beside each other, each answer of it once. */
function distinct(rows: OfferedRow[]): OfferedRow[][] {
  const answersIn = (same: OfferedRow[]) => Map.groupBy(same, ({ output }) => output.trim()).values();
  return [...Map.groupBy(rows, questionOf).values()].map((same) => [...answersIn(same)].map(([first]) => first!));
}

function partsOf(questions: OfferedRow[][]): OfferedRow[][] {
  const parts: OfferedRow[][] = [];
  for (const same of questions) {
    const last = parts.at(-1);
    if (last && last.length + same.length <= atOnce) last.push(...same);
    else parts.push([...same]);
  }
  return parts;
}

/** The decision over a contradiction: the row that is taken; undefined where what stands is kept. */
export type Decisions = ReadonlyMap<string, OfferedRow>;

/** The facts of a change; what is kept and what is known is no part of it. */
export function changeOf({ fresh, contradictions }: HeldAgainst, decisions: Decisions): { add: Row[]; change: Row[] } {
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
