// Made from contract/ by `./lorekeep check --write`; not edited by hand.
import type { CallOptions, RouteOf } from '../call.ts';
import type { ServerEvent } from '../events.ts';
import type * as t from './types.ts';

/** Every route as what a call needs to know of it. */
export const routes = {
  health: { name: "health", method: "GET", path: "/healthz", repeatable: true },
  metrics: { name: "metrics", method: "GET", path: "/metrics", raw: true, repeatable: true },
  openapi: { name: "openapi", method: "GET", path: "/openapi.json", repeatable: true },
  readiness: { name: "readiness", method: "GET", path: "/readyz", answerAlso: [503], repeatable: true },
  version: { name: "version", method: "GET", path: "/v1/version", repeatable: true },
  changeAccount: { name: "changeAccount", method: "PATCH", path: "/v1/accounts/{id}", params: ["id"], body: "json", repeatable: true },
  createAccount: { name: "createAccount", method: "POST", path: "/v1/accounts", body: "json" },
  deleteAccount: { name: "deleteAccount", method: "DELETE", path: "/v1/accounts/{id}", params: ["id"] },
  listAccounts: { name: "listAccounts", method: "GET", path: "/v1/accounts", repeatable: true },
  showAccount: { name: "showAccount", method: "GET", path: "/v1/accounts/{id}", params: ["id"], repeatable: true },
  showOwnAccount: { name: "showOwnAccount", method: "GET", path: "/v1/account", repeatable: true },
  createKey: { name: "createKey", method: "POST", path: "/v1/keys", body: "json" },
  listKeys: { name: "listKeys", method: "GET", path: "/v1/keys", query: ["limit","after","account_id"], repeatable: true },
  revokeKey: { name: "revokeKey", method: "DELETE", path: "/v1/keys/{id}", params: ["id"], repeatable: true },
  rotateKey: { name: "rotateKey", method: "POST", path: "/v1/keys/{id}/rotate", params: ["id"], body: "json" },
  showKey: { name: "showKey", method: "GET", path: "/v1/keys/{id}", params: ["id"], repeatable: true },
  changePassword: { name: "changePassword", method: "POST", path: "/v1/password", body: "json" },
  createSignInLink: { name: "createSignInLink", method: "POST", path: "/v1/accounts/{id}/sign-in-link", params: ["id"] },
  listSessions: { name: "listSessions", method: "GET", path: "/v1/sessions", repeatable: true },
  redeemSignInLink: { name: "redeemSignInLink", method: "POST", path: "/v1/sign-in-links/use", body: "json" },
  showSession: { name: "showSession", method: "GET", path: "/v1/session", repeatable: true },
  showSignInLink: { name: "showSignInLink", method: "POST", path: "/v1/sign-in-links/show", body: "json", repeatable: true },
  signIn: { name: "signIn", method: "POST", path: "/v1/session", body: "json" },
  signOut: { name: "signOut", method: "DELETE", path: "/v1/session", repeatable: true },
  signOutEverywhere: { name: "signOutEverywhere", method: "DELETE", path: "/v1/sessions", repeatable: true },
  exportAudit: { name: "exportAudit", method: "GET", path: "/v1/audit/export", query: ["from","to","actor","action","subject","account_id"], raw: true, repeatable: true },
  listAudit: { name: "listAudit", method: "GET", path: "/v1/audit", query: ["from","to","actor","action","subject","account_id","limit","after"], repeatable: true },
  verifyAudit: { name: "verifyAudit", method: "GET", path: "/v1/audit/verify", query: ["number","hash"], repeatable: true },
  showUsage: { name: "showUsage", method: "GET", path: "/v1/usage", query: ["from","to","account_id"], repeatable: true },
  changeDataset: { name: "changeDataset", method: "PATCH", path: "/v1/datasets/{id}", params: ["id"], body: "json", repeatable: true },
  deleteDataset: { name: "deleteDataset", method: "DELETE", path: "/v1/datasets/{id}", params: ["id"] },
  downloadDataset: { name: "downloadDataset", method: "GET", path: "/v1/datasets/{id}/download", params: ["id"], raw: true, repeatable: true },
  findDatasetConflicts: { name: "findDatasetConflicts", method: "GET", path: "/v1/datasets/{id}/conflicts", params: ["id"], query: ["reworded","limit"], repeatable: true },
  listDatasets: { name: "listDatasets", method: "GET", path: "/v1/datasets", query: ["limit","after"], repeatable: true },
  locateDataset: { name: "locateDataset", method: "POST", path: "/v1/existing-data", body: "json", repeatable: true },
  readDatasetRows: { name: "readDatasetRows", method: "GET", path: "/v1/datasets/{id}/rows", params: ["id"], query: ["limit"], raw: true, repeatable: true },
  showDataset: { name: "showDataset", method: "GET", path: "/v1/datasets/{id}", params: ["id"], repeatable: true },
  showUploadBasePath: { name: "showUploadBasePath", method: "GET", path: "/v1/get-upload-base-path", repeatable: true },
  uploadFile: { name: "uploadFile", method: "POST", path: "/v1/datasets", body: "multipart", files: ["file"], repeatable: true },
  uploadRows: { name: "uploadRows", method: "POST", path: "/v1/local-data", body: "json-stream", repeatable: true },
  deleteDownloadedModel: { name: "deleteDownloadedModel", method: "DELETE", path: "/v1alpha/downloaded_models/{model}", params: ["model"] },
  deleteDownloadedModelByParts: { name: "deleteDownloadedModelByParts", method: "DELETE", path: "/v1alpha/downloaded_models/{organisation}/{model}", params: ["organisation","model"] },
  downloadModel: { name: "downloadModel", method: "POST", path: "/v1alpha/downloaded_models", body: "json", repeatable: true },
  listDownloadedModels: { name: "listDownloadedModels", method: "GET", path: "/v1alpha/downloaded_models", repeatable: true },
  showDownloadedModel: { name: "showDownloadedModel", method: "GET", path: "/v1alpha/downloaded_models/{model}", params: ["model"], repeatable: true },
  showDownloadedModelByParts: { name: "showDownloadedModelByParts", method: "GET", path: "/v1alpha/downloaded_models/{organisation}/{model}", params: ["organisation","model"], repeatable: true },
  listKnownModels: { name: "listKnownModels", method: "GET", path: "/v1/known_models", repeatable: true },
  cancelJob: { name: "cancelJob", method: "POST", path: "/v1/train/jobs/{id}/cancel", params: ["id"], body: "json" },
  cancelJobs: { name: "cancelJobs", method: "POST", path: "/v1/train/jobs/cancel", body: "json" },
  listJobEvents: { name: "listJobEvents", method: "GET", path: "/v1/train/jobs/{id}/events", params: ["id"], query: ["limit","after"], repeatable: true },
  listJobs: { name: "listJobs", method: "GET", path: "/v1/train/jobs", query: ["limit","after"], repeatable: true },
  planTraining: { name: "planTraining", method: "POST", path: "/v1/train/plan", body: "json-stream" },
  readJobLog: { name: "readJobLog", method: "GET", path: "/v1/train/jobs/{id}/logs", params: ["id"], query: ["lines"], repeatable: true },
  resumeJob: { name: "resumeJob", method: "POST", path: "/v1/train/jobs/{id}/resume", params: ["id"], body: "json" },
  showJob: { name: "showJob", method: "GET", path: "/v1/train/jobs/{id}", params: ["id"], repeatable: true },
  train: { name: "train", method: "POST", path: "/v1/train", body: "json-stream" },
  watchJob: { name: "watchJob", method: "GET", path: "/v1/train/jobs/{id}/events/live", params: ["id"], raw: true, repeatable: true },
  listSweeps: { name: "listSweeps", method: "GET", path: "/v1/train/sweep", query: ["limit","after"], repeatable: true },
  showSweep: { name: "showSweep", method: "GET", path: "/v1/train/sweep/{id}", params: ["id"], repeatable: true },
  sweep: { name: "sweep", method: "POST", path: "/v1/train/sweep", body: "json-stream" },
  showCluster: { name: "showCluster", method: "GET", path: "/v1/cluster", repeatable: true },
  changeTunedModel: { name: "changeTunedModel", method: "PATCH", path: "/v1/models/{model}", params: ["model"], body: "json", repeatable: true },
  deleteTunedModel: { name: "deleteTunedModel", method: "DELETE", path: "/v1/models/{model}", params: ["model"] },
  exportTunedModel: { name: "exportTunedModel", method: "GET", path: "/v1/models/{model}/export", params: ["model"], query: ["format","with_base"], raw: true, repeatable: true },
  forgetFacts: { name: "forgetFacts", method: "POST", path: "/v1/models/{model}/forget", params: ["model"], body: "json" },
  importTunedModel: { name: "importTunedModel", method: "POST", path: "/v1/models", body: "multipart", files: ["file"], repeatable: true },
  listModelFacts: { name: "listModelFacts", method: "GET", path: "/v1/models/{model}/facts", params: ["model"], query: ["limit","after"], repeatable: true },
  listTunedModels: { name: "listTunedModels", method: "GET", path: "/v1/models", query: ["limit","after"], repeatable: true },
  moveTunedModel: { name: "moveTunedModel", method: "POST", path: "/v1/models/{model}/move", params: ["model"], body: "json" },
  showTunedModel: { name: "showTunedModel", method: "GET", path: "/v1/models/{model}", params: ["model"], repeatable: true },
  changeMemory: { name: "changeMemory", method: "POST", path: "/v1/memories/{name}/changes", params: ["name"], body: "json" },
  compareMemoryVersions: { name: "compareMemoryVersions", method: "GET", path: "/v1/memories/{name}/compare", params: ["name"], query: ["limit","after","from","to"], repeatable: true },
  createMemory: { name: "createMemory", method: "POST", path: "/v1/memories", body: "json" },
  deleteMemory: { name: "deleteMemory", method: "DELETE", path: "/v1/memories/{name}", params: ["name"] },
  listMemories: { name: "listMemories", method: "GET", path: "/v1/memories", query: ["limit","after"], repeatable: true },
  listMemoryChanges: { name: "listMemoryChanges", method: "GET", path: "/v1/memories/{name}/changes", params: ["name"], query: ["limit","after"], repeatable: true },
  listMemoryFacts: { name: "listMemoryFacts", method: "GET", path: "/v1/memories/{name}/facts", params: ["name"], query: ["limit","after","text","subject","dataset_id","version","state","recalled","valid_at","source_kind","source_name"], repeatable: true },
  listMemoryVersions: { name: "listMemoryVersions", method: "GET", path: "/v1/memories/{name}/versions", params: ["name"], query: ["limit","after"], repeatable: true },
  moveMemory: { name: "moveMemory", method: "POST", path: "/v1/memories/{name}/move", params: ["name"], body: "json" },
  publishMemoryVersion: { name: "publishMemoryVersion", method: "POST", path: "/v1/memories/{name}/publish", params: ["name"], body: "json" },
  showMemory: { name: "showMemory", method: "GET", path: "/v1/memories/{name}", params: ["name"], repeatable: true },
  showMemoryChange: { name: "showMemoryChange", method: "GET", path: "/v1/memories/{name}/changes/{number}", params: ["name","number"], repeatable: true },
  listAnswerDifferences: { name: "listAnswerDifferences", method: "GET", path: "/v1/memories/{name}/comparisons/{id}/differences", params: ["name","id"], query: ["limit","after","right"], repeatable: true },
  showComparison: { name: "showComparison", method: "GET", path: "/v1/memories/{name}/comparisons/{id}", params: ["name","id"], repeatable: true },
  startComparison: { name: "startComparison", method: "POST", path: "/v1/memories/{name}/comparisons", params: ["name"], body: "json", repeatable: true },
  listRegressions: { name: "listRegressions", method: "GET", path: "/v1/memories/{name}/versions/{version}/regressions", params: ["name","version"], query: ["limit","after"], repeatable: true },
  removeMemoryGate: { name: "removeMemoryGate", method: "DELETE", path: "/v1/memories/{name}/gate", params: ["name"] },
  setMemoryGate: { name: "setMemoryGate", method: "POST", path: "/v1/memories/{name}/gate", params: ["name"], body: "json", repeatable: true },
  showGateResult: { name: "showGateResult", method: "GET", path: "/v1/memories/{name}/versions/{version}/gate", params: ["name","version"], repeatable: true },
  showMemoryGate: { name: "showMemoryGate", method: "GET", path: "/v1/memories/{name}/gate", params: ["name"], repeatable: true },
  eraseFacts: { name: "eraseFacts", method: "POST", path: "/v1/memories/{name}/erasures", params: ["name"], body: "json" },
  listErasures: { name: "listErasures", method: "GET", path: "/v1/memories/{name}/erasures", params: ["name"], query: ["limit","after"], repeatable: true },
  listReceipts: { name: "listReceipts", method: "GET", path: "/v1/receipts", query: ["limit","after"], repeatable: true },
  planErasure: { name: "planErasure", method: "POST", path: "/v1/memories/{name}/erasures/plan", params: ["name"], body: "json", repeatable: true },
  retryErasure: { name: "retryErasure", method: "POST", path: "/v1/memories/{name}/erasures/{number}/retry", params: ["name","number"] },
  showErasure: { name: "showErasure", method: "GET", path: "/v1/memories/{name}/erasures/{number}", params: ["name","number"], repeatable: true },
  showReceipt: { name: "showReceipt", method: "GET", path: "/v1/receipts/{number}", params: ["number"], repeatable: true },
  showReceiptKey: { name: "showReceiptKey", method: "GET", path: "/v1/receipt-key", repeatable: true },
  verifyMemoryVersion: { name: "verifyMemoryVersion", method: "POST", path: "/v1/memories/{name}/versions/{version}/verify", params: ["name","version"], body: "json", repeatable: true },
  verifyReceipt: { name: "verifyReceipt", method: "GET", path: "/v1/receipts/{number}/verify", params: ["number"], repeatable: true },
  acceptProposals: { name: "acceptProposals", method: "POST", path: "/v1/memories/{name}/proposals/accept", params: ["name"], body: "json" },
  assignProposals: { name: "assignProposals", method: "POST", path: "/v1/memories/{name}/proposals/assign", params: ["name"], body: "json", repeatable: true },
  createProposals: { name: "createProposals", method: "POST", path: "/v1/memories/{name}/proposals", params: ["name"], body: "json", repeatable: true },
  listProposals: { name: "listProposals", method: "GET", path: "/v1/memories/{name}/proposals", params: ["name"], query: ["limit","after","state","kind","assignee","text","index_id","file_id","change","min_confidence"], repeatable: true },
  rejectProposals: { name: "rejectProposals", method: "POST", path: "/v1/memories/{name}/proposals/reject", params: ["name"], body: "json" },
  showProposal: { name: "showProposal", method: "GET", path: "/v1/memories/{name}/proposals/{number}", params: ["name","number"], repeatable: true },
  withdrawProposals: { name: "withdrawProposals", method: "POST", path: "/v1/memories/{name}/proposals/withdraw", params: ["name"], body: "json" },
  findConflicts: { name: "findConflicts", method: "POST", path: "/v1/memories/{name}/conflicts", params: ["name"], body: "json", repeatable: true },
  findRewordedConflicts: { name: "findRewordedConflicts", method: "POST", path: "/v1/memories/{name}/conflicts/reworded", params: ["name"], body: "json", repeatable: true },
  createReading: { name: "createReading", method: "POST", path: "/v1/memories/{name}/readings", params: ["name"], body: "json" },
  listReadings: { name: "listReadings", method: "GET", path: "/v1/memories/{name}/readings", params: ["name"], query: ["limit","after"], repeatable: true },
  showReading: { name: "showReading", method: "GET", path: "/v1/memories/{name}/readings/{id}", params: ["name","id"], repeatable: true },
  changeFeedbackSettings: { name: "changeFeedbackSettings", method: "PATCH", path: "/v1/feedback/settings", body: "json", repeatable: true },
  giveFeedback: { name: "giveFeedback", method: "POST", path: "/v1/feedback", body: "json", repeatable: true },
  listFeedback: { name: "listFeedback", method: "GET", path: "/v1/feedback", query: ["limit","after","rating"], repeatable: true },
  showFeedbackSettings: { name: "showFeedbackSettings", method: "GET", path: "/v1/feedback/settings", repeatable: true },
  createWebhook: { name: "createWebhook", method: "POST", path: "/v1/webhooks", body: "json" },
  deleteWebhook: { name: "deleteWebhook", method: "DELETE", path: "/v1/webhooks/{id}", params: ["id"] },
  listDeliveries: { name: "listDeliveries", method: "GET", path: "/v1/webhooks/{id}/deliveries", params: ["id"], query: ["limit","after"], repeatable: true },
  listWebhooks: { name: "listWebhooks", method: "GET", path: "/v1/webhooks", repeatable: true },
  completeInArrays: { name: "completeInArrays", method: "POST", path: "/v2/completions", body: "json", repeatable: true },
  completeInSession: { name: "completeInSession", method: "POST", path: "/v1/streaming_completions", body: "json", repeatable: true },
  deleteRun: { name: "deleteRun", method: "DELETE", path: "/v1/batch_completions/{id}", params: ["id"] },
  embed: { name: "embed", method: "POST", path: "/v1/embedding", body: "json", repeatable: true },
  embedForPipelines: { name: "embedForPipelines", method: "POST", path: "/v1/inference/embedding", body: "json", repeatable: true },
  listRuns: { name: "listRuns", method: "GET", path: "/v1/batch_completions", query: ["limit","after"], repeatable: true },
  showBatch: { name: "showBatch", method: "GET", path: "/v1/batch_completions/{id}/result", params: ["id"], repeatable: true },
  showEmbeddings: { name: "showEmbeddings", method: "GET", path: "/v1/batch_embeddings/{id}/result", params: ["id"], repeatable: true },
  showRun: { name: "showRun", method: "GET", path: "/v1/batch_completions/{id}", params: ["id"], repeatable: true },
  showStream: { name: "showStream", method: "GET", path: "/v3/streaming_completions/{id}/result", params: ["id"], repeatable: true },
  startBatch: { name: "startBatch", method: "POST", path: "/v1/batch_completions", body: "json" },
  startEmbeddings: { name: "startEmbeddings", method: "POST", path: "/v1/batch_embeddings", body: "json" },
  startStream: { name: "startStream", method: "POST", path: "/v3/streaming_completions", body: "json" },
  openaiChat: { name: "openaiChat", method: "POST", path: "/inf/chat/completions", body: "json", repeatable: true },
  openaiComplete: { name: "openaiComplete", method: "POST", path: "/inf/completions", body: "json", repeatable: true },
  openaiEmbed: { name: "openaiEmbed", method: "POST", path: "/inf/embeddings", body: "json", repeatable: true },
  openaiListModels: { name: "openaiListModels", method: "GET", path: "/inf/models", repeatable: true },
  openaiShowModel: { name: "openaiShowModel", method: "GET", path: "/inf/models/{model}", params: ["model"], repeatable: true },
  openaiShowModelByParts: { name: "openaiShowModelByParts", method: "GET", path: "/inf/models/{organisation}/{model}", params: ["organisation","model"], repeatable: true },
  complete: { name: "complete", method: "POST", path: "/v1/completions", body: "json", repeatable: true },
  cancelEvaluation: { name: "cancelEvaluation", method: "POST", path: "/v1/evaluations/{id}/cancel", params: ["id"], body: "json" },
  deleteEvaluation: { name: "deleteEvaluation", method: "DELETE", path: "/v1/evaluations/{id}", params: ["id"] },
  downloadEvaluation: { name: "downloadEvaluation", method: "GET", path: "/v1/evaluations/{id}/results.csv", params: ["id"], query: ["cells"], raw: true, repeatable: true },
  evaluateJob: { name: "evaluateJob", method: "GET", path: "/v1/train/jobs/{id}/eval", params: ["id"], repeatable: true },
  listEvaluations: { name: "listEvaluations", method: "GET", path: "/v1/evaluations", query: ["limit","after"], repeatable: true },
  showEvaluation: { name: "showEvaluation", method: "GET", path: "/v1/evaluations/{id}", params: ["id"], repeatable: true },
  showEvaluationResults: { name: "showEvaluationResults", method: "GET", path: "/v1/evaluations/{id}/results", params: ["id"], query: ["limit","after","outcome"], repeatable: true },
  startEvaluation: { name: "startEvaluation", method: "POST", path: "/v1/evaluations", body: "json" },
  addText: { name: "addText", method: "POST", path: "/alpha/memory-rag/add-index", body: "json" },
  askIndex: { name: "askIndex", method: "POST", path: "/alpha/memory-rag/completions", body: "json" },
  buildIndex: { name: "buildIndex", method: "POST", path: "/alpha/memory-rag/train", body: "multipart", files: ["files"] },
  indexLog: { name: "indexLog", method: "GET", path: "/alpha/memory-rag/training_log/{id}", params: ["id"], repeatable: true },
  indexStatus: { name: "indexStatus", method: "POST", path: "/alpha/memory-rag/status", body: "json" },
  indexStatusByQuery: { name: "indexStatusByQuery", method: "GET", path: "/alpha/memory-rag/status", query: ["job_id"], repeatable: true },
  suggestQuestions: { name: "suggestQuestions", method: "POST", path: "/alpha/memory-rag/suggestions", body: "json" },
  addFiles: { name: "addFiles", method: "POST", path: "/v1/indexes/{id}/files", params: ["id"], body: "multipart", files: ["files"] },
  cancelIndex: { name: "cancelIndex", method: "POST", path: "/v1/indexes/{id}/cancel", params: ["id"], body: "json" },
  changeIndexFile: { name: "changeIndexFile", method: "PATCH", path: "/v1/indexes/{id}/files/{file}", params: ["id","file"], body: "json", repeatable: true },
  createIndex: { name: "createIndex", method: "POST", path: "/v1/indexes", body: "json" },
  deleteIndexFile: { name: "deleteIndexFile", method: "DELETE", path: "/v1/indexes/{id}/files/{file}", params: ["id","file"] },
  deleteIndex: { name: "deleteIndex", method: "DELETE", path: "/v1/indexes/{id}", params: ["id"] },
  downloadIndexFile: { name: "downloadIndexFile", method: "GET", path: "/v1/indexes/{id}/files/{file}/download", params: ["id","file"], raw: true, repeatable: true },
  followIndex: { name: "followIndex", method: "GET", path: "/v1/indexes/{id}/events", params: ["id"], query: ["after"], raw: true, repeatable: true },
  listFiles: { name: "listFiles", method: "GET", path: "/v1/indexes/{id}/files", params: ["id"], query: ["limit","after"], repeatable: true },
  listIndexes: { name: "listIndexes", method: "GET", path: "/v1/indexes", query: ["limit","after"], repeatable: true },
  listIndexPassages: { name: "listIndexPassages", method: "GET", path: "/v1/indexes/{id}/files/{file}/passages", params: ["id","file"], query: ["from","limit"], repeatable: true },
  renameIndex: { name: "renameIndex", method: "PATCH", path: "/v1/indexes/{id}", params: ["id"], body: "json", repeatable: true },
  searchIndex: { name: "searchIndex", method: "POST", path: "/v1/indexes/{id}/search", params: ["id"], body: "json" },
  showIndexFile: { name: "showIndexFile", method: "GET", path: "/v1/indexes/{id}/files/{file}", params: ["id","file"], repeatable: true },
  showIndex: { name: "showIndex", method: "GET", path: "/v1/indexes/{id}", params: ["id"], repeatable: true },
} as const satisfies Record<string, RouteOf>;

