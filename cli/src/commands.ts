// Table of all commands, in the order of the help.
import type { Command } from './command.ts';
import { ask } from './commands/ask.ts';
import * as audit from './commands/audit.ts';
import { chat } from './commands/chat.ts';
import { completionOf } from './commands/completion.ts';
import * as datasets from './commands/datasets.ts';
import { doctor } from './commands/doctor.ts';
import * as erase from './commands/erase.ts';
import * as evaluation from './commands/eval.ts';
import * as feedback from './commands/feedback.ts';
import * as index from './commands/index.ts';
import * as jobs from './commands/jobs.ts';
import * as keys from './commands/keys.ts';
import { login, logout } from './commands/login.ts';
import * as memory from './commands/memory.ts';
import { memoryApply } from './commands/memory-apply.ts';
import { memoryCompare } from './commands/memory-compare.ts';
import { memoryGate } from './commands/memory-gate.ts';
import * as models from './commands/models.ts';
import * as proposals from './commands/proposals.ts';
import * as readings from './commands/readings.ts';
import { sweep, sweepShow } from './commands/sweep.ts';
import { tune } from './commands/tune.ts';
import * as tuned from './commands/tuned.ts';
import { usage } from './commands/usage.ts';

/** Further commands of the launcher `./lorekeep`; setup/lorekeep.test.ts compares this list with the script. */
export const hostWords = [
  ...['demo', 'up', 'status', 'stop', 'logs', 'accounts', 'config'],
  ...['setup', 'check', 'test', 'bench', 'pack'],
];

export const commands: Command[] = [
  login,
  logout,
  keys.keysList,
  keys.keysCreate,
  keys.keysRotate,
  keys.keysRevoke,
  models.modelsList,
  models.modelsKnown,
  models.modelsDownload,
  models.modelsDelete,
  tuned.modelsTuned,
  tuned.modelsFacts,
  tuned.modelsForget,
  tuned.modelsMove,
  tuned.modelsName,
  tuned.modelsSet,
  memory.memoryList,
  memory.memoryCreate,
  memory.memoryFacts,
  memory.memoryAdd,
  memory.memoryChange,
  memoryApply,
  memory.memoryWithdraw,
  memory.memoryMove,
  memory.memoryChanges,
  memoryCompare,
  memory.memoryPublish,
  memoryGate,
  memory.memoryDelete,
  erase.memoryErase,
  erase.memoryErasures,
  erase.memoryVerify,
  erase.receiptsList,
  erase.receiptsShow,
  erase.receiptsKey,
  erase.receiptsVerify,
  proposals.memoryProposals,
  proposals.memoryPropose,
  proposals.memoryConflicts,
  proposals.memoryAccept,
  proposals.memoryReject,
  proposals.memoryAssign,
  proposals.memoryRetract,
  readings.memoryRead,
  readings.memoryReadings,
  feedback.feedbackGive,
  feedback.feedbackList,
  feedback.feedbackKeep,
  datasets.datasetsList,
  datasets.datasetsUpload,
  datasets.datasetsShow,
  datasets.datasetsConflicts,
  datasets.datasetsDownload,
  datasets.datasetsDelete,
  tune,
  jobs.jobsList,
  jobs.jobsShow,
  jobs.jobsWatch,
  jobs.jobsCancel,
  jobs.jobsResume,
  jobs.jobsLogs,
  sweep,
  sweepShow,
  evaluation.evalRun,
  evaluation.evalList,
  evaluation.evalShow,
  evaluation.evalDownload,
  evaluation.evalCancel,
  evaluation.evalDelete,
  index.indexFiles,
  index.indexList,
  index.indexShow,
  index.indexWatch,
  index.indexFilesList,
  index.indexSearch,
  index.indexSuggest,
  index.indexDownload,
  index.indexRemove,
  index.indexCancel,
  index.indexDelete,
  ask,
  chat,
  tuned.exportModel,
  tuned.importModel,
  usage,
  audit.auditList,
  audit.auditExport,
  audit.auditVerify,
  doctor,
  completionOf(() => commands, hostWords),
];

/** First words with their second words. */
export function groups(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first, second] = name.split(' ') as [string, string | undefined];
    if (second) found.set(first, [...(found.get(first) ?? []), second]);
  }
  return found;
}

/** A group of commands; it may also be a command (`index`). */
export const isGroup = (word: string) => groups().has(word);
export const isCommand = (words: string) => commands.some(({ name }) => name === words);

/** Finds the command at the start of the words, and returns the rest. `keys --json` means `keys list --json`. */
export function findCommand(words: string[]): { command: Command; rest: string[] } | undefined {
  const [first = '', second = ''] = words;
  const two = commands.find(({ name }) => name === `${first} ${second}`);
  if (two) return { command: two, rest: words.slice(2) };
  const one = commands.find(({ name }) => name === first);
  if (one) return { command: one, rest: words.slice(1) };
  const list = commands.find(({ name }) => name === `${first} list`);
  return list && (second === '' || second.startsWith('-')) ? { command: list, rest: words.slice(1) } : undefined;
}
