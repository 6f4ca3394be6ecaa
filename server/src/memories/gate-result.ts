// Compares the figures of an evaluation with the bars of a gate.
import type { GateBars, GateResult } from '@lorekeep/contract';
import type { GateRow } from '../evaluations/version-evaluations.ts';
import { questionKey } from '../files/question-key.ts';

export type GateFigures = Pick<GateResult, 'exact' | 'reworded' | 'regressions'>;

export const barsOf = ({ exact, reworded, max_regressions }: GateBars): GateBars => ({
  exact,
  reworded,
  max_regressions,
});

export const noGateFigures: GateFigures = {
  exact: { rows: 0, right: 0 },
  reworded: { rows: 0, right: 0 },
  regressions: 0,
};

/** `questions` are the taught questions of the version's facts. */
export function gateFigures(rows: GateRow[], questions: Set<string>): GateFigures {
  const figures = structuredClone(noGateFigures);
  for (const { input, right, rightBefore } of rows) {
    const side = questions.has(questionKey(input)) ? figures.exact : figures.reworded;
    side.rows++;
    if (right) side.right++;
    else if (rightBefore) figures.regressions++;
  }
  return figures;
}

/** The bars that are not reached. A bar without any row that measures it counts as not reached. */
export function failingBars(figures: GateFigures, bars: GateBars): GateResult['failing'] {
  const failing: GateResult['failing'] = [];
  for (const bar of ['exact', 'reworded'] as const) {
    const needed = bars[bar];
    if (needed === null) continue;
    const { rows, right } = figures[bar];
    const kind = bar === 'exact' ? 'in taught words' : 'in other words';
    if (rows === 0) failing.push({ bar, text: `${bar} ${needed} is needed, and no row of the set asks ${kind}` });
    else if (right < Math.ceil(needed * rows - 1e-9))
      failing.push({
        bar,
        text: `${bar} ${share(right, rows)} (${right} of ${rows} ${rows === 1 ? 'row' : 'rows'}) and not ${needed}`,
      });
  }
  const most = bars.max_regressions;
  if (most !== null && figures.regressions > most)
    failing.push({
      bar: 'max_regressions',
      text: `${figures.regressions} ${figures.regressions === 1 ? 'regression' : 'regressions'} and not ${most} at most`,
    });
  return failing;
}

/** Rounds down, since .9999 must not read 1. */
const share = (right: number, rows: number) => Math.floor((right / rows) * 10_000) / 10_000;

export const failingText = (failing: GateResult['failing']): string => failing.map(({ text }) => text).join('; ');