/** A method for each route, named and described as in the contract. */
export abstract class Calls {
  protected abstract call<Answer>(route: RouteOf, args: object, options?: CallOptions): Promise<Answer>;
  protected abstract events<Event>(route: RouteOf, args: object, options?: CallOptions): AsyncGenerator<Event, void>;
  protected abstract serverEvents(route: RouteOf, args: object, options?: CallOptions): AsyncGenerator<ServerEvent, void>;
  protected abstract pages<Item>(
    route: RouteOf,
    list: string,
    args: object,
    options?: CallOptions,
  ): AsyncGenerator<Item, void>;

  /**
   * Is the process alive.
   * GET /healthz, no key needed.
   */
  health(options?: CallOptions): Promise<t.HealthAnswer> {
    return this.call(routes.health, {}, options);
  }

  /**
   * Figures for Prometheus.
   * Its body has not been read when this resolves.
   * GET /metrics, no key needed.
   */
  metrics(options?: CallOptions): Promise<Response> {
    return this.call(routes.metrics, {}, options);
  }

  /**
   * This contract as an OpenAPI 3.1 document.
   * GET /openapi.json, no key needed.
   */
  openapi(options?: CallOptions): Promise<t.OpenapiAnswer> {
    return this.call(routes.openapi, {}, options);
  }

