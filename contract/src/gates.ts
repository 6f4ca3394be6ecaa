// The gates of a tuned model: how near a question has to come to a fact before the memory answers, and what each lets through.
// engine/lorekeep/contract.py and the tables of the client are made from here.
import { z } from 'zod';

export interface GateRule {
  /** Share of the questions about a known name that no fact answers, which the gate lets through. */
  unknown_asks: number;
  /** The same of near misses of facts without names. */
  near_misses: number;
  /** For people who choose between the gates. */
  means?: string;
}

export const gates = {
  strict: { unknown_asks: 0.1, near_misses: 0.02, means: 'rather silent than wrong' },
  balanced: { unknown_asks: 0.35, near_misses: 0.05 },
  generous: { unknown_asks: 0.6, near_misses: 0.1, means: 'also when a question is worded quite differently' },
} as const satisfies Record<string, GateRule>;

export type Gate = keyof typeof gates;
export const gateNames = Object.keys(gates) as [Gate, ...Gate[]];
export const defaultGate: Gate = 'balanced';
export const gateSchema = z.enum(gateNames);

const listed = (words: string[]) => words.join(', ').replace(/, ([^,]*)$/, ' and $1');
const percents = (figure: 'unknown_asks' | 'near_misses') =>
  `${listed(gateNames.map((name) => `${Math.round(100 * gates[name][figure])}`))}%`;

/** The shares that each gate lets through, in one sentence. */
export const gatePromise = `${listed(gateNames.map((name) => `\`${name}\``))} let through about ${percents('unknown_asks')} of questions about a known name that no fact answers, and ${percents('near_misses')} of near misses of facts without names.`;
