// Every route of the contract, in the order of the documentation. A route is added here when it works, not before.
import * as accounts from './accounts.ts';
import * as audit from './audit.ts';
import * as cluster from './cluster.ts';
import * as completions from './completions.ts';
import * as conflicts from './conflicts.ts';
import * as datasets from './datasets.ts';
import * as documents from './documents.ts';
import * as erasures from './erasures.ts';
import * as evaluations from './evaluations.ts';
import * as feedback from './feedback.ts';
import * as indexes from './indexes.ts';
import * as keys from './keys.ts';
import * as knownModels from './known-models.ts';
import * as memories from './memories.ts';
import * as memoryComparisons from './memory-comparisons.ts';
import * as memoryGates from './memory-gates.ts';
import * as models from './models.ts';
import * as openai from './openai.ts';
import * as openaiV1 from './openai-v1.ts';
import * as proposals from './proposals.ts';
import * as readings from './readings.ts';
import type { Route } from './route.ts';
import * as service from './service.ts';
import * as sessions from './sessions.ts';
import * as sweeps from './sweeps.ts';
import * as tunedModels from './tuned-models.ts';
import * as tuning from './tuning.ts';
import * as usage from './usage.ts';
import * as webhooks from './webhooks.ts';

export const routes: Route[] = [
  service,
  accounts,
  keys,
  sessions,
  audit,
  usage,
  datasets,
  models,
  knownModels,
  tuning,
  sweeps,
  cluster,
  tunedModels,
  memories,
  memoryComparisons,
  memoryGates,
  erasures,
  proposals,
  conflicts,
  readings,
  feedback,
  webhooks,
  completions,
  openai,
  openaiV1,
  evaluations,
  documents,
  indexes,
].flatMap((part) => Object.values(part).filter(isRoute));

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