  /**
   * Can it take requests: 200 when server and database answer, 503 while starting, draining, without its database or with an engine that hangs.
   * GET /readyz, no key needed.
   */
  readiness(options?: CallOptions): Promise<t.ReadinessAnswer> {
    return this.call(routes.readiness, {}, options);
  }

  /**
   * Versions of the server, of the client it speaks to, and of the parts of the API.
   * GET /v1/version, no key needed.
   */
  version(options?: CallOptions): Promise<t.VersionAnswer> {
    return this.call(routes.version, {}, options);
  }

  /**
   * Rename an account, set its limits, disable or enable it.
   * PATCH /v1/accounts/{id}, the operator's key.
   */
  changeAccount(args: t.ChangeAccountArgs, options?: CallOptions): Promise<t.ChangeAccountAnswer> {
    return this.call(routes.changeAccount, args, options);
  }

  /**
   * Make an account.
   * POST /v1/accounts, the operator's key.
   */
  createAccount(args: t.CreateAccountArgs, options?: CallOptions): Promise<t.CreateAccountAnswer> {
    return this.call(routes.createAccount, args, options);
  }

  /**
   * Delete an account with all its keys and data.
   * DELETE /v1/accounts/{id}, the operator's key.
   */
  deleteAccount(args: t.DeleteAccountArgs, options?: CallOptions): Promise<t.DeleteAccountAnswer> {
    return this.call(routes.deleteAccount, args, options);
  }

  /**
   * All accounts.
   * GET /v1/accounts, the operator's key.
   */
  listAccounts(options?: CallOptions): Promise<t.ListAccountsAnswer> {
    return this.call(routes.listAccounts, {}, options);
  }

  /**
   * One account.
   * GET /v1/accounts/{id}, the operator's key.
   */
  showAccount(args: t.ShowAccountArgs, options?: CallOptions): Promise<t.ShowAccountAnswer> {
    return this.call(routes.showAccount, args, options);
  }

  /**
   * The account and the key that this request is made with.
   * GET /v1/account, any key.
   */
  showOwnAccount(options?: CallOptions): Promise<t.ShowOwnAccountAnswer> {
    return this.call(routes.showOwnAccount, {}, options);
  }

  /**
   * Make a key.
   * A key cannot make a stronger one: neither more scopes nor a later expiry than its own.
   * POST /v1/keys, scope admin.
   */
  createKey(args: t.CreateKeyArgs, options?: CallOptions): Promise<t.CreateKeyAnswer> {
    return this.call(routes.createKey, args, options);
  }

  /**
   * The keys of the account, newest first, revoked and expired ones too.
   * GET /v1/keys, scope read.
   */
  listKeys(args: t.ListKeysArgs = {}, options?: CallOptions): Promise<t.ListKeysAnswer> {
    return this.call(routes.listKeys, args, options);
  }

  /** Every one of `listKeys`, page after page. */
  allKeys(args: t.ListKeysArgs = {}, options?: CallOptions): AsyncGenerator<t.ListKeysAnswer['keys'][number], void> {
    return this.pages(routes.listKeys, 'keys', args, options);
  }

  /**
   * Revoke a key: it stops working at once.
   * DELETE /v1/keys/{id}, scope admin.
   */
  revokeKey(args: t.RevokeKeyArgs, options?: CallOptions): Promise<t.RevokeKeyAnswer> {
    return this.call(routes.revokeKey, args, options);
  }

  /**
   * Replace a key: a new one with the same name and scopes, the old one valid for a while longer.
   * POST /v1/keys/{id}/rotate, scope admin.
   */
  rotateKey(args: t.RotateKeyArgs, options?: CallOptions): Promise<t.RotateKeyAnswer> {
    return this.call(routes.rotateKey, args, options);
  }

  /**
   * One key.
   * GET /v1/keys/{id}, scope read.
   */
  showKey(args: t.ShowKeyArgs, options?: CallOptions): Promise<t.ShowKeyAnswer> {
    return this.call(routes.showKey, args, options);
  }

  /**
   * Change the password of the account; its other sessions end.
   * POST /v1/password, scope admin.
   */
  changePassword(args: t.ChangePasswordArgs, options?: CallOptions): Promise<t.ChangePasswordAnswer> {
    return this.call(routes.changePassword, args, options);
  }

  /**
   * Make a link with which whoever opens it sets the password of the account, once.
   * An invitation, and the way back for who has forgotten a password.
   * POST /v1/accounts/{id}/sign-in-link, scope admin.
   */
  createSignInLink(args: t.CreateSignInLinkArgs, options?: CallOptions): Promise<t.CreateSignInLinkAnswer> {
    return this.call(routes.createSignInLink, args, options);
  }

  /**
   * The sessions of the account.
   * GET /v1/sessions, scope read.
   */
  listSessions(options?: CallOptions): Promise<t.ListSessionsAnswer> {
    return this.call(routes.listSessions, {}, options);
  }

  /**
   * Set the password that a link is for, and sign in; the link is spent.
   * Needs the header x-lorekeep-csrf with any value. Sessions that the account had end.
   * POST /v1/sign-in-links/use, no key needed.
   */
  redeemSignInLink(args: t.RedeemSignInLinkArgs, options?: CallOptions): Promise<t.RedeemSignInLinkAnswer> {
    return this.call(routes.redeemSignInLink, args, options);
  }

  /**
   * The account that is signed in with the cookie of this request.
   * GET /v1/session, no key needed.
   */
  showSession(options?: CallOptions): Promise<t.ShowSessionAnswer> {
    return this.call(routes.showSession, {}, options);
  }

  /**
   * The account that a link is for; the link stays good.
   * POST /v1/sign-in-links/show, no key needed.
   */
  showSignInLink(args: t.ShowSignInLinkArgs, options?: CallOptions): Promise<t.ShowSignInLinkAnswer> {
    return this.call(routes.showSignInLink, args, options);
  }

  /**
   * Sign in: the answer sets the cookie of a new session.
   * Needs the header x-lorekeep-csrf with any value, which no page of another address can send.
   * POST /v1/session, no key needed.
   */
  signIn(args: t.SignInArgs, options?: CallOptions): Promise<t.SignInAnswer> {
    return this.call(routes.signIn, args, options);
  }

  /**
   * Sign out here.
   * DELETE /v1/session, any key.
   */
  signOut(options?: CallOptions): Promise<t.SignOutAnswer> {
    return this.call(routes.signOut, {}, options);
  }

  /**
   * Sign out everywhere, here too.
   * DELETE /v1/sessions, scope admin.
   */
  signOutEverywhere(options?: CallOptions): Promise<t.SignOutEverywhereAnswer> {
    return this.call(routes.signOutEverywhere, {}, options);
  }

  /**
   * The audit log as JSON lines, oldest first.
   * An admin key sees the rows about its account; one of the operator sees all. The export is a row of the log itself.
   * Its body has not been read when this resolves.
   * GET /v1/audit/export, scope admin.
   */
  exportAudit(args: t.ExportAuditArgs = {}, options?: CallOptions): Promise<Response> {
    return this.call(routes.exportAudit, args, options);
  }

  /**
   * The audit log, newest first.
   * An admin key sees the rows about its account; one of the operator sees all.
   * GET /v1/audit, scope admin.
   */
  listAudit(args: t.ListAuditArgs = {}, options?: CallOptions): Promise<t.ListAuditAnswer> {
    return this.call(routes.listAudit, args, options);
  }

  /** Every one of `listAudit`, page after page. */
  allAudit(args: t.ListAuditArgs = {}, options?: CallOptions): AsyncGenerator<t.ListAuditAnswer['rows'][number], void> {
    return this.pages(routes.listAudit, 'rows', args, options);
  }

  /**
   * Hold every row of the audit log against the one before.
   * Names the first row that does not fit: changed, missing, inserted, or cut off at the end. Somebody who may write the database can write a whole new chain: keep `last` of an answer outside of the installation, and send it later as `number` and `hash`.
   * GET /v1/audit/verify, the operator's key.
   */
  verifyAudit(args: t.VerifyAuditArgs = {}, options?: CallOptions): Promise<t.VerifyAuditAnswer> {
    return this.call(routes.verifyAudit, args, options);
  }

  /**
   * Tokens in and out and slot seconds of the account, by day, key and model.
   * Tokens are counted when an answer ends, slot seconds while a job runs; both are written every few seconds.
   * GET /v1/usage, scope read.
   */
  showUsage(args: t.ShowUsageArgs = {}, options?: CallOptions): Promise<t.ShowUsageAnswer> {
    return this.call(routes.showUsage, args, options);
  }

  /**
   * Rename a dataset, or make it public or private.
   * PATCH /v1/datasets/{id}, scope tune.
   */
  changeDataset(args: t.ChangeDatasetArgs, options?: CallOptions): Promise<t.ChangeDatasetAnswer> {
    return this.call(routes.changeDataset, args, options);
  }

  /**
   * Delete a dataset: its rows are gone from the disk.
   * DELETE /v1/datasets/{id}, scope tune.
   */
  deleteDataset(args: t.DeleteDatasetArgs, options?: CallOptions): Promise<t.DeleteDatasetAnswer> {
    return this.call(routes.deleteDataset, args, options);
  }

  /**
   * All rows of a dataset as JSON lines.
   * An export: the audit log records it, and receipts of erasures list it.
   * Its body has not been read when this resolves.
   * GET /v1/datasets/{id}/download, scope read.
   */
  downloadDataset(args: t.DownloadDatasetArgs, options?: CallOptions): Promise<Response> {
    return this.call(routes.downloadDataset, args, options);
  }

