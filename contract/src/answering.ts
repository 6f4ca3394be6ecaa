// Answers of a tuned model: their sources, the answer where no fact is found, and the record of each answer.
import { z } from 'zod';

/** Each with its meaning, for people who choose. */
export const answersFrom = {
  all: 'its facts, as they are or put together, else its base',
  facts: 'only its facts; else it says that it does not know',
  recital: 'its facts word for word, else its base',
} as const;
export type AnswerFrom = keyof typeof answersFrom;
export const answerFromNames = Object.keys(answersFrom) as [AnswerFrom, ...AnswerFrom[]];
export const defaultAnswerFrom: AnswerFrom = 'all';
export const answerFromSchema = z.enum(answerFromNames);

/** Behaviour where a question names something that was taught and no fact answers it. */
export const unknowns = { say: 'the model says so', base: 'the base answers' } as const;
export type Unknown = keyof typeof unknowns;
export const unknownNames = Object.keys(unknowns) as [Unknown, ...Unknown[]];
export const defaultUnknown: Unknown = 'say';
export const unknownSchema = z.enum(unknownNames);

/** Outcomes of an answer. */
export const outcomes = {
  recite: 'a fact, word for word',
  ground: 'put together or written from the facts named',
  documents: 'from passages of the index that stands beside the facts',
  unknown: 'nothing taught answers it, and the model says so',
  base: 'the base alone',
} as const;
export type Outcome = keyof typeof outcomes;
export const outcomeNames = Object.keys(outcomes) as [Outcome, ...Outcome[]];
export const outcomeSchema = z
  .enum(outcomeNames)
  .describe(`${outcomeNames.map((name) => `\`${name}\`: ${outcomes[name]}`).join('. ')}.`);

/** An index that answers what no fact answers. */
export const besideSchema = z.union([z.int().min(1), z.string().max(200)]);
