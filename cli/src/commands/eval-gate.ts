// lorekeep eval --gate: compares answers with bars, for CI. Exit code 1 if a bar is not reached; optional JUnit XML.
import { writeFile } from 'node:fs/promises';
import { type Evaluation, type EvaluationRow, type MemoryGate, NotFoundError } from '@lorekeep/client';
import type { Context, Option, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { count } from '../format.ts';
import { junit, type Suite } from '../junit.ts';
import { bars, barsIn } from './memory-gate.ts';

export const gateOptions: Record<string, Option> = {
  gate: { about: 'check the answers of --model against bars; exits with 1 if one is not reached' },
  against: { value: 'NAME', names: 'models', about: 'with --gate: the model that regressions are counted against' },
  ...bars,
  junit: { value: 'FILE', about: 'with --gate: write the bars and the rows as JUnit XML' },
};

type Bars = ReturnType<typeof barsIn>;

export interface GatePlan {
  model: string;
  /** The model that regressions are counted against. */
  against: { model_name: string; name: string } | undefined;
  bars: Bars;
  /** Dataset of the memory's gate. */
  dataset: string | undefined;
}

/** Undefined without --gate. Missing bars come from the gate of the named memory, if it has one. */
export async function gatePlan(context: Context, given: ParsedArguments): Promise<GatePlan | undefined> {
  const own = Object.entries(barsIn(given)).filter(([, bar]) => bar !== undefined);
  if (!given.is('gate')) {
    if (own.length > 0 || given.text('against') !== undefined || given.text('junit') !== undefined)
      throw new UsageError('--against, --junit and bars belong to --gate.');
    return undefined;
  }
  const [model, ...others] = given.all('model');
  if (model === undefined || others.length > 0 || given.all('index').length > 0 || given.text('prompt') !== undefined)
    throw new UsageError('--gate holds one model to bars: name it with --model, and with --against the one before.');
  if (given.is('detach')) throw new UsageError('--gate waits for the answers; leave out --detach.');
  const against = given.text('against');
  const gate = (await gateNamed(context, model)) ?? (await gateNamed(context, against));
  const found = gate ? { exact: gate.exact, reworded: gate.reworded, max_regressions: gate.max_regressions } : {};
  const bars = { ...withoutNull(found), ...Object.fromEntries(own) } as Bars;
  if (Object.values(bars).every((bar) => bar === undefined))
    throw new UsageError('--gate needs a bar: --exact, --reworded or --max-regressions.');
  const { max_regressions: most } = bars;
  const before =
    against !== undefined ? targetOf(against) : most === undefined ? undefined : await previousOf(context, model, most);
  return { model, against: before, bars, dataset: gate?.dataset_id };
}

const withoutNull = (bars: object) => Object.fromEntries(Object.entries(bars).filter(([, bar]) => bar !== null));

async function gateNamed(context: Context, name: string | undefined): Promise<MemoryGate | undefined> {
  if (name === undefined) return undefined;
  // Not a memory, or one without a gate.
  return await ifFound(async () => await context.client().showMemoryGate({ name }, context));
}

/** Undefined if the object is not found. */
async function ifFound<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

const targetOf = (model: string, called = model) => ({ model_name: model, name: `${called}, before` });

/** The version on which the published version of a memory is based. Refuses a bar on regressions if there is none. */
async function previousOf(context: Context, name: string, most: number): Promise<GatePlan['against']> {
  const unmeasured = (reason: string) =>
    new UsageError(`max_regressions ${most} is not measured: ${reason}. Name the model before with --against.`);
  const client = context.client();
  const memory = await ifFound(async () => await client.showMemory({ name }, context));
  if (!memory) throw unmeasured(`"${name}" is not a memory, which would have an earlier version`);
  let from: number | null = null;
  for await (const { version, from_version, model_name } of client.allMemoryVersions({ name, limit: 1000 }, context)) {
    if (version === memory.version) from = from_version;
    else if (version === from) return targetOf(model_name, `${name}, version ${version}`);
  }
  throw unmeasured(`the published version ${memory.version ?? 'none'} of "${name}" has no version before`);
}

/** A row with its verdict. */
interface Judged {
  row: EvaluationRow;
  kind: 'exact' | 'reworded';
  right: boolean;
  regressed: boolean;
}

export interface Judgement {
  holds: boolean;
  bars: { bar: string; needed: number; reached: number; rows: number; holds: boolean }[];
  regressions: { row: number; input: string; output: string; before: string; after: string }[];
}

/** Prints the figures with the bars, writes JUnit XML, and throws if a bar is not reached. */
export async function judge(
  context: Context,
  given: ParsedArguments,
  plan: GatePlan,
  evaluation: Evaluation,
): Promise<Judgement> {
  const taught = await questionsOf(context, plan.model);
  const rows: Judged[] = [];
  for await (const row of context.client().evaluationRows(evaluation.evaluation_id, { signal: context.signal })) {
    const [now, before] = row.answers;
    const right = now?.exact ?? false;
    const kind = taught.has(normalized(row.input)) ? 'exact' : 'reworded';
    rows.push({ row, kind, right, regressed: !right && (before?.exact ?? false) });
  }
  const judgement = judgementOf(rows, plan.bars);
  const file = given.text('junit');
  if (file !== undefined) await writeFile(file, junit(suitesOf(evaluation, rows, judgement)));
  return judgement;
}

/** The taught questions of a tuned model; none for a base. */
async function questionsOf(context: Context, model: string): Promise<Set<string>> {
  const questions = new Set<string>();
  try {
    for await (const { input } of context.client().allModelFacts({ model, limit: 10_000 }, context))
      questions.add(normalized(input));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return questions;
}

/** Normal form of questions, as on the server. */
const normalized = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();

function judgementOf(rows: Judged[], bars: Bars): Judgement {
  const found: Judgement['bars'] = [];
  for (const bar of ['exact', 'reworded'] as const) {
    const needed = bars[bar];
    if (needed === undefined) continue;
    const of = rows.filter(({ kind }) => kind === bar);
    const right = of.filter((one) => one.right).length;
    // A bar without any row that measures it is not reached.
    const holds = of.length > 0 && right >= Math.ceil(needed * of.length - 1e-9);
    found.push({ bar, needed, reached: of.length === 0 ? 0 : right / of.length, rows: of.length, holds });
  }
  const regressed = rows.filter((one) => one.regressed);
  if (bars.max_regressions !== undefined)
    found.push({
      ...{ bar: 'max_regressions', needed: bars.max_regressions, reached: regressed.length, rows: rows.length },
      holds: regressed.length <= bars.max_regressions,
    });
  return {
    holds: found.every(({ holds }) => holds),
    bars: found,
    regressions: regressed.map(({ row: { row, input, output, answers } }) => ({
      ...{ row, input, output, before: answers[1]!.output, after: answers[0]?.error ?? answers[0]?.output ?? '' },
    })),
  };
}

/** A wrong row fails only if its bar fails; otherwise it is skipped. */
function suitesOf(evaluation: Evaluation, rows: Judged[], { bars }: Judgement): Suite[] {
  const failing = new Set(bars.filter(({ holds }) => !holds).map(({ bar }) => bar));
  const name = evaluation.targets[0]!.name;
  return [
    {
      name: `${name}: bars`,
      cases: bars.map((one) => ({
        name: `${one.bar} ${one.needed}`,
        failure: one.holds ? undefined : barText(one),
        out: barText(one),
      })),
    },
    {
      name: `${name}: rows`,
      cases: rows.map(({ row, kind, right, regressed }) => {
        const said = row.answers[0]?.error ?? row.answers[0]?.output ?? '';
        const wrong = `${regressed ? 'regression: ' : ''}answered ${JSON.stringify(said.trim())}, and right is ${JSON.stringify(row.output.trim())}`;
        const fails = failing.has(kind) || (regressed && failing.has('max_regressions'));
        return {
          name: `row ${row.row}: ${row.input}`,
          failure: !right && fails ? wrong : undefined,
          skipped: !right && !fails ? `${wrong} (within the bars)` : undefined,
        };
      }),
    },
  ];
}

export const barText = ({ bar, needed, reached, rows }: Judgement['bars'][number]): string =>
  bar === 'max_regressions'
    ? `${count(reached, 'regression')} of ${needed} at most`
    : rows === 0
      ? `${bar}: no row measures it, and ${needed} is needed`
      : `${bar} ${Math.floor(reached * 10_000) / 10_000} of ${count(rows, 'row')}, and ${needed} is needed`;