  /**
   * Rows of a dataset that answer one question differently.
   * The same question (but for white space) with another answer: a model cannot be tuned on such rows. The first 100,000 rows are looked at. With `reworded=true` the first 10,000 questions are also held against each other in other words, by a worker of this machine; both rows of such a pair may be right.
   * GET /v1/datasets/{id}/conflicts, scope read.
   */
  findDatasetConflicts(args: t.FindDatasetConflictsArgs, options?: CallOptions): Promise<t.FindDatasetConflictsAnswer> {
    return this.call(routes.findDatasetConflicts, args, options);
  }

  /**
   * The datasets of the account, newest first.
   * GET /v1/datasets, scope read.
   */
  listDatasets(args: t.ListDatasetsArgs = {}, options?: CallOptions): Promise<t.ListDatasetsAnswer> {
    return this.call(routes.listDatasets, args, options);
  }

  /** Every one of `listDatasets`, page after page. */
  allDatasets(args: t.ListDatasetsArgs = {}, options?: CallOptions): AsyncGenerator<t.ListDatasetsAnswer['datasets'][number], void> {
    return this.pages(routes.listDatasets, 'datasets', args, options);
  }

  /**
   * The location of an uploaded dataset.
   * POST /v1/existing-data, scope read.
   */
  locateDataset(args: t.LocateDatasetArgs, options?: CallOptions): Promise<t.LocateDatasetAnswer> {
    return this.call(routes.locateDataset, args, options);
  }

  /**
   * Rows of a dataset as JSON lines, for a program that shows or compares them.
   * The same lines as the download. Pages of the console and at most 100 rows are no export; the audit log records more, read with a key, as one.
   * Its body has not been read when this resolves.
   * GET /v1/datasets/{id}/rows, scope read.
   */
  readDatasetRows(args: t.ReadDatasetRowsArgs, options?: CallOptions): Promise<Response> {
    return this.call(routes.readDatasetRows, args, options);
  }

  /**
   * One dataset with its first rows.
   * GET /v1/datasets/{id}, scope read.
   */
  showDataset(args: t.ShowDatasetArgs, options?: CallOptions): Promise<t.ShowDatasetAnswer> {
    return this.call(routes.showDataset, args, options);
  }

  /**
   * The destination of data that the platform client sends.
   * GET /v1/get-upload-base-path, scope read.
   */
  showUploadBasePath(options?: CallOptions): Promise<t.ShowUploadBasePathAnswer> {
    return this.call(routes.showUploadBasePath, {}, options);
  }

  /**
   * Upload a file of rows: JSON lines, CSV or Parquet.
   * One part `file`; the fields `name`, `is_public`, `input_column` and `output_column` may come before it. The kind of file is told by its content first, then by its name.
   * POST /v1/datasets, scope tune.
   */
  uploadFile(args: t.UploadFileArgs, options?: CallOptions): Promise<t.UploadFileAnswer> {
    return this.call(routes.uploadFile, args, options);
  }

  /**
   * Upload rows as one JSON body of any size.
   * Read as it arrives; numbers and booleans are kept as their text. The same rows twice are one dataset.
   * POST /v1/local-data, scope tune.
   */
  uploadRows(args: t.UploadRowsArgs, options?: CallOptions): Promise<t.UploadRowsAnswer> {
    return this.call(routes.uploadRows, args, options);
  }

  /**
   * Delete a model from the disk, or give up its download; the slash of its name written as %2F.
   * DELETE /v1alpha/downloaded_models/{model}, the operator's key.
   */
  deleteDownloadedModel(args: t.DeleteDownloadedModelArgs, options?: CallOptions): Promise<t.DeleteDownloadedModelAnswer> {
    return this.call(routes.deleteDownloadedModel, args, options);
  }

  /**
   * Delete a model from the disk, or give up its download; the slash of its name written as it is.
   * DELETE /v1alpha/downloaded_models/{organisation}/{model}, the operator's key.
   */
  deleteDownloadedModelByParts(args: t.DeleteDownloadedModelByPartsArgs, options?: CallOptions): Promise<t.DeleteDownloadedModelByPartsAnswer> {
    return this.call(routes.deleteDownloadedModelByParts, args, options);
  }

  /**
   * Download a model from the hub, or ask how far it is.
   * Answers at once; ask again until `status` is `available`. A download that failed is told as an error, and the call after that goes on from what is there. A model that is here is `available` already.
   * POST /v1alpha/downloaded_models, scope tune.
   */
  downloadModel(args: t.DownloadModelArgs, options?: CallOptions): Promise<t.DownloadModelAnswer> {
    return this.call(routes.downloadModel, args, options);
  }

  /**
   * The models that can be asked, and those on their way.
   * GET /v1alpha/downloaded_models, scope read.
   */
  listDownloadedModels(options?: CallOptions): Promise<t.ListDownloadedModelsAnswer> {
    return this.call(routes.listDownloadedModels, {}, options);
  }

  /**
   * One model; the slash of its name written as %2F.
   * GET /v1alpha/downloaded_models/{model}, scope read.
   */
  showDownloadedModel(args: t.ShowDownloadedModelArgs, options?: CallOptions): Promise<t.ShowDownloadedModelAnswer> {
    return this.call(routes.showDownloadedModel, args, options);
  }

  /**
   * One model; the slash of its name written as it is.
   * GET /v1alpha/downloaded_models/{organisation}/{model}, scope read.
   */
  showDownloadedModelByParts(args: t.ShowDownloadedModelByPartsArgs, options?: CallOptions): Promise<t.ShowDownloadedModelByPartsAnswer> {
    return this.call(routes.showDownloadedModelByParts, args, options);
  }

  /**
   * Real base models that are known to load, and whether each fits this machine.
   * GET /v1/known_models, scope read.
   */
  listKnownModels(options?: CallOptions): Promise<t.ListKnownModelsAnswer> {
    return this.call(routes.listKnownModels, {}, options);
  }

  /**
   * Stop a job; what it has finished is kept.
   * POST /v1/train/jobs/{id}/cancel, scope tune.
   */
  cancelJob(args: t.CancelJobArgs, options?: CallOptions): Promise<t.CancelJobAnswer> {
    return this.call(routes.cancelJob, args, options);
  }

  /**
   * Stop all jobs of the account that wait or run.
   * POST /v1/train/jobs/cancel, scope tune.
   */
  cancelJobs(args: t.CancelJobsArgs = {}, options?: CallOptions): Promise<t.CancelJobsAnswer> {
    return this.call(routes.cancelJobs, args, options);
  }

  /**
   * The events of a job with their times and reasons, oldest first.
   * GET /v1/train/jobs/{id}/events, scope read.
   */
  listJobEvents(args: t.ListJobEventsArgs, options?: CallOptions): Promise<t.ListJobEventsAnswer> {
    return this.call(routes.listJobEvents, args, options);
  }

  /** Every one of `listJobEvents`, page after page. */
  allJobEvents(args: t.ListJobEventsArgs, options?: CallOptions): AsyncGenerator<t.ListJobEventsAnswer['events'][number], void> {
    return this.pages(routes.listJobEvents, 'events', args, options);
  }

  /**
   * The jobs of the account, newest first.
   * GET /v1/train/jobs, scope read.
   */
  listJobs(args: t.ListJobsArgs = {}, options?: CallOptions): Promise<t.ListJobsAnswer> {
    return this.call(routes.listJobs, args, options);
  }

  /**
   * The plan and cost of a tuning, without doing it.
   * Takes the body of /v1/train. Seconds and memory come from the jobs that this installation has finished.
   * POST /v1/train/plan, scope tune.
   */
  planTraining(args: t.PlanTrainingArgs, options?: CallOptions): Promise<t.PlanTrainingAnswer> {
    return this.call(routes.planTraining, args, options);
  }

  /**
   * The output of the workers of a job: its last lines.
   * GET /v1/train/jobs/{id}/logs, scope read.
   */
  readJobLog(args: t.ReadJobLogArgs, options?: CallOptions): Promise<t.ReadJobLogAnswer> {
    return this.call(routes.readJobLog, args, options);
  }

  /**
   * Go on with a job that failed or was cancelled, from what it has finished.
   * POST /v1/train/jobs/{id}/resume, scope tune.
   */
  resumeJob(args: t.ResumeJobArgs, options?: CallOptions): Promise<t.ResumeJobAnswer> {
    return this.call(routes.resumeJob, args, options);
  }

  /**
   * One job.
   * GET /v1/train/jobs/{id}, scope read.
   */
  showJob(args: t.ShowJobArgs, options?: CallOptions): Promise<t.ShowJobAnswer> {
    return this.call(routes.showJob, args, options);
  }

  /**
   * Tune a base on facts.
   * Everything is checked before there is a job: what is refused leaves nothing behind. The body is read as it arrives and may hold any number of facts.
   * POST /v1/train, scope tune.
   */
  train(args: t.TrainArgs, options?: CallOptions): Promise<t.TrainAnswer> {
    return this.call(routes.train, args, options);
  }

  /**
   * The same while it happens, as server-sent events.
   * Events `status` and `warning` hold a TuningEvent, `progress` the progress of the job with its queue position. Begins with all that was; with the header Last-Event-ID after that event. Ends when the job is over.
   * GET /v1/train/jobs/{id}/events/live, scope read.
   */
  watchJob(args: t.WatchJobArgs, options?: CallOptions): AsyncGenerator<ServerEvent, void> {
    return this.serverEvents(routes.watchJob, args, options);
  }

  /**
   * The sweeps of the account, newest first.
   * GET /v1/train/sweep, scope read.
   */
  listSweeps(args: t.ListSweepsArgs = {}, options?: CallOptions): Promise<t.ListSweepsAnswer> {
    return this.call(routes.listSweeps, args, options);
  }

  /**
   * One sweep: the loss curves and the recall of its values side by side.
   * GET /v1/train/sweep/{id}, scope read.
   */
  showSweep(args: t.ShowSweepArgs, options?: CallOptions): Promise<t.ShowSweepAnswer> {
    return this.call(routes.showSweep, args, options);
  }

  /**
   * Try values of an argument on a part of the facts, and see which is best.
   * One job in the queue, which takes one slot and makes no model. It is watched, cancelled and resumed as any job. The best value recalls most; among equals it needs the fewest steps.
   * POST /v1/train/sweep, scope tune.
   */
  sweep(args: t.SweepArgs, options?: CallOptions): Promise<t.SweepAnswer> {
    return this.call(routes.sweep, args, options);
  }

  /**
   * The nodes and their slots, the jobs that hold them, the jobs that wait by reason, and replicas of the engine.
   * Of jobs of other accounts the slots alone are told; the operator sees whose they are, and the names of nodes.
   * GET /v1/cluster, scope read.
   */
  showCluster(options?: CallOptions): Promise<t.ShowClusterAnswer> {
    return this.call(routes.showCluster, {}, options);
  }

  /**
   * Give a tuned model a custom name (it moves there at once), make it public or private, or set what it answers from.
   * Sources of answers count for requests that do not say, from the next one on. A model that is made of this one (facts forgotten, the next version of a memory) has them too; an export does not.
   * PATCH /v1/models/{model}, scope tune.
   */
  changeTunedModel(args: t.ChangeTunedModelArgs, options?: CallOptions): Promise<t.ChangeTunedModelAnswer> {
    return this.call(routes.changeTunedModel, args, options);
  }

  /**
   * Delete a tuned model from the disk.
   * DELETE /v1/models/{model}, scope tune.
   */
  deleteTunedModel(args: t.DeleteTunedModelArgs, options?: CallOptions): Promise<t.DeleteTunedModelAnswer> {
    return this.call(routes.deleteTunedModel, args, options);
  }

