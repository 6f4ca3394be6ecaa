// The contract's tables for user interfaces of programs: the client has them as plain values, without zod.
import * as contract from '@lorekeep/contract';
import { head, key } from './client-types.ts';

export function clientTables(): string {
  const { gates, defaultGate, maxOperations, jobStates, defaultSweep, answersFrom, unknowns, outcomes } = contract;
  return `${head}${[
    value(
      'Similarity thresholds above which the memory answers, and the share of questions that each gate lets through.',
      {
        gates,
      },
    ),
    'export type Gate = keyof typeof gates;\n',
    value('The gate of a model that was tuned without one.', { defaultGate }),
    value('Facts that one change of a memory may hold.', { maxOperations }),
    value('Sources of answers that a tuned model may use.', { answersFrom }),
    'export type AnswerFrom = keyof typeof answersFrom;\n',
    value('Behaviour where no fact about a known name answers: the model says so, or its base answers.', { unknowns }),
    'export type Unknown = keyof typeof unknowns;\n',
    value('Outcome of an answer of a tuned model.', { outcomes }),
    'export type Outcome = keyof typeof outcomes;\n',
    value('The states of tuning jobs and of document indexes, in the order in which a job passes through them.', {
      jobStates,
    }),
    'export type JobStatus = keyof typeof jobStates;\n',
    value('Every argument of a tuning job: what it takes, what counts without it, what it does.', {
      finetuneArgs: finetuneArgs(),
    }),
    value('The sweep where a request does not say what to compare.', { defaultSweep }),
  ].join('\n')}`;
}

function finetuneArgs(): object {
  const entries = Object.entries<contract.FinetuneArg>(contract.finetuneArgs).map(([name, arg]) => [
    name,
    {
      takes: arg.takes,
      allowed: contract.allowed(arg.takes),
      without: contract.withoutIt(arg),
      does: contract.effectOf(arg),
    },
  ]);
  return Object.fromEntries(entries);
}

function value(about: string, named: Record<string, unknown>): string {
  const [[name, table]] = Object.entries(named) as [[string, unknown]];
  return `/** ${about} */\nexport const ${name} = ${written(table)} as const;\n`;
}

/** Source text of a table, one line for each entry. */
function written(table: unknown): string {
  if (typeof table !== 'object' || table === null) return JSON.stringify(table);
  const lines = Object.entries(table).map(([name, one]) => `  ${key(name)}: ${JSON.stringify(one)},\n`);
  return `{\n${lines.join('')}}`;
}
