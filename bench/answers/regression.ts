// Logistic regression over groups of candidates. Any number of a group's candidates are right; if none is, its implicit last candidate
// "none" is the right one.

export interface Group {
  /** Features of each candidate. */
  candidates: number[][];
  right: boolean[];
}

export interface Fit {
  bias: number;
  weights: number[];
}

const [steps, rate, kept, keptSquares] = [600, 0.1, 0.9, 0.99];

/** Minimizes the mean of -log P(right) plus `penalty` times the squared weights with Adam, over all groups. */
export function fitted(groups: Group[], features: number, penalty: number): Fit {
  const values = new Float64Array(features + 1);
  const [mean, squares] = [new Float64Array(features + 1), new Float64Array(features + 1)];
  for (let step = 1; step <= steps; step++) {
    const gradient = new Float64Array(features + 1);
    for (const group of groups) addGradient(group, values, gradient, 1 / groups.length);
    for (let at = 0; at < values.length; at++) {
      const slope = gradient[at]! + (at === 0 ? 0 : 2 * penalty * values[at]!);
      mean[at] = kept * mean[at]! + (1 - kept) * slope;
      squares[at] = keptSquares * squares[at]! + (1 - keptSquares) * slope * slope;
      const size = Math.sqrt(squares[at]! / (1 - keptSquares ** step)) + 1e-9;
      values[at]! -= (rate * mean[at]!) / (1 - kept ** step) / size;
    }
  }
  return { bias: values[0]!, weights: [...values.slice(1)] };
}

export const scoreOf = (features: number[], { bias, weights }: Fit): number => bias + product(features, weights, 0);

function product(features: number[], values: ArrayLike<number>, from: number): number {
  let sum = 0;
  for (let at = 0; at < features.length; at++) sum += features[at]! * values[at + from]!;
  return sum;
}

function addGradient({ candidates, right }: Group, values: Float64Array, gradient: Float64Array, share: number): void {
  const scores = candidates.map((features) => values[0]! + product(features, values, 1));
  const most = Math.max(0, ...scores);
  const odds = scores.map((score) => Math.exp(score - most));
  const all = odds.reduce((sum, one) => sum + one, Math.exp(-most));
  const rightOdds = odds.reduce((sum, one, at) => sum + (right[at] ? one : 0), 0);
  const isNone = !right.some(Boolean);
  for (let place = 0; place < candidates.length; place++) {
    const wanted = isNone || !right[place] ? 0 : odds[place]! / rightOdds;
    const slope = share * (odds[place]! / all - wanted);
    const features = candidates[place]!;
    gradient[0]! += slope;
    for (let at = 0; at < features.length; at++) gradient[at + 1]! += slope * features[at]!;
  }
}