  /**
   * A tuned model to take elsewhere, as a tar file.
   * With `format=folder` the whole model with a checksum of every file: `python -m lorekeep import` of another installation takes it in. The others hold one adapter for each expert, and adapters.json, which says whose fact is whose: `peft` is activated LoRA, `vllm` ordinary LoRA in folders named by their content, `gguf` LoRA of llama.cpp. The router stays here; README.md of the last two describes how a question finds its adapter, and the limitations.
   * Its body has not been read when this resolves.
   * GET /v1/models/{model}/export, scope read.
   */
  exportTunedModel(args: t.ExportTunedModelArgs, options?: CallOptions): Promise<Response> {
    return this.call(routes.exportTunedModel, args, options);
  }

  /**
   * Make the model anew without some facts: a job that trains only what they touched.
   * POST /v1/models/{model}/forget, scope tune.
   */
  forgetFacts(args: t.ForgetFactsArgs, options?: CallOptions): Promise<t.ForgetFactsAnswer> {
    return this.call(routes.forgetFacts, args, options);
  }

  /**
   * Import a tuned model that was exported, here or by another installation.
   * One part `file`: the tar file of `GET /v1/models/{model}/export` with `format=folder`. Every checksum is checked, and its base has to be here. The model belongs to the account and is used like one that was tuned here; the job that stands for it has run elsewhere. The same file twice is one model.
   * POST /v1/models, scope tune.
   */
  importTunedModel(args: t.ImportTunedModelArgs, options?: CallOptions): Promise<t.ImportTunedModelAnswer> {
    return this.call(routes.importTunedModel, args, options);
  }

  /**
   * The facts of a tuned model.
   * GET /v1/models/{model}/facts, scope read.
   */
  listModelFacts(args: t.ListModelFactsArgs, options?: CallOptions): Promise<t.ListModelFactsAnswer> {
    return this.call(routes.listModelFacts, args, options);
  }

  /** Every one of `listModelFacts`, page after page. */
  allModelFacts(args: t.ListModelFactsArgs, options?: CallOptions): AsyncGenerator<t.ListModelFactsAnswer['facts'][number], void> {
    return this.pages(routes.listModelFacts, 'facts', args, options);
  }

  /**
   * The tuned models of the account, newest first; for OpenAI clients, every model that can be asked.
   * GET /v1/models, scope read.
   */
  listTunedModels(args: t.ListTunedModelsArgs = {}, options?: CallOptions): Promise<t.ListTunedModelsAnswer> {
    return this.call(routes.listTunedModels, args, options);
  }

  /** Every one of `listTunedModels`, page after page. */
  allTunedModels(args: t.ListTunedModelsArgs = {}, options?: CallOptions): AsyncGenerator<t.ListTunedModelsAnswer['models'][number], void> {
    return this.pages(routes.listTunedModels, 'models', args, options);
  }

  /**
   * Make the model anew on another base or precision of the same model: what recites there is taken over.
   * An expert that recites all of its facts word for word on the other base is taken over; the facts of any other are taught again, and `progress.move` of the job counts both.
   * POST /v1/models/{model}/move, scope tune.
   */
  moveTunedModel(args: t.MoveTunedModelArgs, options?: CallOptions): Promise<t.MoveTunedModelAnswer> {
    return this.call(routes.moveTunedModel, args, options);
  }

  /**
   * One tuned model, with what was measured when it was made.
   * Of any other model that can be asked: what OpenAI's clients read of it.
   * GET /v1/models/{model}, scope read.
   */
  showTunedModel(args: t.ShowTunedModelArgs, options?: CallOptions): Promise<t.ShowTunedModelAnswer> {
    return this.call(routes.showTunedModel, args, options);
  }

  /**
   * Add, change and withdraw facts: a job makes a version, and the name moves there when it is verified.
   * At most 10000 facts in all. Answered at once with the change, which goes on by itself: changes of a memory run one after the other. A version is published when every added and changed fact is recalled, every withdrawn one is gone, and every other fact is recalled if it was.
   * POST /v1/memories/{name}/changes, scope tune.
   */
  changeMemory(args: t.ChangeMemoryArgs, options?: CallOptions): Promise<t.ChangeMemoryAnswer> {
    return this.call(routes.changeMemory, args, options);
  }

  /**
   * The differences between two versions: facts that were added, changed, withdrawn.
   * GET /v1/memories/{name}/compare, scope read.
   */
  compareMemoryVersions(args: t.CompareMemoryVersionsArgs, options?: CallOptions): Promise<t.CompareMemoryVersionsAnswer> {
    return this.call(routes.compareMemoryVersions, args, options);
  }

  /**
   * Make a memory of a tuned model, or of a tuning job as soon as it is over.
   * Its name is a custom name of models: it must be free, or point to this very model.
   * POST /v1/memories, scope tune.
   */
  createMemory(args: t.CreateMemoryArgs, options?: CallOptions): Promise<t.CreateMemoryAnswer> {
    return this.call(routes.createMemory, args, options);
  }

  /**
   * End a memory: its models stay, and its name goes on pointing to the published one.
   * DELETE /v1/memories/{name}, scope tune.
   */
  deleteMemory(args: t.DeleteMemoryArgs, options?: CallOptions): Promise<t.DeleteMemoryAnswer> {
    return this.call(routes.deleteMemory, args, options);
  }

  /**
   * The memories of the account, newest first.
   * GET /v1/memories, scope read.
   */
  listMemories(args: t.ListMemoriesArgs = {}, options?: CallOptions): Promise<t.ListMemoriesAnswer> {
    return this.call(routes.listMemories, args, options);
  }

  /** Every one of `listMemories`, page after page. */
  allMemories(args: t.ListMemoriesArgs = {}, options?: CallOptions): AsyncGenerator<t.ListMemoriesAnswer['memories'][number], void> {
    return this.pages(routes.listMemories, 'memories', args, options);
  }

  /**
   * The changes of a memory with their authors, times and reasons, newest first.
   * GET /v1/memories/{name}/changes, scope read.
   */
  listMemoryChanges(args: t.ListMemoryChangesArgs, options?: CallOptions): Promise<t.ListMemoryChangesAnswer> {
    return this.call(routes.listMemoryChanges, args, options);
  }

  /** Every one of `listMemoryChanges`, page after page. */
  allMemoryChanges(args: t.ListMemoryChangesArgs, options?: CallOptions): AsyncGenerator<t.ListMemoryChangesAnswer['changes'][number], void> {
    return this.pages(routes.listMemoryChanges, 'changes', args, options);
  }

  /**
   * The facts of a memory: those of the published version, of another, or all that ever were.
   * GET /v1/memories/{name}/facts, scope read.
   */
  listMemoryFacts(args: t.ListMemoryFactsArgs, options?: CallOptions): Promise<t.ListMemoryFactsAnswer> {
    return this.call(routes.listMemoryFacts, args, options);
  }

  /** Every one of `listMemoryFacts`, page after page. */
  allMemoryFacts(args: t.ListMemoryFactsArgs, options?: CallOptions): AsyncGenerator<t.ListMemoryFactsAnswer['facts'][number], void> {
    return this.pages(routes.listMemoryFacts, 'facts', args, options);
  }

  /**
   * The versions of a memory, newest first.
   * GET /v1/memories/{name}/versions, scope read.
   */
  listMemoryVersions(args: t.ListMemoryVersionsArgs, options?: CallOptions): Promise<t.ListMemoryVersionsAnswer> {
    return this.call(routes.listMemoryVersions, args, options);
  }

  /** Every one of `listMemoryVersions`, page after page. */
  allMemoryVersions(args: t.ListMemoryVersionsArgs, options?: CallOptions): AsyncGenerator<t.ListMemoryVersionsAnswer['versions'][number], void> {
    return this.pages(routes.listMemoryVersions, 'versions', args, options);
  }

  /**
   * Move a memory to another base or precision of the same model: a job makes the next version there.
   * Every fact of the published version is asked of its expert on the other base. An expert that recites all of its facts word for word is taken over; the facts of any other are taught again, and `progress.move` of the job counts both. Without `base_model`, the move is to what its base is by now: a model that was deleted and brought again in another precision. Answered at once with the change; the version is verified and published as that of any change. Earlier versions stay on their base.
   * POST /v1/memories/{name}/move, scope tune.
   */
  moveMemory(args: t.MoveMemoryArgs, options?: CallOptions): Promise<t.MoveMemoryAnswer> {
    return this.call(routes.moveMemory, args, options);
  }

  /**
   * Move the name to a version, forward or back; nothing is trained.
   * The version that is published already is answered as it is, and no change is written. A change that is not over is held when it ends, because it started from another version.
   * POST /v1/memories/{name}/publish, scope tune.
   */
  publishMemoryVersion(args: t.PublishMemoryVersionArgs, options?: CallOptions): Promise<t.PublishMemoryVersionAnswer> {
    return this.call(routes.publishMemoryVersion, args, options);
  }

  /**
   * One memory.
   * GET /v1/memories/{name}, scope read.
   */
  showMemory(args: t.ShowMemoryArgs, options?: CallOptions): Promise<t.ShowMemoryAnswer> {
    return this.call(routes.showMemory, args, options);
  }

  /**
   * One change.
   * GET /v1/memories/{name}/changes/{number}, scope read.
   */
  showMemoryChange(args: t.ShowMemoryChangeArgs, options?: CallOptions): Promise<t.ShowMemoryChangeAnswer> {
    return this.call(routes.showMemoryChange, args, options);
  }

  /**
   * The rows of the set whose answers differ between the two versions, with both answers and the right one.
   * GET /v1/memories/{name}/comparisons/{id}/differences, scope read.
   */
  listAnswerDifferences(args: t.ListAnswerDifferencesArgs, options?: CallOptions): Promise<t.ListAnswerDifferencesAnswer> {
    return this.call(routes.listAnswerDifferences, args, options);
  }

  /** Every one of `listAnswerDifferences`, page after page. */
  allAnswerDifferences(args: t.ListAnswerDifferencesArgs, options?: CallOptions): AsyncGenerator<t.ListAnswerDifferencesAnswer['differences'][number], void> {
    return this.pages(routes.listAnswerDifferences, 'differences', args, options);
  }

  /**
   * The progress of a comparison of answers, and its counts.
   * GET /v1/memories/{name}/comparisons/{id}, scope read.
   */
  showComparison(args: t.ShowComparisonArgs, options?: CallOptions): Promise<t.ShowComparisonAnswer> {
    return this.call(routes.showComparison, args, options);
  }

  /**
   * Ask two versions of a memory an evaluation set, to compare their answers.
   * An evaluation asks them; follow it here or among the evaluations. Where these versions were asked this set before, also by the gate, that evaluation is answered and nothing is asked.
   * POST /v1/memories/{name}/comparisons, scope infer.
   */
  startComparison(args: t.StartComparisonArgs, options?: CallOptions): Promise<t.StartComparisonAnswer> {
    return this.call(routes.startComparison, args, options);
  }

  /**
   * The rows that the version before answers right and this one does not, with both answers.
   * GET /v1/memories/{name}/versions/{version}/regressions, scope read.
   */
  listRegressions(args: t.ListRegressionsArgs, options?: CallOptions): Promise<t.ListRegressionsAnswer> {
    return this.call(routes.listRegressions, args, options);
  }

  /** Every one of `listRegressions`, page after page. */
  allRegressions(args: t.ListRegressionsArgs, options?: CallOptions): AsyncGenerator<t.ListRegressionsAnswer['regressions'][number], void> {
    return this.pages(routes.listRegressions, 'regressions', args, options);
  }

  /**
   * Remove the gate of a memory; a change that is being checked is published without it.
   * DELETE /v1/memories/{name}/gate, scope tune.
   */
  removeMemoryGate(args: t.RemoveMemoryGateArgs, options?: CallOptions): Promise<t.RemoveMemoryGateAnswer> {
    return this.call(routes.removeMemoryGate, args, options);
  }

  /**
   * Set the gate of a memory: the evaluation set and the bars of every version from now on.
   * Replaces the gate that there is. A change whose job is not over is held to it as well. Every new version is asked the set before the name moves, and is held where a bar is not reached.
   * POST /v1/memories/{name}/gate, scope tune.
   */
  setMemoryGate(args: t.SetMemoryGateArgs, options?: CallOptions): Promise<t.SetMemoryGateAnswer> {
    return this.call(routes.setMemoryGate, args, options);
  }

  /**
   * The finding of the gate on a version.
   * GET /v1/memories/{name}/versions/{version}/gate, scope read.
   */
  showGateResult(args: t.ShowGateResultArgs, options?: CallOptions): Promise<t.ShowGateResultAnswer> {
    return this.call(routes.showGateResult, args, options);
  }

  /**
   * The gate of a memory.
   * GET /v1/memories/{name}/gate, scope read.
   */
  showMemoryGate(args: t.ShowMemoryGateArgs, options?: CallOptions): Promise<t.ShowMemoryGateAnswer> {
    return this.call(routes.showMemoryGate, args, options);
  }

  /**
   * Erase facts from every version and from all that keeps their text, and write a signed receipt.
   * Answered at once with the erasure, which goes on by itself, through restarts too. Facts that are current are withdrawn by it. Refused while another change of the memory is not over; changes that come later wait for it. It cannot be undone.
   * POST /v1/memories/{name}/erasures, scope admin.
   */
  eraseFacts(args: t.EraseFactsArgs, options?: CallOptions): Promise<t.EraseFactsAnswer> {
    return this.call(routes.eraseFacts, args, options);
  }

  /**
   * The erasures of a memory, newest first.
   * GET /v1/memories/{name}/erasures, scope read.
   */
  listErasures(args: t.ListErasuresArgs, options?: CallOptions): Promise<t.ListErasuresAnswer> {
    return this.call(routes.listErasures, args, options);
  }

  /** Every one of `listErasures`, page after page. */
  allErasures(args: t.ListErasuresArgs, options?: CallOptions): AsyncGenerator<t.ListErasuresAnswer['erasures'][number], void> {
    return this.pages(routes.listErasures, 'erasures', args, options);
  }

  /**
   * The receipts of the account, newest first; also those of memories that are gone.
   * GET /v1/receipts, scope read.
   */
  listReceipts(args: t.ListReceiptsArgs = {}, options?: CallOptions): Promise<t.ListReceiptsAnswer> {
    return this.call(routes.listReceipts, args, options);
  }

  /** Every one of `listReceipts`, page after page. */
  allReceipts(args: t.ListReceiptsArgs = {}, options?: CallOptions): AsyncGenerator<t.ListReceiptsAnswer['receipts'][number], void> {
    return this.pages(routes.listReceipts, 'receipts', args, options);
  }

  /**
   * List the facts that an erasure would erase, and all that would be rebuilt; nothing is changed.
   * POST /v1/memories/{name}/erasures/plan, scope admin.
   */
  planErasure(args: t.PlanErasureArgs, options?: CallOptions): Promise<t.PlanErasureAnswer> {
    return this.call(routes.planErasure, args, options);
  }

  /**
   * Try a failed erasure again, with the very facts that were confirmed.
   * The answer is a new erasure; the failed one stays in the history. It erases the facts of the failed one from all versions that hold them by now.
   * POST /v1/memories/{name}/erasures/{number}/retry, scope admin.
   */
  retryErasure(args: t.RetryErasureArgs, options?: CallOptions): Promise<t.RetryErasureAnswer> {
    return this.call(routes.retryErasure, args, options);
  }

  /**
   * One erasure.
   * GET /v1/memories/{name}/erasures/{number}, scope read.
   */
  showErasure(args: t.ShowErasureArgs, options?: CallOptions): Promise<t.ShowErasureAnswer> {
    return this.call(routes.showErasure, args, options);
  }

  /**
   * One receipt, as it was signed.
   * GET /v1/receipts/{number}, scope read.
   */
  showReceipt(args: t.ShowReceiptArgs, options?: CallOptions): Promise<t.ShowReceiptAnswer> {
    return this.call(routes.showReceipt, args, options);
  }

  /**
   * The public key of the installation: it proves the signatures of receipts.
   * GET /v1/receipt-key, any key.
   */
  showReceiptKey(options?: CallOptions): Promise<t.ShowReceiptKeyAnswer> {
    return this.call(routes.showReceiptKey, {}, options);
  }

  /**
   * Teach random experts of a version again and compare them bit for bit.
   * POST /v1/memories/{name}/versions/{version}/verify, scope tune.
   */
  verifyMemoryVersion(args: t.VerifyMemoryVersionArgs, options?: CallOptions): Promise<t.VerifyMemoryVersionAnswer> {
    return this.call(routes.verifyMemoryVersion, args, options);
  }

  /**
   * Check the signature of a receipt, and that the rebuilt models are still what it says.
   * GET /v1/receipts/{number}/verify, scope read.
   */
  verifyReceipt(args: t.VerifyReceiptArgs, options?: CallOptions): Promise<t.VerifyReceiptAnswer> {
    return this.call(routes.verifyReceipt, args, options);
  }

  /**
   * Accept proposals, as they are or in other words: together they become one change of the memory.
   * At most 1000. All or none: the decision and the change are one transaction. When the change fails, its proposals are open again.
   * POST /v1/memories/{name}/proposals/accept, scope tune.
   */
  acceptProposals(args: t.AcceptProposalsArgs, options?: CallOptions): Promise<t.AcceptProposalsAnswer> {
    return this.call(routes.acceptProposals, args, options);
  }

  /**
   * Give proposals to somebody, or to nobody.
   * POST /v1/memories/{name}/proposals/assign, scope tune.
   */
  assignProposals(args: t.AssignProposalsArgs, options?: CallOptions): Promise<t.AssignProposalsAnswer> {
    return this.call(routes.assignProposals, args, options);
  }

  /**
   * Propose facts for a memory: nothing is taught before somebody accepts them.
   * One that the memory knows, that is open already, or that was rejected (unless it comes from a person or from feedback) is not stored again; the answer says so. One that contradicts a fact is stored as kind `conflict`, unless it comes from a person, from feedback or from a stale source.
   * POST /v1/memories/{name}/proposals, scope infer.
   */
  createProposals(args: t.CreateProposalsArgs, options?: CallOptions): Promise<t.CreateProposalsAnswer> {
    return this.call(routes.createProposals, args, options);
  }

  /**
   * The proposals of a memory, oldest first.
   * GET /v1/memories/{name}/proposals, scope read.
   */
  listProposals(args: t.ListProposalsArgs, options?: CallOptions): Promise<t.ListProposalsAnswer> {
    return this.call(routes.listProposals, args, options);
  }

  /** Every one of `listProposals`, page after page. */
  allProposals(args: t.ListProposalsArgs, options?: CallOptions): AsyncGenerator<t.ListProposalsAnswer['proposals'][number], void> {
    return this.pages(routes.listProposals, 'proposals', args, options);
  }

  /**
   * Reject proposals, with the reason.
   * POST /v1/memories/{name}/proposals/reject, scope tune.
   */
  rejectProposals(args: t.RejectProposalsArgs, options?: CallOptions): Promise<t.RejectProposalsAnswer> {
    return this.call(routes.rejectProposals, args, options);
  }

  /**
   * One proposal, with what stands now.
   * GET /v1/memories/{name}/proposals/{number}, scope read.
   */
  showProposal(args: t.ShowProposalArgs, options?: CallOptions): Promise<t.ShowProposalAnswer> {
    return this.call(routes.showProposal, args, options);
  }

  /**
   * Take proposals back before they are decided.
   * POST /v1/memories/{name}/proposals/withdraw, scope tune.
   */
  withdrawProposals(args: t.WithdrawProposalsArgs, options?: CallOptions): Promise<t.WithdrawProposalsAnswer> {
    return this.call(routes.withdrawProposals, args, options);
  }

  /**
   * Facts with the same question and another answer than the memory has, side by side, before they are uploaded.
   * Questions are the same that are the same but for case, punctuation, white space and `the`; those in other words are found by `/conflicts/reworded`. With `propose` each contradiction becomes a proposal of kind `conflict`; `fresh` tells which facts can be added at once.
   * POST /v1/memories/{name}/conflicts, scope tune.
   */
  findConflicts(args: t.FindConflictsArgs, options?: CallOptions): Promise<t.FindConflictsAnswer> {
    return this.call(routes.findConflicts, args, options);
  }

  /**
   * Facts or proposals that may ask the same in other words as a fact that stands and answer otherwise.
   * The published version's own search decides, with its strictest gate, by a worker of this machine. Each is held against the facts of the memory and against the others of the request; of each the nearest is told. An answer that says the other and more is no contradiction.
   * POST /v1/memories/{name}/conflicts/reworded, scope tune.
   */
  findRewordedConflicts(args: t.FindRewordedConflictsArgs, options?: CallOptions): Promise<t.FindRewordedConflictsAnswer> {
    return this.call(routes.findRewordedConflicts, args, options);
  }

  /**
   * Propose the facts that documents state: rows of tables, key-value lines, headings with one value, sentences.
   * No model is asked for these. A base that reads prose (by the measurement in its lorekeep.json; one without a measurement does) is asked for facts of prose besides, unless `ask_base` is false: 200 passages of a file at most, and only what stands word for word in the passage is proposed. Each proposal has its quote, in which its answer stands word for word, and its page. Answered at once; the work goes on in the background, and after a restart. At most 10000 files, 2000 passages of each and 20000 facts; `notices` says where there was more. When a file goes, its open proposals are withdrawn, and for accepted ones a change (when a file of the same name is there) or a withdrawal is proposed, as kind `stale`.
   * POST /v1/memories/{name}/readings, scope tune.
   */
  createReading(args: t.CreateReadingArgs, options?: CallOptions): Promise<t.CreateReadingAnswer> {
    return this.call(routes.createReading, args, options);
  }

  /**
   * Readings of documents for a memory, newest first.
   * GET /v1/memories/{name}/readings, scope read.
   */
  listReadings(args: t.ListReadingsArgs, options?: CallOptions): Promise<t.ListReadingsAnswer> {
    return this.call(routes.listReadings, args, options);
  }

  /** Every one of `listReadings`, page after page. */
  allReadings(args: t.ListReadingsArgs, options?: CallOptions): AsyncGenerator<t.ListReadingsAnswer['readings'][number], void> {
    return this.pages(routes.listReadings, 'readings', args, options);
  }

  /**
   * One reading, and how far it is.
   * GET /v1/memories/{name}/readings/{id}, scope read.
   */
  showReading(args: t.ShowReadingArgs, options?: CallOptions): Promise<t.ShowReadingAnswer> {
    return this.call(routes.showReading, args, options);
  }

  /**
   * Opt in to decision records of answers, or out: then those that are kept are deleted.
   * PATCH /v1/feedback/settings, scope admin.
   */
  changeFeedbackSettings(args: t.ChangeFeedbackSettingsArgs, options?: CallOptions): Promise<t.ChangeFeedbackSettingsAnswer> {
    return this.call(routes.changeFeedbackSettings, args, options);
  }

  /**
   * Vote on an answer; with what was expected, a vote down becomes a proposal of the memory that answered.
   * The id is that of an answer of chat or completions (`id`, also of each event of a stream). What was asked and answered is known where the account keeps decision records; else send `model` and `input`. A second vote on an answer takes the place of the first, whose open proposal is withdrawn.
   * POST /v1/feedback, scope infer.
   */
  giveFeedback(args: t.GiveFeedbackArgs, options?: CallOptions): Promise<t.GiveFeedbackAnswer> {
    return this.call(routes.giveFeedback, args, options);
  }

  /**
   * Votes on answers, newest first.
   * GET /v1/feedback, scope read.
   */
  listFeedback(args: t.ListFeedbackArgs = {}, options?: CallOptions): Promise<t.ListFeedbackAnswer> {
    return this.call(routes.listFeedback, args, options);
  }

  /** Every one of `listFeedback`, page after page. */
  allFeedback(args: t.ListFeedbackArgs = {}, options?: CallOptions): AsyncGenerator<t.ListFeedbackAnswer['feedback'][number], void> {
    return this.pages(routes.listFeedback, 'feedback', args, options);
  }

  /**
   * Whether the account keeps decision records of its answers.
   * GET /v1/feedback/settings, scope read.
   */
  showFeedbackSettings(options?: CallOptions): Promise<t.ShowFeedbackSettingsAnswer> {
    return this.call(routes.showFeedbackSettings, {}, options);
  }

  /**
   * Have an address told when a job of the account ends.
   * The secret is shown this once. Each message has the header `Lorekeep-Signature: t=SECONDS,v1=HEX`: HMAC-SHA256 with the secret over the text `SECONDS.BODY`. Any status from 200 to 299 takes it; else it is sent again, up to twelve times within two days. An address that fails again and again is asked less often, at most for an hour. Redirects are not followed. Only public addresses are reached, unless the operator allows others.
   * POST /v1/webhooks, scope tune.
   */
  createWebhook(args: t.CreateWebhookArgs, options?: CallOptions): Promise<t.CreateWebhookAnswer> {
    return this.call(routes.createWebhook, args, options);
  }

  /**
   * Delete a webhook; what it was not told yet is not sent.
   * DELETE /v1/webhooks/{id}, scope tune.
   */
  deleteWebhook(args: t.DeleteWebhookArgs, options?: CallOptions): Promise<t.DeleteWebhookAnswer> {
    return this.call(routes.deleteWebhook, args, options);
  }

  /**
   * The messages of a webhook, newest first.
   * GET /v1/webhooks/{id}/deliveries, scope read.
   */
  listDeliveries(args: t.ListDeliveriesArgs, options?: CallOptions): Promise<t.ListDeliveriesAnswer> {
    return this.call(routes.listDeliveries, args, options);
  }

  /** Every one of `listDeliveries`, page after page. */
  allDeliveries(args: t.ListDeliveriesArgs, options?: CallOptions): AsyncGenerator<t.ListDeliveriesAnswer['deliveries'][number], void> {
    return this.pages(routes.listDeliveries, 'deliveries', args, options);
  }

  /**
   * The webhooks of the account.
   * GET /v1/webhooks, scope read.
   */
  listWebhooks(options?: CallOptions): Promise<t.ListWebhooksAnswer> {
    return this.call(routes.listWebhooks, {}, options);
  }

  /**
   * The same, always as arrays, with the reason why each answer ended.
   * An answer that was not ready after 85 seconds is cut there and says `timeout`.
   * POST /v2/completions, scope infer.
   */
  completeInArrays(args: t.CompleteInArraysArgs, options?: CallOptions): Promise<t.CompleteInArraysAnswer> {
    return this.call(routes.completeInArrays, args, options);
  }

  /**
   * The same, where the platform client looks for it when it is given a session of its own.
   * POST /v1/streaming_completions, scope infer.
   */
  completeInSession(args: t.CompleteInSessionArgs, options?: CallOptions): Promise<t.CompleteInSessionAnswer> {
    return this.call(routes.completeInSession, args, options);
  }

  /**
   * Stop a batch or a polled stream where it still runs, and remove its prompts and results.
   * DELETE /v1/batch_completions/{id}, scope infer.
   */
  deleteRun(args: t.DeleteRunArgs, options?: CallOptions): Promise<t.DeleteRunAnswer> {
    return this.call(routes.deleteRun, args, options);
  }

  /**
   * The vector of a text, or of each of a list.
   * A text that is longer than the model reads is cut there, as its authors do.
   * POST /v1/embedding, scope infer.
   */
  embed(args: t.EmbedArgs, options?: CallOptions): Promise<t.EmbedAnswer> {
    return this.call(routes.embed, args, options);
  }

  /**
   * The same, where pipelines of the platform client look for it.
   * POST /v1/inference/embedding, scope infer.
   */
  embedForPipelines(args: t.EmbedForPipelinesArgs, options?: CallOptions): Promise<t.EmbedForPipelinesAnswer> {
    return this.call(routes.embedForPipelines, args, options);
  }

  /**
   * The batches and polled streams of the account, newest first.
   * GET /v1/batch_completions, scope read.
   */
  listRuns(args: t.ListRunsArgs = {}, options?: CallOptions): Promise<t.ListRunsAnswer> {
    return this.call(routes.listRuns, args, options);
  }

  /** Every one of `listRuns`, page after page. */
  allRuns(args: t.ListRunsArgs = {}, options?: CallOptions): AsyncGenerator<t.ListRunsAnswer['runs'][number], void> {
    return this.pages(routes.listRuns, 'runs', args, options);
  }

  /**
   * The finished answers, in the order of the prompts.
   * GET /v1/batch_completions/{id}/result, scope infer.
   */
  showBatch(args: t.ShowBatchArgs, options?: CallOptions): Promise<t.ShowBatchAnswer> {
    return this.call(routes.showBatch, args, options);
  }

  /**
   * The vectors, once all are there.
   * GET /v1/batch_embeddings/{id}/result, scope infer.
   */
  showEmbeddings(args: t.ShowEmbeddingsArgs, options?: CallOptions): Promise<t.ShowEmbeddingsAnswer> {
    return this.call(routes.showEmbeddings, args, options);
  }

  /**
   * The progress of a batch or a polled stream.
   * GET /v1/batch_completions/{id}, scope read.
   */
  showRun(args: t.ShowRunArgs, options?: CallOptions): Promise<t.ShowRunAnswer> {
    return this.call(routes.showRun, args, options);
  }

  /**
   * The answers as far as they have grown.
   * GET /v3/streaming_completions/{id}/result, scope infer.
   */
  showStream(args: t.ShowStreamArgs, options?: CallOptions): Promise<t.ShowStreamAnswer> {
    return this.call(routes.showStream, args, options);
  }

  /**
   * Go on from many prompts, to be asked for later: a batch survives restarts.
   * POST /v1/batch_completions, scope infer.
   */
  startBatch(args: t.StartBatchArgs, options?: CallOptions): Promise<t.StartBatchAnswer> {
    return this.call(routes.startBatch, args, options);
  }

  /**
   * Embed many texts, to be asked for later.
   * POST /v1/batch_embeddings, scope infer.
   */
  startEmbeddings(args: t.StartEmbeddingsArgs, options?: CallOptions): Promise<t.StartEmbeddingsAnswer> {
    return this.call(routes.startEmbeddings, args, options);
  }

  /**
   * Go on from prompts, to be polled while the answers grow.
   * POST /v3/streaming_completions, scope infer.
   */
  startStream(args: t.StartStreamArgs, options?: CallOptions): Promise<t.StartStreamAnswer> {
    return this.call(routes.startStream, args, options);
  }

  /**
   * Answer a conversation.
   * The model may be a document index, `index/ID` or `index/NAME`: then the answer is made from its passages and has `citations` and `retrieval`. With `stream` the answer comes as server-sent events, each a chunk, the last of them `[DONE]`.
   * POST /inf/chat/completions, scope infer.
   */
  openaiChat(args: t.OpenaiChatArgs, options?: CallOptions): Promise<t.OpenaiChatAnswer> {
    return this.call(routes.openaiChat, args, options);
  }

  /** The same as a stream of events. Leaving the loop ends the work for it. */
  openaiChatEvents(args: t.OpenaiChatArgs, options?: CallOptions): AsyncGenerator<t.OpenaiChatEvent, void> {
    return this.events(routes.openaiChat, { ...args, stream: true }, options);
  }

  /**
   * Go on from a text.
   * The prompt goes to the model as it is: no template is put around it. A document index answers conversations only.
   * POST /inf/completions, scope infer.
   */
  openaiComplete(args: t.OpenaiCompleteArgs, options?: CallOptions): Promise<t.OpenaiCompleteAnswer> {
    return this.call(routes.openaiComplete, args, options);
  }

  /** The same as a stream of events. Leaving the loop ends the work for it. */
  openaiCompleteEvents(args: t.OpenaiCompleteArgs, options?: CallOptions): AsyncGenerator<t.OpenaiCompleteEvent, void> {
    return this.events(routes.openaiComplete, { ...args, stream: true }, options);
  }

  /**
   * The vectors of texts.
   * POST /inf/embeddings, scope infer.
   */
  openaiEmbed(args: t.OpenaiEmbedArgs, options?: CallOptions): Promise<t.OpenaiEmbedAnswer> {
    return this.call(routes.openaiEmbed, args, options);
  }

  /**
   * The models that can be asked.
   * GET /inf/models, scope read.
   */
  openaiListModels(options?: CallOptions): Promise<t.OpenaiListModelsAnswer> {
    return this.call(routes.openaiListModels, {}, options);
  }

  /**
   * One model; the slash of its name written as %2F.
   * GET /inf/models/{model}, scope read.
   */
  openaiShowModel(args: t.OpenaiShowModelArgs, options?: CallOptions): Promise<t.OpenaiShowModelAnswer> {
    return this.call(routes.openaiShowModel, args, options);
  }

  /**
   * One model; the slash of its name written as it is.
   * GET /inf/models/{organisation}/{model}, scope read.
   */
  openaiShowModelByParts(args: t.OpenaiShowModelByPartsArgs, options?: CallOptions): Promise<t.OpenaiShowModelByPartsAnswer> {
    return this.call(routes.openaiShowModelByParts, args, options);
  }

  /**
   * Go on from a prompt, or from each of a list.
   * Greedy, so that the same prompt has the same answer. A call that would take longer than 85 seconds ends with 524: long lists belong in /v1/batch_completions. A body that names `model` instead of `model_name` is one of OpenAI's clients: it is answered as at /inf/completions.
   * POST /v1/completions, scope infer.
   */
  complete(args: t.CompleteArgs, options?: CallOptions): Promise<t.CompleteAnswer> {
    return this.call(routes.complete, args, options);
  }

  /**
   * Stop an evaluation; what is answered is kept.
   * POST /v1/evaluations/{id}/cancel, scope infer.
   */
  cancelEvaluation(args: t.CancelEvaluationArgs, options?: CallOptions): Promise<t.CancelEvaluationAnswer> {
    return this.call(routes.cancelEvaluation, args, options);
  }

  /**
   * Stop an evaluation where it still runs, and remove its questions and answers.
   * DELETE /v1/evaluations/{id}, scope infer.
   */
  deleteEvaluation(args: t.DeleteEvaluationArgs, options?: CallOptions): Promise<t.DeleteEvaluationAnswer> {
    return this.call(routes.deleteEvaluation, args, options);
  }

  /**
   * The whole table as CSV.
   * Texts stand word for word, so that programs read back what was said. A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula: `cells=safe` puts an apostrophe before it.
   * Its body has not been read when this resolves.
   * GET /v1/evaluations/{id}/results.csv, scope read.
   */
  downloadEvaluation(args: t.DownloadEvaluationArgs, options?: CallOptions): Promise<Response> {
    return this.call(routes.downloadEvaluation, args, options);
  }

  /**
   * The model of a job beside its base, on the facts that it was taught.
   * Asks the first 200 facts of both, facts that were not learnt among them in proportion, once: the next call answers from what is kept. Where that takes longer than a minute the status is `running` and the results are those so far; call again, or follow the evaluation.
   * GET /v1/train/jobs/{id}/eval, scope infer.
   */
  evaluateJob(args: t.EvaluateJobArgs, options?: CallOptions): Promise<t.EvaluateJobAnswer> {
    return this.call(routes.evaluateJob, args, options);
  }

  /**
   * The evaluations of the account, newest first.
   * GET /v1/evaluations, scope read.
   */
  listEvaluations(args: t.ListEvaluationsArgs = {}, options?: CallOptions): Promise<t.ListEvaluationsAnswer> {
    return this.call(routes.listEvaluations, args, options);
  }

  /** Every one of `listEvaluations`, page after page. */
  allEvaluations(args: t.ListEvaluationsArgs = {}, options?: CallOptions): AsyncGenerator<t.ListEvaluationsAnswer['evaluations'][number], void> {
    return this.pages(routes.listEvaluations, 'evaluations', args, options);
  }

  /**
   * The progress of an evaluation, and its figures by target.
   * GET /v1/evaluations/{id}, scope read.
   */
  showEvaluation(args: t.ShowEvaluationArgs, options?: CallOptions): Promise<t.ShowEvaluationAnswer> {
    return this.call(routes.showEvaluation, args, options);
  }

  /**
   * The rows with the answers of all targets side by side.
   * GET /v1/evaluations/{id}/results, scope read.
   */
  showEvaluationResults(args: t.ShowEvaluationResultsArgs, options?: CallOptions): Promise<t.ShowEvaluationResultsAnswer> {
    return this.call(routes.showEvaluationResults, args, options);
  }

  /**
   * Ask every question of a dataset of several targets, and count the right answers.
   * A target is a model (base or tuned), or a model with a prompt before each question. Greedy, so that the same question has the same answer. Stored before it is acknowledged; it survives restarts, and nothing that was answered is asked again.
   * POST /v1/evaluations, scope infer.
   */
  startEvaluation(args: t.StartEvaluationArgs, options?: CallOptions): Promise<t.StartEvaluationAnswer> {
    return this.call(routes.startEvaluation, args, options);
  }

  /**
   * Add a text to an index; it can be found when this is answered.
   * If the index is at work for more than a minute, the answer comes before it is done, and X-Warning says so.
   * POST /alpha/memory-rag/add-index, scope tune.
   */
  addText(args: t.AddTextArgs, options?: CallOptions): Promise<t.AddTextAnswer> {
    return this.call(routes.addText, args, options);
  }

  /**
   * Answer a prompt from the documents of an index, with citations.
   * The prompt may stand in any chat template: its last user turn is the question, and passages are put before it there. Where the documents hold nothing relevant, the answer says so and the model is not asked. A base that cannot read prose is not asked either: the sentence or the cell of a table that answers the question is quoted (`answer_kind`). With `stream` server-sent events tell the citations, then the text as it grows.
   * POST /alpha/memory-rag/completions, scope infer.
   */
  askIndex(args: t.AskIndexArgs, options?: CallOptions): Promise<t.AskIndexAnswer> {
    return this.call(routes.askIndex, args, options);
  }

  /** The same as a stream of events. Leaving the loop ends the work for it. */
  askIndexEvents(args: t.AskIndexArgs, options?: CallOptions): AsyncGenerator<t.AskIndexEvent, void> {
    return this.events(routes.askIndex, { ...args, stream: true }, options);
  }

  /**
   * Build an index of documents.
   * PDF, DOCX, PPTX, XLSX, HTML, Markdown, text, CSV, JSON, mails, and ZIP files of these; told by their content. The answer comes when the files are stored; reading and embedding go on in the background.
   * POST /alpha/memory-rag/train, scope tune.
   */
  buildIndex(args: t.BuildIndexArgs, options?: CallOptions): Promise<t.BuildIndexAnswer> {
    return this.call(routes.buildIndex, args, options);
  }

  /**
   * The log of an index, line by line.
   * GET /alpha/memory-rag/training_log/{id}, scope read.
   */
  indexLog(args: t.IndexLogArgs, options?: CallOptions): Promise<t.IndexLogAnswer> {
    return this.call(routes.indexLog, args, options);
  }

  /**
   * The progress of an index.
   * POST /alpha/memory-rag/status, scope read.
   */
  indexStatus(args: t.IndexStatusArgs, options?: CallOptions): Promise<t.IndexStatusAnswer> {
    return this.call(routes.indexStatus, args, options);
  }

  /**
   * The same, for those who ask with GET.
   * GET /alpha/memory-rag/status, scope read.
   */
  indexStatusByQuery(args: t.IndexStatusByQueryArgs, options?: CallOptions): Promise<t.IndexStatusByQueryAnswer> {
    return this.call(routes.indexStatusByQuery, args, options);
  }

  /**
   * Up to five questions that the documents answer, with their answers, none given before.
   * POST /alpha/memory-rag/suggestions, scope infer.
   */
  suggestQuestions(args: t.SuggestQuestionsArgs, options?: CallOptions): Promise<t.SuggestQuestionsAnswer> {
    return this.call(routes.suggestQuestions, args, options);
  }

  /**
   * Add files to an index.
   * A name is the path that the part "files" gives, relative to a folder. A file of the same name and content is not read again; one with other content replaces the earlier one as soon as it is read, and never if it cannot be. Passages that the index knows are not embedded again.
   * POST /v1/indexes/{id}/files, scope tune.
   */
  addFiles(args: t.AddFilesArgs, options?: CallOptions): Promise<t.AddFilesAnswer> {
    return this.call(routes.addFiles, args, options);
  }

  /**
   * Stop reading: files that are through stay, the others are cancelled.
   * If it has not stopped after a minute, the answer comes before it is done, and X-Warning says so.
   * POST /v1/indexes/{id}/cancel, scope tune.
   */
  cancelIndex(args: t.CancelIndexArgs, options?: CallOptions): Promise<t.CancelIndexAnswer> {
    return this.call(routes.cancelIndex, args, options);
  }

  /**
   * Change the metadata of a file.
   * PATCH /v1/indexes/{id}/files/{file}, scope tune.
   */
  changeIndexFile(args: t.ChangeIndexFileArgs, options?: CallOptions): Promise<t.ChangeIndexFileAnswer> {
    return this.call(routes.changeIndexFile, args, options);
  }

  /**
   * Make an index without files, to add some later.
   * POST /v1/indexes, scope tune.
   */
  createIndex(args: t.CreateIndexArgs, options?: CallOptions): Promise<t.CreateIndexAnswer> {
    return this.call(routes.createIndex, args, options);
  }

  /**
   * Remove a file from an index: its vectors, its text and the file itself are gone.
   * If that takes more than a minute, the answer comes before it is done, and X-Warning says so.
   * DELETE /v1/indexes/{id}/files/{file}, scope tune.
   */
  deleteIndexFile(args: t.DeleteIndexFileArgs, options?: CallOptions): Promise<t.DeleteIndexFileAnswer> {
    return this.call(routes.deleteIndexFile, args, options);
  }

  /**
   * Delete an index: its vectors, its texts and its files are gone from the disk.
   * If that takes more than a minute, the answer comes before it is done, and X-Warning says so.
   * DELETE /v1/indexes/{id}, scope tune.
   */
  deleteIndex(args: t.DeleteIndexArgs, options?: CallOptions): Promise<t.DeleteIndexAnswer> {
    return this.call(routes.deleteIndex, args, options);
  }

  /**
   * A file as it was sent.
   * Its body has not been read when this resolves.
   * GET /v1/indexes/{id}/files/{file}/download, scope read.
   */
  downloadIndexFile(args: t.DownloadIndexFileArgs, options?: CallOptions): Promise<Response> {
    return this.call(routes.downloadIndexFile, args, options);
  }

  /**
   * The events of an index, as they happen: server-sent events.
   * From the beginning, or from after the event that `after` or the header Last-Event-ID names. It ends when the index is at rest.
   * GET /v1/indexes/{id}/events, scope read.
   */
  followIndex(args: t.FollowIndexArgs, options?: CallOptions): AsyncGenerator<ServerEvent, void> {
    return this.serverEvents(routes.followIndex, args, options);
  }

  /**
   * The files of an index, each with its state and the reason where it failed.
   * GET /v1/indexes/{id}/files, scope read.
   */
  listFiles(args: t.ListFilesArgs, options?: CallOptions): Promise<t.ListFilesAnswer> {
    return this.call(routes.listFiles, args, options);
  }

  /** Every one of `listFiles`, page after page. */
  allFiles(args: t.ListFilesArgs, options?: CallOptions): AsyncGenerator<t.ListFilesAnswer['files'][number], void> {
    return this.pages(routes.listFiles, 'files', args, options);
  }

  /**
   * The indexes of the account, newest first.
   * GET /v1/indexes, scope read.
   */
  listIndexes(args: t.ListIndexesArgs = {}, options?: CallOptions): Promise<t.ListIndexesAnswer> {
    return this.call(routes.listIndexes, args, options);
  }

  /** Every one of `listIndexes`, page after page. */
  allIndexes(args: t.ListIndexesArgs = {}, options?: CallOptions): AsyncGenerator<t.ListIndexesAnswer['indexes'][number], void> {
    return this.pages(routes.listIndexes, 'indexes', args, options);
  }

  /**
   * The passages of a file in reading order.
   * To show a cited passage in its place, read from a few before it: `from` is a number as `passage` of a citation is. What is cut overlaps; `start` and `end` tell by how much. What a file says twice is there once.
   * GET /v1/indexes/{id}/files/{file}/passages, scope read.
   */
  listIndexPassages(args: t.ListIndexPassagesArgs, options?: CallOptions): Promise<t.ListIndexPassagesAnswer> {
    return this.call(routes.listIndexPassages, args, options);
  }

  /**
   * Rename an index.
   * PATCH /v1/indexes/{id}, scope tune.
   */
  renameIndex(args: t.RenameIndexArgs, options?: CallOptions): Promise<t.RenameIndexAnswer> {
    return this.call(routes.renameIndex, args, options);
  }

  /**
   * Find passages, without an answer.
   * POST /v1/indexes/{id}/search, scope infer.
   */
  searchIndex(args: t.SearchIndexArgs, options?: CallOptions): Promise<t.SearchIndexAnswer> {
    return this.call(routes.searchIndex, args, options);
  }

  /**
   * One file of an index.
   * GET /v1/indexes/{id}/files/{file}, scope read.
   */
  showIndexFile(args: t.ShowIndexFileArgs, options?: CallOptions): Promise<t.ShowIndexFileAnswer> {
    return this.call(routes.showIndexFile, args, options);
  }

  /**
   * One index.
   * GET /v1/indexes/{id}, scope read.
   */
  showIndex(args: t.ShowIndexArgs, options?: CallOptions): Promise<t.ShowIndexAnswer> {
    return this.call(routes.showIndex, args, options);
  }
}
