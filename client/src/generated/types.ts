// Made from contract/ by `./lorekeep check --write`; not edited by hand.
import type { Rows, Upload } from '../bodies.ts';

export interface Account {
  id: number;
  name: string;
  role: "operator" | "member";
  /** The limits in force: those of the account, or the defaults of the installation. */
  limits: Limits;
  storage_used_bytes: number;
  created_at: string;
  disabled_at: string | null;
}

export interface AnswerDifference {
  /** The row of the set, counted from 1. */
  row: number;
  input: string;
  /** The right answer. */
  output: string;
  /** Answer of `from_version`. */
  before: {
    output: string;
    /** Reason for which it could not be asked. */
    error: string | null;
  };
  /** Answer of `to_version`. */
  after: {
    output: string;
    /** Reason for which it could not be asked. */
    error: string | null;
  };
  /** The version whose answer is the right one, word for word. */
  right: "before" | "after" | "neither";
}

export interface AuditRow {
  /** Counts from 1 over all accounts, without gaps. */
  number: number;
  time: string;
  /** The account that it is about, which may be deleted meanwhile. */
  account_id: number | null;
  actor: {
    /** A key, a browser that is signed in, a command on the host, or work of the server itself. */
    kind: "key" | "session" | "host" | "server";
    account_id: number | null;
    /** The name of the account, or `host`, or `server`. */
    name: string;
    key_id: number | null;
  };
  action: string;
  /** The object of the action: an id or a name. */
  subject: string;
  /** No key, no password, no text of a fact. */
  details: { [key: string]: unknown };
  /** The hash of the row before. */
  previous: string;
  /** SHA-256 of the canonical JSON of this row without this field. */
  hash: string;
}

export interface ChatCompletion {
  id: string;
  created: number;
  model: string;
  object: "chat.completion";
  choices: {
    index: number;
    message: {
      role: "assistant";
      content: string;
      refusal: null;
    };
    finish_reason: "stop" | "length";
    logprobs: {
      content: {
        token: string;
        logprob: number;
        bytes: number[];
        top_logprobs: {
          token: string;
          logprob: number;
          bytes: number[];
        }[];
      }[];
    } | null;
    memory?: Memory | null | undefined;
  }[];
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
    };
  };
  /** Passages that the answer was made from. A document index sends them with the first chunk of a stream, a tuned model whose index answered with the last. */
  citations?: Citation[] | undefined;
  /** Retrieval of a document index: how the citations were found. */
  retrieval?: {
    /** The query of the search: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Reason for fewer passages than asked for, or for parts of them. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  } | undefined;
  /** `generated` by the model; a `quote`: words of the documents; `none`: nothing in the documents answers the question. */
  answer_kind?: "generated" | "quote" | "none" | undefined;
}

export interface ChatCompletionChunk {
  id: string;
  created: number;
  model: string;
  object: "chat.completion.chunk";
  choices: {
    index: number;
    delta: {
      role?: "assistant" | undefined;
      content?: string | undefined;
    };
    finish_reason: "stop" | "length" | null;
    logprobs: {
      content: {
        token: string;
        logprob: number;
        bytes: number[];
        top_logprobs: {
          token: string;
          logprob: number;
          bytes: number[];
        }[];
      }[];
    } | null;
    memory?: Memory | null | undefined;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
    };
  } | null | undefined;
  /** Passages that the answer was made from. A document index sends them with the first chunk of a stream, a tuned model whose index answered with the last. */
  citations?: Citation[] | undefined;
  /** Retrieval of a document index: how the citations were found. */
  retrieval?: {
    /** The query of the search: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Reason for fewer passages than asked for, or for parts of them. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  } | undefined;
  /** `generated` by the model; a `quote`: words of the documents; `none`: nothing in the documents answers the question. */
  answer_kind?: "generated" | "quote" | "none" | undefined;
}

export interface Citation {
  file: string;
  file_id: number;
  /** The file inside the file: of an archive, of a mail. */
  part?: string | undefined;
  page: number | null;
  last_page: number | null;
  line: number | null;
  title: string | null;
  headings: string[];
  /** The innermost of the headings. */
  heading: string | null;
  /** Its number in the file, from 0. */
  passage: number;
  /** Offset in the text of its file, or of the file inside it, in UTF-16 units: the place of a passage without page and line. */
  start: number;
  end: number;
  text: string;
  /** Places on its pages, in points from the top left. */
  boxes?: {
    page: number;
    x: number;
    y: number;
    width: number;
    height: number;
  }[] | undefined;
  /** Similarity of question and passage, at most 1; in a search by words alone the share of the question's words that it holds. */
  score: number;
  /** Your own fields of a file, to show and to filter by. */
  metadata: { [key: string]: string | number | boolean };
  /** The words of it that the answer quotes, and where they stand in the text of its file, as `start` and `end` of the passage. */
  quoted?: {
    text: string;
    start: number;
    end: number;
  } | undefined;
}

export interface Comparison {
  /** The evaluation that asks both versions; the number of the comparison. */
  evaluation_id: number;
  from_version: number;
  to_version: number;
  /** The hash of the content. */
  dataset_id: string;
  status: "running" | "completed" | "failed" | "cancelled";
  error: string | null;
  rows: number;
  /** Rows that both versions have answered so far; the counts are of these. */
  compared: number;
  /** Rows that `from_version` answers right, word for word. */
  right_before: number;
  /** Rows that `to_version` answers right, word for word. */
  right_after: number;
  /** Rows whose answers differ. Two right answers do not. */
  differing: number;
  /** The differing rows by the version that is right. */
  differing_right: {
    before: number;
    after: number;
    neither: number;
  };
}

export interface Dataset {
  /** The hash of the content. */
  dataset_id: string;
  /** Value that /v1/train takes as upload_file_path. */
  dataset_location: string;
  name: string | null;
  rows: number;
  bytes: number;
  /** Other accounts may read and use it. */
  is_public: boolean;
  created_at: string;
}

export interface DownloadedModel {
  /** Number of a model that was downloaded; null for the others. */
  model_id: number | null;
  model_name: string;
  /** Null until it is known. */
  model_type: "transformer" | "embedding" | null;
  /** `folder`: put below the home by hand. `upstream`: computed by an upstream engine, without weights here. */
  source: "built-in" | "hub" | "folder" | "upstream";
  /** `available` is what can be asked. `quantizing`: it has arrived, and its weights are rounded; bytes count those. */
  status: "queued" | "downloading" | "quantizing" | "available" | "failed";
  /** The account that asked for it. */
  user_id: number | null;
  /** Whether every account may use it. */
  is_public: boolean;
  creation_ts: string;
  /** Start of the last attempt. */
  prev_download_ts: string | null;
  /** Reason for which the last attempt failed. */
  prev_download_error: string | null;
  download_attempts: number;
  bytes_done: number | null;
  /** Null until it is known. */
  bytes_total: number | null;
  /** Size of its weights: the least memory that it needs. Null until it is here. */
  weights_bytes: number | null;
  /** Precision of its weights: `none` is as the hub has them. Null until it is here. */
  precision: "none" | "int8" | "int4" | null;
  /** Set where an upstream engine computes the answers of this base. */
  upstream: {
    /** "ok", or the reason for which it cannot be asked. */
    state: string;
    /** Differences that do no harm, and checks that could not be made. */
    notes: string[];
  } | null;
  /** The commit of the hub that it is of, once it is here. */
  commit: string | null;
}

export interface Erasure {
  /** The number of its change in the memory. */
  number: number;
  /** `published`: it is complete, and there is a receipt. */
  state: "waiting" | "running" | "published" | "held" | "failed";
  /** Up to `rebuilding` nothing is removed, and a failure leaves all as it was. */
  step: "rebuilding" | "removing" | "over";
  facts: number;
  versions: {
    version: number;
    /** `kept`: the erasure failed, and it is as it was. */
    outcome: "waiting" | "rebuilt" | "ended" | "kept";
    job_id: number | null;
    reason: string | null;
  }[];
  /** The number of its receipt. */
  receipt: number | null;
  /** All that was removed, as the receipt counts it; null before it. */
  removed: {
    models: string[];
    /** Rows of facts of the memory. */
    facts: number;
    datasets: {
      before: string;
      after: string | null;
      rows: number;
    }[];
    /** Rows of the database whose texts were overwritten, and kept answers that were deleted, by table. */
    texts: { [key: string]: number };
    /** Open proposals of such facts that were rejected. */
    proposals?: number | undefined;
    /** Files of jobs in which texts were overwritten. */
    files: number;
  } | null;
  reason: string | null;
  by: string;
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface Evaluation {
  /** As the call that started it answered. */
  evaluation_id: number;
  name: string | null;
  status: "running" | "completed" | "failed" | "cancelled";
  /** The hash of the content. */
  dataset_id: string | null;
  rows: number;
  /** Answers so far, of rows times targets. */
  answered: number;
  targets: {
    name: string;
    model_name: string | null;
    prompt: string | null;
    job_id: number | null;
    /** Rows that are done, those that could not be asked among them. */
    answered: number;
    /** Rows that could not be asked. They count as wrong. */
    failed: number;
    /** The share of the rows done whose answer is the right one word for word; null before any is. */
    exact: number | null;
    /** The same, forgiving case, white space, articles and punctuation around words. */
    normalised: number | null;
    /** Rows of a tuned model by outcome: how many were answered so, and how many of them right. Null for others. */
    outcomes: { [key: string]: {
      answered: number;
      exact: number;
      normalised: number;
    } } | null;
    /** Time from the question to the end of its answer, with others asked at the same time. */
    latency_ms: {
      mean: number;
      longest: number;
    } | null;
    prompt_tokens: number;
    completion_tokens: number;
  }[];
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface EvaluationRow {
  /** Counted from 1. */
  row: number;
  input: string;
  /** The right answer. */
  output: string;
  /** In the order of the targets; null where there is none yet. */
  answers: ({
    output: string;
    exact: boolean;
    normalised: boolean;
    finish_reason: "stop" | "length" | "error";
    /** Outcome of an answer of a tuned model; null of others. */
    outcome: "recite" | "ground" | "documents" | "unknown" | "base" | null;
    /** Reason for which it could not be asked. */
    error: string | null;
    latency_ms: number;
    prompt_tokens: number;
    completion_tokens: number;
  } | null)[];
}

export interface Feedback {
  answer_id: string;
  rating: "up" | "down";
  model: string | null;
  /** The question, while the answer is kept or where the vote names it. */
  input: string | null;
  /** The answer, while it is kept. */
  output: string | null;
  /** The facts that the answer came from, while it is kept. */
  decision: Memory | null;
  expected: string | null;
  comment: string | null;
  /** The memory that answered. */
  memory: string | null;
  /** The proposal of this memory that the vote became. */
  proposal: number | null;
  by: string;
  created_at: string;
}

export interface GateResult {
  version: number;
  /** The version that was changed; regressions are counted against it. */
  against_version: number | null;
  /** The hash of the content. */
  dataset_id: string;
  /** Null where none could be made; `failing` says why. */
  evaluation_id: number | null;
  exact: {
    rows: number;
    right: number;
  };
  reworded: {
    rows: number;
    right: number;
  };
  regressions: number;
  /** The bars at the time of the check. */
  bars: {
    /** Share of the rows that ask a fact of the version in its taught words, answered word for word. */
    exact: number | null;
    /** The same of all other rows: facts asked in other words, other questions. */
    reworded: number | null;
    /** Rows that the version before answers right and the new one does not. */
    max_regressions: number | null;
  };
  holds: boolean;
  failing: {
    bar: "exact" | "reworded" | "max_regressions" | "evaluation";
    /** The figure that was reached, and the one that is needed. */
    text: string;
  }[];
  checked_at: string;
}

export interface Index {
  job_id: number;
  name: string | null;
  /** The name under which OpenAI clients ask it. */
  model: string;
  model_name: string;
  embedder: string;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED";
  /** It can be asked: also while files are added to it. */
  ready: boolean;
  error: string | null;
  progress: {
    files: number;
    files_done: number;
    files_failed: number;
    pages_done: number;
    /** Size of all files. */
    bytes: number;
    /** So much of it is read: with `bytes` the share that is done. */
    bytes_read: number;
    /** Passages that are embedded and stored. */
    passages: number;
  };
  /** Below this similarity nothing counts as an answer. Measured on the index itself. */
  threshold: number | null;
  /** Method of the search: every passage is compared (`exact`), or a graph of them is walked. */
  search: {
    exact: boolean;
    measured: {
      passages: number;
      /** Share of the fifty nearest passages that the fast search finds, measured on its own passages. */
      recall: number;
    } | null;
  };
  created_at: string;
  finished_at: string | null;
}

export interface IndexFile {
  id: number;
  name: string;
  bytes: number;
  sha256: string;
  /** Format of the content, whatever the name says. */
  kind: string | null;
  title: string | null;
  /** A file is `reading` while it is read; one that gives way to others is `waiting` again. */
  state: "waiting" | "reading" | "done" | "failed" | "cancelled" | "deleting";
  /** Reason of the failure. */
  reason: string | null;
  /** Parts of it that were passed over. */
  notices: string[];
  pages_done: number;
  pages: number | null;
  /** Position of the reading in the file. Of formats without pages that are read as a whole, such as DOCX, 0 until it is done. */
  bytes_read: number;
  passages: number;
  /** Your own fields of a file, to show and to filter by. */
  metadata: { [key: string]: string | number | boolean };
  created_at: string;
  /** Since when it is being read, or when that began; null while it waits. */
  started_at: string | null;
  finished_at: string | null;
}

export interface Key {
  id: number;
  account_id: number;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  scopes: ("read" | "infer" | "tune" | "admin")[];
  status: "active" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Written every few seconds, not with each request. */
  last_used_at: string | null;
}

export interface KnownSource {
  kind: "dataset" | "document" | "person" | "feedback";
  name?: string | undefined;
  page?: number | undefined;
  row?: number | undefined;
  /** The words that say so; of a fact that an answer did not use they are not told. */
  quote?: string | undefined;
}

/** For each limit a number, "none", or "default" for the installation's own. */
export interface LimitChanges {
  requests_per_minute?: number | "none" | "default" | null | undefined;
  data_points?: number | "none" | "default" | null | undefined;
  storage_bytes?: number | "none" | "default" | null | undefined;
  jobs?: number | "none" | "default" | null | undefined;
  keys?: number | "none" | "default" | null | undefined;
}

export interface Limits {
  /** Requests a minute; null for no limit. */
  requests_per_minute: number | null;
  /** Data points of one tuning job; null for no limit. */
  data_points: number | null;
  /** Bytes of stored data; null for no limit. */
  storage_bytes: number | null;
  /** Jobs queued or running at once; null for no limit. */
  jobs: number | null;
  /** Keys that work at once; null for no limit. */
  keys: number | null;
}

export interface Memory {
  /** Whether the answer comes from facts; else the base gave it, or nothing answered. */
  used: boolean;
  /** `recite`: a fact, word for word. `ground`: put together or written from the facts named. `documents`: from passages of the index that stands beside the facts. `unknown`: nothing taught answers it, and the model says so. `base`: the base alone. */
  outcome: "recite" | "ground" | "documents" | "unknown" | "base";
  /** The rule that found it: exact, name, meaning, follow-up, two in one, hops, reversed, comparison, list, yes or no, sentence, json, written. */
  way: string;
  /** For people: why it was answered so. */
  reason: string;
  /** The facts that were used, or those that came nearest. */
  facts: {
    input: string;
    similarity: number;
    /** The dataset; `memory/NAME/NUMBER` where a change of a memory added the fact. */
    dataset_id: string | null;
    /** Row of the dataset or of the change, counted from 1. */
    row: number;
    /** A date, or a time in UTC; a fact without it always was. */
    valid_from?: string | undefined;
    /** A date, whose day is the last, or a time in UTC; absent without end. */
    valid_until?: string | undefined;
    /** The origin of the fact, as whoever added it said. */
    source?: KnownSource | undefined;
  }[];
  /** Nothing was taught about this, and the base knows nothing without a text. */
  declined?: boolean | undefined;
  /** The prompt that the base read for its answer, in its template; the middle of a long one is left out. */
  prompt?: string | undefined;
  /** Passages that an answer of the outcome `documents` was made from. */
  citations?: Citation[] | undefined;
  /** Index of the passages, with the outcome `documents`. */
  index_id?: number | undefined;
}

export interface MemoryChange {
  number: number;
  kind: "create" | "facts" | "publish" | "erase" | "move";
  /** `held`: its version is there and was not published, for the reason that `error` tells. */
  state: "waiting" | "running" | "published" | "held" | "failed";
  added: number;
  changed: number;
  withdrawn: number;
  reason: string | null;
  /** The name of the account or of what acted for it. */
  by: string;
  key_id: number | null;
  from_version: number | null;
  /** The base that the memory moves to; null of another kind of change. */
  base_model: string | null;
  /** The version that it made or published. */
  version: number | null;
  job_id: number | null;
  /** The evaluation of the gate, which decides after the job. */
  evaluation_id: number | null;
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface MemoryFact {
  id: number;
  input: string;
  output: string;
  subject: string | null;
  /** The dataset and the row, or the change of this memory; and the origin that the change named. */
  source: {
    dataset_id: string | null;
    row: number | null;
    change: number | null;
    kind: "dataset" | "document" | "person" | "feedback" | null;
    name: string | null;
    page: number | null;
    quote: string | null;
  };
  /** A date, or a time in UTC; null of a fact that always was. */
  valid_from: string | null;
  /** A date, whose day is the last, or a time in UTC; null without end. */
  valid_until: string | null;
  /** Since when the document that it was accepted from is gone or says something else. */
  stale_since: string | null;
  /** One that is not recalled is never said. */
  recalled: boolean;
  since_version: number;
  /** The first version without it; null while the latest has it. */
  until_version: number | null;
}

export interface MemoryGate {
  /** Share of the rows that ask a fact of the version in its taught words, answered word for word. */
  exact: number | null;
  /** The same of all other rows: facts asked in other words, other questions. */
  reworded: number | null;
  /** Rows that the version before answers right and the new one does not. */
  max_regressions: number | null;
  /** The hash of the content. */
  dataset_id: string;
  /** Rows of the set; null when the set is gone, and then no version is published without force. */
  rows: number | null;
  /** The name of the account or of what acted for it. */
  by: string;
  set_at: string;
}

export interface MemoryVersion {
  version: number;
  /** An immutable tuned model. */
  model_name: string;
  /** The version that was changed. */
  from_version: number | null;
  change: number;
  published: boolean;
  /** Null of a version that no gate has checked. */
  gate: "holds" | "fails" | null;
  facts: number;
  facts_recalled: number;
  created_at: string;
}

export interface NamedMemory {
  /** Usable as `model_name`: the published version answers. */
  name: string;
  /** The published version; null before the first. */
  version: number | null;
  latest_version: number | null;
  /** The tuned model of the published version. */
  model_name: string | null;
  /** The base of the published version. */
  base_model: string;
  facts: number;
  facts_recalled: number;
  /** Changes that wait or run. */
  changes_open: number;
  created_at: string;
}

export interface NewKey {
  id: number;
  account_id: number;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  scopes: ("read" | "infer" | "tune" | "admin")[];
  status: "active" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Written every few seconds, not with each request. */
  last_used_at: string | null;
  /** The key itself. It is shown this once and cannot be read again. */
  key: string;
}

export interface OpenAIModel {
  id: string;
  object: "model";
  created: number;
  owned_by: string;
}

/** The keys of the answer, each with its type: str, int, float or bool (string, integer, number, boolean), a list of values to choose from, a list of one type, or an object of these. The answer is an object with exactly these keys. */
export type OutputType = { [key: string]: ValueType };

export interface Proposal {
  number: number;
  kind: "document" | "feedback" | "conflict" | "stale" | "person";
  /** `edited`: accepted in other words. */
  state: "open" | "accepted" | "edited" | "rejected" | "withdrawn";
  input: string;
  /** Null where the fact is to be withdrawn. */
  output: string | null;
  subject: string | null;
  /** The question of another fact that goes when this one is accepted. */
  withdraws: string | null;
  quote: string | null;
  /** The place of the quote. */
  source: {
    /** The name of the file. */
    document: string | null;
    index_id: number | null;
    file_id: number | null;
    page: number | null;
    /** A conversation or an answer, as its program names it. */
    conversation: string | null;
  };
  /** The vote that it came from; texts are null where they are not kept. */
  vote: {
    /** The question as it was asked. */
    input: string | null;
    /** The answer that was given. */
    output: string | null;
    comment: string | null;
    by: string;
  } | null;
  confidence: number | null;
  assignee: string | null;
  /** Facts of the published version that accepting it would change or withdraw. */
  stands: {
    id: number;
    input: string;
    output: string;
    subject: string | null;
    /** The dataset and the row, or the change of this memory; and the origin that the change named. */
    source: {
      dataset_id: string | null;
      row: number | null;
      change: number | null;
      kind: "dataset" | "document" | "person" | "feedback" | null;
      name: string | null;
      page: number | null;
      quote: string | null;
    };
    /** A date, or a time in UTC; null of a fact that always was. */
    valid_from: string | null;
    /** A date, whose day is the last, or a time in UTC; null without end. */
    valid_until: string | null;
    /** Since when the document that it was accepted from is gone or says something else. */
    stale_since: string | null;
    /** One that is not recalled is never said. */
    recalled: boolean;
    since_version: number;
    /** The first version without it; null while the latest has it. */
    until_version: number | null;
    /** The time of the version that brought it. */
    since: string;
  }[];
  /** Open proposals that give this question another answer. */
  others: number[];
  /** The words that were accepted. */
  accepted: {
    input: string;
    output: string | null;
  } | null;
  /** The change of the memory that it went into. */
  change: number | null;
  reason: string | null;
  /** The proposer: an account, or the server. */
  by: string;
  decided_by: string | null;
  /** Since when its document is gone or states something else. */
  stale_since: string | null;
  created_at: string;
  decided_at: string | null;
}

export interface Reading {
  id: number;
  index_id: number;
  state: "running" | "done" | "failed";
  /** Files to be read. */
  files: number;
  files_done: number;
  proposed: number;
  /** Facts that the memory has, or that were proposed before. */
  known: number;
  /** Whether the base of the memory writes facts from prose, too. */
  asks_base: boolean;
  /** Bounds that were met, and why it failed. */
  notices: string[];
  by: string;
  created_at: string;
  finished_at: string | null;
}

export interface Receipt {
  receipt: {
    format: "lorekeep-erasure-1";
    number: number;
    account_id: number;
    memory: string;
    erasure: number;
    by: string;
    ordered_at: string;
    finished_at: string;
    salt: string;
    /** SHA-256 over the salt and the JSON of question and answer: who has the text can confirm it. */
    facts: string[];
    versions: {
      version: number;
      outcome: "rebuilt" | "ended";
      reason: string | null;
      published: boolean;
      before: {
        model: string;
        hash: string;
        facts: number;
        recalled: number;
      };
      after: {
        model: string;
        hash: string;
        facts: number;
        recalled: number;
      } | null;
      probes: {
        /** The salted hash of the fact that was asked for. */
        fact: string;
        kind: "exact" | "reworded" | "reversed";
        /** The outcome of the answer; `none` where it is not one of a tuned model. */
        outcome: string;
        /** The answer holds what was erased. */
        holds: boolean;
        /** The reason: a fact that stays says so, or the base by itself; null where it does not hold it. */
        because: "other_fact" | "base" | "unknown" | null;
      }[];
      /** The reason for which not every fact was asked for. */
      probes_skipped: string | null;
    }[];
    /** Every fact of every rebuilt version was asked for, and no answer holds what was erased for an unknown reason. */
    gone: boolean;
    removed: {
      models: string[];
      /** Rows of facts of the memory. */
      facts: number;
      datasets: {
        before: string;
        after: string | null;
        rows: number;
      }[];
      /** Rows of the database whose texts were overwritten, and kept answers that were deleted, by table. */
      texts: { [key: string]: number };
      /** Open proposals of such facts that were rejected. */
      proposals?: number | undefined;
      /** Files of jobs in which texts were overwritten. */
      files: number;
    };
    still_held: string[];
    exports: {
      what: string;
      name: string;
      at: string;
      by: string;
    }[];
    out_of_reach: string[];
  };
  /** Ed25519 over the canonical JSON of `receipt` (sorted names, no spaces, UTF-8), in base64. */
  signature: string;
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo). */
  fingerprint: string;
}

export interface Regression {
  /** The row of the set, counted from 1. */
  row: number;
  input: string;
  /** The right answer. */
  output: string;
  /** Answer of the version before, which is right. */
  before: {
    output: string;
    /** Reason for which it could not be asked. */
    error: string | null;
  };
  /** Answer of the checked version, which is not. */
  after: {
    output: string;
    /** Reason for which it could not be asked. */
    error: string | null;
  };
}

export interface Row {
  /** The question or prompt. */
  input: string | number | boolean;
  /** The exact answer. */
  output: string | number | boolean;
  [field: string]: unknown;
}

export interface Run {
  /** As the call that started it answered. */
  id: string;
  kind: "batch" | "stream" | "embeddings";
  model_name: string;
  status: "running" | "completed" | "failed";
  prompts: number;
  answered: number;
  error: string | null;
  created_at: string;
  finished_at: string | null;
  /** Time at which the results are removed. */
  kept_until: string | null;
}

export interface Session {
  id: number;
  account: {
    id: number;
    name: string;
    role: "operator" | "member";
  };
  scopes: ("read" | "infer" | "tune" | "admin")[];
  /** Send it as x-lorekeep-csrf with every call that is not a GET. */
  csrf: string;
  created_at: string;
  expires_at: string;
}

export interface Sweep {
  job_id: number;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
  /** Time of its creation: UTC without a zone, with microseconds. */
  start_time: string;
  /** The tuned model, once it is saved. */
  model_name: string | null;
  custom_model_name: string | null;
  is_public: boolean;
  dataset_id: string | null;
  resume_count: number;
  resume_limit: number;
  /** A JSON list of {loss, learning_rate, epoch, iter_time, flops, remaining_time, step}. `loss` is the mean over all facts of the job, from before the first wave (step 0) to after the last; `epoch` is the share of facts learned. */
  history: string;
  base_model: string;
  /** `memory_tuning` or `sweep`. */
  train_type: string;
  finetune_args: { [key: string]: unknown };
  gpu_config: {
    gpus: number;
    nodes: number;
  };
  use_cached_model: boolean;
  /** The comparison of a job that makes no model: POST /v1/train/sweep. */
  sweep: {
    argument: string;
    values: unknown[];
    /** The first so many are taught once with each value. */
    facts: number;
    /** The value that recalls most; null until the job is over. */
    best: unknown;
  } | null;
  priority: number;
  /** 1 is the next; null when it does not wait. */
  queue_position: number | null;
  progress: {
    facts_total: number;
    facts_done: number;
    /** Known when the job is over. */
    facts_recalled: number | null;
    experts_total: number;
    experts_done: number;
    /** Taken over from earlier models. */
    experts_reused: number;
    /** Facts that moved: the earlier model of the job is on another base or precision. Null for any other job. */
    move: {
      /** Facts of the earlier model whose experts recited all of theirs word for word on this base. */
      facts_taken_over: number;
      /** Its other facts of this job. */
      facts_taught_again: number;
    } | null;
    /** Seconds that the job still needs, estimated anew with every look; null while it waits. */
    eta_seconds: number | null;
  };
  warnings: string[];
  /** Reason of the failure. */
  error: string | null;
  created_at: string;
  finished_at: string | null;
  /** Trials of the values that are done, in the order of the request. */
  trials: {
    value: unknown;
    facts: number;
    /** Recited word for word, by free greedy generation. */
    facts_recalled: number;
    /** Their share. */
    recall: number;
    experts: number;
    /** Steps of an expert, the mean. */
    steps: number;
    /** Experts that diverged and were begun anew. */
    restarts: number;
    /** Loss at the end, the mean over all experts. */
    loss: number | null;
    learning_rate_effective: number;
    seconds: number;
    /** The mean over all experts at each step; at most 200 points. */
    curve: {
      step: number;
      loss: number | null;
    }[];
  }[];
}

export interface TextCompletion {
  id: string;
  created: number;
  model: string;
  object: "text_completion";
  choices: {
    index: number;
    text: string;
    finish_reason: "stop" | "length" | null;
    logprobs: {
      tokens: string[];
      token_logprobs: number[];
      top_logprobs: { [key: string]: number }[];
      text_offset: number[];
    } | null;
    memory?: Memory | null | undefined;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
    };
  } | null | undefined;
}

export interface TunedModel {
  model_name: string;
  /** The name that points to it now. Of another account's model: its qualified name. */
  custom_model_name: string | null;
  /** NAME@ACCOUNT: what other accounts ask for while the model is public. Null without a custom name. */
  qualified_name: string | null;
  base_model: string;
  job_id: number;
  dataset_id: string | null;
  is_public: boolean;
  facts: number;
  facts_recalled: number;
  experts: number;
  bytes: number;
  /** Sources of answers where a request does not say. */
  answer_from: "all" | "facts" | "recital";
  /** Behaviour where no fact about a known name answers and a request does not say. */
  unknown: "say" | "base";
  /** The sentence that says so; null for the usual one. */
  unknown_answer: string | null;
  /** The document index that answers what no fact answers. */
  index_id: number | null;
  created_at: string;
}

export interface TuningEvent {
  id: number;
  job_id: number;
  time: string;
  type: "status" | "warning";
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT" | null;
  reason: string | null;
}

export interface TuningJob {
  job_id: number;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
  /** Time of its creation: UTC without a zone, with microseconds. */
  start_time: string;
  /** The tuned model, once it is saved. */
  model_name: string | null;
  custom_model_name: string | null;
  is_public: boolean;
  dataset_id: string | null;
  resume_count: number;
  resume_limit: number;
  /** A JSON list of {loss, learning_rate, epoch, iter_time, flops, remaining_time, step}. `loss` is the mean over all facts of the job, from before the first wave (step 0) to after the last; `epoch` is the share of facts learned. */
  history: string;
  base_model: string;
  /** `memory_tuning` or `sweep`. */
  train_type: string;
  finetune_args: { [key: string]: unknown };
  gpu_config: {
    gpus: number;
    nodes: number;
  };
  use_cached_model: boolean;
  /** The comparison of a job that makes no model: POST /v1/train/sweep. */
  sweep: {
    argument: string;
    values: unknown[];
    /** The first so many are taught once with each value. */
    facts: number;
    /** The value that recalls most; null until the job is over. */
    best: unknown;
  } | null;
  priority: number;
  /** 1 is the next; null when it does not wait. */
  queue_position: number | null;
  progress: {
    facts_total: number;
    facts_done: number;
    /** Known when the job is over. */
    facts_recalled: number | null;
    experts_total: number;
    experts_done: number;
    /** Taken over from earlier models. */
    experts_reused: number;
    /** Facts that moved: the earlier model of the job is on another base or precision. Null for any other job. */
    move: {
      /** Facts of the earlier model whose experts recited all of theirs word for word on this base. */
      facts_taken_over: number;
      /** Its other facts of this job. */
      facts_taught_again: number;
    } | null;
    /** Seconds that the job still needs, estimated anew with every look; null while it waits. */
    eta_seconds: number | null;
  };
  warnings: string[];
  /** Reason of the failure. */
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface Usage {
  /** Day in UTC. */
  day: string;
  key_id: number;
  key_name: string;
  /** Name of the model; for tuning, the base. */
  model_name: string;
  /** Prompts and texts that the model worked on. */
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Time that tuning jobs ran, once for each slot they held. */
  slot_seconds: number;
}

export type ValueType = "str" | "string" | "int" | "integer" | "float" | "number" | "bool" | "boolean" | (string | number | boolean | null)[] | ValueType[] | OutputType;

export interface Webhook {
  id: number;
  url: string;
  created_at: string;
}

/** Answer of `health`. */
export interface HealthAnswer {
  status: "ok";
}

/** Answer of `openapi`. */
export interface OpenapiAnswer {
  openapi: string;
  [field: string]: unknown;
}

/** Answer of `readiness`. */
export interface ReadinessAnswer {
  status: "ready" | "not ready";
  /** Each part with "ok" or what is wrong with it. */
  parts: { [key: string]: string };
}

/** Answer of `version`. */
export interface VersionAnswer {
  server: string;
  /** The newest version of the platform client that is known to work. */
  client: string;
  api: {
    name: string;
    path: string;
  }[];
}

/** Arguments of `changeAccount`. */
export interface ChangeAccountArgs {
  id: number | string;
  name?: string | null | undefined;
  limits?: LimitChanges | null | undefined;
  /** The keys of a disabled account stop working at once, and its sessions end. */
  disabled?: boolean | null | undefined;
}

/** Answer of `changeAccount`. */
export type ChangeAccountAnswer = Account;

/** Arguments of `createAccount`. */
export interface CreateAccountArgs {
  name: string;
  limits?: LimitChanges | null | undefined;
}

/** Answer of `createAccount`. */
export type CreateAccountAnswer = Account;

/** Arguments of `deleteAccount`. */
export interface DeleteAccountArgs {
  id: number | string;
}

/** Answer of `deleteAccount`. */
export interface DeleteAccountAnswer {
  deleted: number;
}

/** Answer of `listAccounts`. */
export interface ListAccountsAnswer {
  accounts: Account[];
}

/** Arguments of `showAccount`. */
export interface ShowAccountArgs {
  id: number | string;
}

/** Answer of `showAccount`. */
export type ShowAccountAnswer = Account;

/** Answer of `showOwnAccount`. */
export interface ShowOwnAccountAnswer {
  id: number;
  name: string;
  role: "operator" | "member";
  /** The limits in force: those of the account, or the defaults of the installation. */
  limits: Limits;
  storage_used_bytes: number;
  created_at: string;
  disabled_at: string | null;
  key: {
    id: number;
    name: string;
    scopes: ("read" | "infer" | "tune" | "admin")[];
    expires_at: string | null;
  };
}

/** Arguments of `createKey`. */
export interface CreateKeyArgs {
  name: string;
  /** Without it: read, infer and tune. */
  scopes?: ("read" | "infer" | "tune" | "admin")[] | null | undefined;
  /** Without it the key does not expire by itself. */
  expires_at?: string | null | undefined;
  /** Another account's; for the operator only. */
  account_id?: number | string | null | undefined;
}

/** Answer of `createKey`. */
export type CreateKeyAnswer = NewKey;

/** Arguments of `listKeys`. */
export interface ListKeysArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  /** Another account's; for the operator only. */
  account_id?: number | string | undefined;
}

/** Answer of `listKeys`. */
export interface ListKeysAnswer {
  keys: Key[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `revokeKey`. */
export interface RevokeKeyArgs {
  id: number | string;
}

/** Answer of `revokeKey`. */
export type RevokeKeyAnswer = Key;

/** Arguments of `rotateKey`. */
export interface RotateKeyArgs {
  id: number | string;
  /** Seconds for which the old key still works; a day without it. */
  grace_seconds?: number | null | undefined;
  /** Expiry of the new key; without it, it lives as long as the old one was made to. */
  expires_at?: string | null | undefined;
}

/** Answer of `rotateKey`. */
export type RotateKeyAnswer = NewKey;

/** Arguments of `showKey`. */
export interface ShowKeyArgs {
  id: number | string;
}

/** Answer of `showKey`. */
export type ShowKeyAnswer = Key;

/** Arguments of `changePassword`. */
export interface ChangePasswordArgs {
  /** The present one. */
  password: string;
  new_password: string;
}

/** Answer of `changePassword`. */
export interface ChangePasswordAnswer {
  signed_out: number;
}

/** Arguments of `createSignInLink`. */
export interface CreateSignInLinkArgs {
  id: number | string;
}

/** Answer of `createSignInLink`. */
export interface CreateSignInLinkAnswer {
  /** Put it behind the address of the server. */
  path: string;
  expires_at: string;
}

/** Answer of `listSessions`. */
export interface ListSessionsAnswer {
  sessions: {
    id: number;
    /** As it named itself. */
    browser: string;
    created_at: string;
    expires_at: string;
    /** The one of this request. */
    current: boolean;
  }[];
}

/** Arguments of `redeemSignInLink`. */
export interface RedeemSignInLinkArgs {
  token: string;
  password: string;
}

/** Answer of `redeemSignInLink`. */
export type RedeemSignInLinkAnswer = Session;

/** Answer of `showSession`. */
export interface ShowSessionAnswer {
  /** Null when nobody is. */
  session: Session | null;
}

/** Arguments of `showSignInLink`. */
export interface ShowSignInLinkArgs {
  token: string;
}

/** Answer of `showSignInLink`. */
export interface ShowSignInLinkAnswer {
  account: string;
  expires_at: string;
}

/** Arguments of `signIn`. */
export interface SignInArgs {
  /** The name of the account. */
  account: string;
  password: string;
}

/** Answer of `signIn`. */
export type SignInAnswer = Session;

/** Answer of `signOut`. */
export interface SignOutAnswer {
  /** Number of sessions that this ended. */
  signed_out: number;
}

/** Answer of `signOutEverywhere`. */
export interface SignOutEverywhereAnswer {
  signed_out: number;
}

/** Arguments of `exportAudit`. */
export interface ExportAuditArgs {
  /** Rows of this moment or date, and later. */
  from?: string | undefined;
  /** Rows before this moment, or up to this date, whose day counts. */
  to?: string | undefined;
  /** The name of the account that did it, or `host`, or `server`. */
  actor?: string | undefined;
  /** An action such as `key.created`, or all of one subject: `key`. */
  action?: string | undefined;
  /** The id or the name, whole. */
  subject?: string | undefined;
  /** Another account's; for the operator, who without it sees the rows of all. */
  account_id?: number | string | undefined;
}

/** Arguments of `listAudit`. */
export interface ListAuditArgs {
  /** Rows of this moment or date, and later. */
  from?: string | undefined;
  /** Rows before this moment, or up to this date, whose day counts. */
  to?: string | undefined;
  /** The name of the account that did it, or `host`, or `server`. */
  actor?: string | undefined;
  /** An action such as `key.created`, or all of one subject: `key`. */
  action?: string | undefined;
  /** The id or the name, whole. */
  subject?: string | undefined;
  /** Another account's; for the operator, who without it sees the rows of all. */
  account_id?: number | string | undefined;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listAudit`. */
export interface ListAuditAnswer {
  rows: AuditRow[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `verifyAudit`. */
export interface VerifyAuditArgs {
  /** A row that was noted earlier, and */
  number?: number | string | undefined;
  /** its hash. */
  hash?: string | undefined;
}

/** Answer of `verifyAudit`. */
export interface VerifyAuditAnswer {
  sound: boolean;
  /** Rows that were read. */
  rows: number;
  /** The number of the first row that is kept; null while there is none. */
  first: number | null;
  last: {
    number: number;
    hash: string;
  } | null;
  fault: {
    /** The first row that does not fit. */
    number: number;
    reason: string;
  } | null;
}

/** Arguments of `showUsage`. */
export interface ShowUsageArgs {
  /** The first day; 30 days ago without it. */
  from?: string | undefined;
  /** The last day; today without it. */
  to?: string | undefined;
  /** Another account's; for the operator only. */
  account_id?: number | string | undefined;
}

/** Answer of `showUsage`. */
export interface ShowUsageAnswer {
  usage: Usage[];
  total: {
    /** Prompts and texts that the model worked on. */
    requests: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Time that tuning jobs ran, once for each slot they held. */
    slot_seconds: number;
  };
}

/** Arguments of `changeDataset`. */
export interface ChangeDatasetArgs {
  /** The hash of the content. */
  id: string;
  name?: string | null | undefined;
  is_public?: boolean | null | undefined;
}

/** Answer of `changeDataset`. */
export type ChangeDatasetAnswer = Dataset;

/** Arguments of `deleteDataset`. */
export interface DeleteDatasetArgs {
  /** The hash of the content. */
  id: string;
}

/** Answer of `deleteDataset`. */
export interface DeleteDatasetAnswer {
  /** The hash of the content. */
  deleted: string;
}

/** Arguments of `downloadDataset`. */
export interface DownloadDatasetArgs {
  /** The hash of the content. */
  id: string;
}

/** Arguments of `findDatasetConflicts`. */
export interface FindDatasetConflictsArgs {
  /** The hash of the content. */
  id: string;
  reworded?: "true" | "false" | undefined;
  /** Questions that are listed, at most. */
  limit?: number | undefined;
}

/** Answer of `findDatasetConflicts`. */
export interface FindDatasetConflictsAnswer {
  /** Rows, from the first. */
  looked_at: number;
  /** Questions with several answers. */
  total: number;
  conflicts: {
    /** The first row of each answer, ten at most. */
    rows: {
      /** Counted from 1. */
      row: number;
      input: string;
      output: string;
    }[];
  }[];
  /** Questions that were compared in other words. */
  compared: number;
  reworded: {
    /** Two. */
    rows: {
      /** Counted from 1. */
      row: number;
      input: string;
      output: string;
    }[];
    /** Likeness of the questions, as the search scores it; about 1 is the same. */
    likeness: number;
  }[];
}

/** Arguments of `listDatasets`. */
export interface ListDatasetsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listDatasets`. */
export interface ListDatasetsAnswer {
  datasets: Dataset[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `locateDataset`. */
export interface LocateDatasetArgs {
  /** The hash of the content. */
  dataset_id: string;
  /** "local": the value of GET /v1/get-upload-base-path. */
  upload_base_path?: string | null | undefined;
}

/** Answer of `locateDataset`. */
export interface LocateDatasetAnswer {
  dataset_location: string;
}

/** Arguments of `readDatasetRows`. */
export interface ReadDatasetRowsArgs {
  /** The hash of the content. */
  id: string;
  /** Rows from the first, at most; all without it. */
  limit?: number | undefined;
}

/** Arguments of `showDataset`. */
export interface ShowDatasetArgs {
  /** The hash of the content. */
  id: string;
}

/** Answer of `showDataset`. */
export interface ShowDatasetAnswer {
  /** The hash of the content. */
  dataset_id: string;
  /** Value that /v1/train takes as upload_file_path. */
  dataset_location: string;
  name: string | null;
  rows: number;
  bytes: number;
  /** Other accounts may read and use it. */
  is_public: boolean;
  created_at: string;
  first_rows: {
    input: string;
    output: string;
    [field: string]: unknown;
  }[];
}

/** Answer of `showUploadBasePath`. */
export interface ShowUploadBasePathAnswer {
  upload_base_path: "local";
}

/** Arguments of `uploadFile`. */
export interface UploadFileArgs {
  file: Upload;
  name?: string | undefined;
  is_public?: boolean | undefined;
  /** The column of the questions; "input" without it. */
  input_column?: string | undefined;
  /** The column of the answers; "output" without it. */
  output_column?: string | undefined;
}

/** Answer of `uploadFile`. */
export type UploadFileAnswer = Dataset;

/** Arguments of `uploadRows`. */
export interface UploadRowsArgs {
  /** "local": the value of GET /v1/get-upload-base-path. */
  upload_base_path?: string | null | undefined;
  data: Rows<Row>;
  is_public?: boolean | null | undefined;
  name?: string | null | undefined;
}

/** Answer of `uploadRows`. */
export interface UploadRowsAnswer {
  /** The hash of the content. */
  dataset_id: string;
  dataset_location: string;
}

/** Arguments of `deleteDownloadedModel`. */
export interface DeleteDownloadedModelArgs {
  model: string;
}

/** Answer of `deleteDownloadedModel`. */
export interface DeleteDownloadedModelAnswer {
  deleted: string;
}

/** Arguments of `deleteDownloadedModelByParts`. */
export interface DeleteDownloadedModelByPartsArgs {
  organisation: string;
  model: string;
}

/** Answer of `deleteDownloadedModelByParts`. */
export interface DeleteDownloadedModelByPartsAnswer {
  deleted: string;
}

/** Arguments of `downloadModel`. */
export interface DownloadModelArgs {
  /** As on the hub: organisation/name. */
  hf_model_name: string;
  /** Without it, the configuration of the model decides. */
  model_type?: "transformer" | "embedding" | null | undefined;
  /** Weights in whole numbers of 8 or 4 bits take half or a third of the memory. `auto` takes the most exact that serving and tuning on this machine have memory for. `none`, the default, keeps the weights as they are. */
  precision?: "none" | "int8" | "int4" | "auto" | null | undefined;
  /** For models that are private or gated. Kept in memory while it is downloaded, and nowhere else. */
  private_hf_token?: string | null | undefined;
  /** Whether other accounts may use it. Without it: yes, unless a token was sent by an account that is not the operator. */
  is_public?: boolean | null | undefined;
}

/** Answer of `downloadModel`. */
export type DownloadModelAnswer = DownloadedModel;

/** Answer of `listDownloadedModels`. */
export type ListDownloadedModelsAnswer = DownloadedModel[];

/** Arguments of `showDownloadedModel`. */
export interface ShowDownloadedModelArgs {
  model: string;
}

/** Answer of `showDownloadedModel`. */
export type ShowDownloadedModelAnswer = DownloadedModel;

/** Arguments of `showDownloadedModelByParts`. */
export interface ShowDownloadedModelByPartsArgs {
  organisation: string;
  model: string;
}

/** Answer of `showDownloadedModelByParts`. */
export type ShowDownloadedModelByPartsAnswer = DownloadedModel;

/** Answer of `listKnownModels`. */
export interface ListKnownModelsAnswer {
  /** Main memory of the machine that the server runs on, or of its container. */
  memory_bytes: number;
  /** Null until the engine has started. */
  gpus: number | null;
  models: {
    model_name: string;
    parameters: number;
    licence: string;
    /** The hub wants a token of an account that has accepted the licence. */
    gated: boolean;
    good_for: string;
    download_bytes: number;
    /** Main memory that serving and tuning it on a CPU take together. */
    memory_bytes: number;
    /** Memory needed on the CPU of this machine. Null where it computes on GPUs: compare `download_bytes` with their memory. */
    fits: "serve and tune" | "serve" | "too large" | null;
    /** Precision that a download with `auto` takes here. Null where the model is too large in any. */
    auto: "none" | "int8" | "int4" | null;
    is_here: boolean;
  }[];
}

/** Arguments of `cancelJob`. */
export interface CancelJobArgs {
  id: number | string;
  [field: string]: unknown;
}

/** Answer of `cancelJob`. */
export interface CancelJobAnswer {
  status: "CANCELLED";
  message: string;
}

/** Arguments of `cancelJobs`. */
export type CancelJobsArgs = { [key: string]: unknown };

/** Answer of `cancelJobs`. */
export interface CancelJobsAnswer {
  status: "CANCELLED";
  message: string;
  cancelled: number[];
}

/** Arguments of `listJobEvents`. */
export interface ListJobEventsArgs {
  id: number | string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listJobEvents`. */
export interface ListJobEventsAnswer {
  events: TuningEvent[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listJobs`. */
export interface ListJobsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** Only jobs that are older than this one. */
  after?: number | string | undefined;
}

/** Answer of `listJobs`. */
export type ListJobsAnswer = TuningJob[];

/** Arguments of `planTraining`. */
export interface PlanTrainingArgs {
  /** The base. */
  model_name: string;
  /** The facts; or name a dataset. */
  data?: Rows<Row> | null | undefined;
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** As /v1/existing-data answers it: another way to name the dataset. */
  upload_file_path?: string | null | undefined;
  /** Arguments of the tuning, docs/reference/tuning.md. Those of other trainers have no effect and are named in X-Warning; other names are refused. */
  finetune_args?: { [key: string]: unknown } | null | undefined;
  gpu_config?: {
    /** GPUs of each node; 1 without it. */
    gpus?: number | null | undefined;
    /** 1 without it. */
    nodes?: number | null | undefined;
  } | null | undefined;
  /** Take over what earlier models of the account have learned from the same facts; true without it. */
  use_cached_model?: boolean | null | undefined;
  /** Usable as `model_name` by this account. It moves to the newest model that is tuned under it. Other accounts ask a public model as NAME@ACCOUNT. */
  custom_model_name?: string | null | undefined;
  /** Other accounts may use the model and its data. */
  is_public?: boolean | null | undefined;
  /** `memory_tuning`, which counts without it too. */
  train_type?: string | null | undefined;
  /** Similarity threshold above which the memory answers with a fact; `balanced` without it. `strict`, `balanced` and `generous` let through about 10, 35 and 60% of questions about a known name that no fact answers, and 2, 5 and 10% of near misses of facts without names. The report of a model says what it came to. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Jobs of a higher one go first; 0 without it. Above 0 the operator only. */
  priority?: number | null | undefined;
}

/** Answer of `planTraining`. */
export interface PlanTrainingAnswer {
  /** Number of facts, each counted once. */
  facts: number;
  /** Rows that repeat another one; at most 100. */
  duplicates: number[];
  duplicates_total: number;
  /** Rows that ask the same and answer differently; the job would be refused. At most 100. */
  conflicts: {
    rows: number[];
    message: string;
  }[];
  /** Rows that are too long, at most 100 of them. */
  too_long: {
    row: number;
    message: string;
  }[];
  /** Null while there are conflicts. */
  experts_to_train: number | null;
  /** Those among `experts_to_train` that an earlier model on another precision of the base has: each is taken over if it recites its facts, and trained only if not. */
  experts_to_verify: number | null;
  experts_to_reuse: number | null;
  /** Running time, once it has started. */
  seconds: number | null;
  /** Number of finished jobs that the estimate is learned from; 0: a guess. */
  seconds_from_jobs: number;
  /** Memory of each process. */
  memory_bytes: number | null;
  /** Size of the model on the disk. */
  model_bytes: number | null;
  slots: number;
  queue: {
    /** 1 is the next. */
    position: number;
    slots_total: number;
    slots_free: number;
    seconds_until_start: number | null;
  };
  warnings: string[];
}

/** Arguments of `readJobLog`. */
export interface ReadJobLogArgs {
  id: number | string;
  /** Maximum number of lines. */
  lines?: number | undefined;
}

/** Answer of `readJobLog`. */
export type ReadJobLogAnswer = string[];

/** Arguments of `resumeJob`. */
export interface ResumeJobArgs {
  id: number | string;
  [field: string]: unknown;
}

/** Answer of `resumeJob`. */
export interface ResumeJobAnswer {
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
  message: string;
}

/** Arguments of `showJob`. */
export interface ShowJobArgs {
  id: number | string;
}

/** Answer of `showJob`. */
export type ShowJobAnswer = TuningJob;

/** Arguments of `train`. */
export interface TrainArgs {
  /** The base. */
  model_name: string;
  /** The facts; or name a dataset. */
  data?: Rows<Row> | null | undefined;
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** As /v1/existing-data answers it: another way to name the dataset. */
  upload_file_path?: string | null | undefined;
  /** Arguments of the tuning, docs/reference/tuning.md. Those of other trainers have no effect and are named in X-Warning; other names are refused. */
  finetune_args?: { [key: string]: unknown } | null | undefined;
  gpu_config?: {
    /** GPUs of each node; 1 without it. */
    gpus?: number | null | undefined;
    /** 1 without it. */
    nodes?: number | null | undefined;
  } | null | undefined;
  /** Take over what earlier models of the account have learned from the same facts; true without it. */
  use_cached_model?: boolean | null | undefined;
  /** Usable as `model_name` by this account. It moves to the newest model that is tuned under it. Other accounts ask a public model as NAME@ACCOUNT. */
  custom_model_name?: string | null | undefined;
  /** Other accounts may use the model and its data. */
  is_public?: boolean | null | undefined;
  /** `memory_tuning`, which counts without it too. */
  train_type?: string | null | undefined;
  /** Similarity threshold above which the memory answers with a fact; `balanced` without it. `strict`, `balanced` and `generous` let through about 10, 35 and 60% of questions about a known name that no fact answers, and 2, 5 and 10% of near misses of facts without names. The report of a model says what it came to. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Jobs of a higher one go first; 0 without it. Above 0 the operator only. */
  priority?: number | null | undefined;
}

/** Answer of `train`. */
export interface TrainAnswer {
  job_id: number;
  status: "CREATED";
  dataset_id: string;
}

/** Arguments of `watchJob`. */
export interface WatchJobArgs {
  id: number | string;
}

/** Arguments of `listSweeps`. */
export interface ListSweepsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** Only sweeps that are older than this one. */
  after?: number | string | undefined;
}

/** Answer of `listSweeps`. */
export type ListSweepsAnswer = TuningJob[];

/** Arguments of `showSweep`. */
export interface ShowSweepArgs {
  id: number | string;
}

/** Answer of `showSweep`. */
export type ShowSweepAnswer = Sweep;

/** Arguments of `sweep`. */
export interface SweepArgs {
  /** The base. */
  model_name: string;
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** As /v1/existing-data answers it: another way to name the dataset. */
  upload_file_path?: string | null | undefined;
  /** Arguments of the tuning, docs/reference/tuning.md. Those of other trainers have no effect and are named in X-Warning; other names are refused. */
  finetune_args?: { [key: string]: unknown } | null | undefined;
  /** The argument that is tried; what finetune_args says of it does not count. */
  argument: "learning_rate" | "max_steps" | "r_value" | "lora_alpha" | "num_train_epochs" | "max_length" | "index_max_size" | "index_k" | "index_method" | "index_ivf_nlist" | "index_ivf_nprobe" | "index_pq_m" | "index_pq_nbits" | "index_hnsw_m" | "index_hnsw_efConstruction" | "index_hnsw_efSearch" | "facts_per_expert" | "gradient_accumulation_steps" | "batch_size" | "save_steps" | "optim" | "early_stopping";
  /** In the order of the results; null is the argument left out. */
  values: Rows<unknown>;
  /** The first so many are taught once with each value; 100 without it. */
  facts?: number | null | undefined;
  /** Jobs of a higher one go first; 0 without it. Above 0 the operator only. */
  priority?: number | null | undefined;
  /** The facts; or name a dataset. */
  data?: Rows<Row> | null | undefined;
}

/** Answer of `sweep`. */
export interface SweepAnswer {
  job_id: number;
  status: "CREATED";
  dataset_id: string;
}

/** Answer of `showCluster`. */
export interface ShowClusterAnswer {
  slots_total: number;
  slots_free: number;
  /** Jobs in the queue, of all accounts. */
  waiting: number;
  /** The same by reason. `cluster`: no run can be started now; `size`: it asks for more nodes or slots of a node than are there now; `stopping`: its last run is being stopped; `slots`: slots are taken, or others come first. */
  waiting_for: {
    reason: "cluster" | "size" | "stopping" | "slots";
    jobs: number;
  }[];
  /** Reason for which no run can be started now. */
  problem: string | null;
  nodes: {
    /** Its host name or address for the operator, else a number. */
    name: string;
    /** For the operator, where it is known. */
    address: string | null;
    /** `lost`: it went without being told to within the last day; `unknown`: the cluster does not answer now. */
    state: "alive" | "lost" | "unknown";
    slots_total: number;
    /** Slots that runs have reserved there. */
    slots_used: number;
    held: {
      slots: number;
      /** Null where it is another account's, or no job of this installation. */
      job_id: number | null;
      account: string | null;
      /** True where a replica of the engine has them. */
      serving: boolean;
    }[];
  }[];
  /** Replicas that answer for this server; none where one engine does. */
  replicas: {
    number: number;
    /** For the operator: the machine that it runs on. Null where that is the server's. */
    node: string | null;
    /** `silent`: it does not answer, and is started again if that goes on; `draining`: it is not needed, and ends after the requests that it has; `lost`: the operator has to repair something. */
    state: "ready" | "starting" | "silent" | "draining" | "lost";
    /** Reason for which it cannot be asked, for the operator. */
    reason: string | null;
    /** Models that it has loaded. */
    models: number;
    /** Requests that it has in flight. */
    requests: number;
    answered: number;
    /** Requests that ended with it. */
    failed: number;
  }[];
  held: {
    slots: number;
    /** Null where it is another account's, or no job of this installation. */
    job_id: number | null;
    account: string | null;
    status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
    started_at: string | null;
  }[];
}

/** Arguments of `changeTunedModel`. */
export interface ChangeTunedModelArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
  /** Usable as `model_name` by this account. It moves to the newest model that is tuned under it. Other accounts ask a public model as NAME@ACCOUNT. */
  custom_model_name?: string | null | undefined;
  is_public?: boolean | null | undefined;
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  unknown?: "say" | "base" | null | undefined;
  /** An empty text brings the usual sentence back. */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact answers, for callers of its own account. An empty text: none. */
  index?: number | string | null | undefined;
}

/** Answer of `changeTunedModel`. */
export type ChangeTunedModelAnswer = TunedModel;

/** Arguments of `deleteTunedModel`. */
export interface DeleteTunedModelArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
}

/** Answer of `deleteTunedModel`. */
export interface DeleteTunedModelAnswer {
  id: string;
  object: "model";
  deleted: true;
  /** The model itself, where `id` is a custom name of it. */
  model_name: string;
}

/** Arguments of `exportTunedModel`. */
export interface ExportTunedModelArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
  /** `folder` without it. */
  format?: "folder" | "peft" | "vllm" | "gguf" | undefined;
  /** The base as GGUF as well, up to 8 GB; with `format=gguf` alone. */
  with_base?: "true" | "false" | undefined;
}

/** Arguments of `forgetFacts`. */
export interface ForgetFactsArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
  /** The questions of the facts, as they were taught. */
  inputs: string[];
  /** Without it, the custom name of the model, which moves. */
  custom_model_name?: string | null | undefined;
}

/** Answer of `forgetFacts`. */
export interface ForgetFactsAnswer {
  job_id: number;
  status: "CREATED";
  /** Those that stay. */
  facts: number;
}

/** Arguments of `importTunedModel`. */
export interface ImportTunedModelArgs {
  file: Upload;
  /** Usable as `model_name` by this account. It moves to the newest model that is tuned under it. Other accounts ask a public model as NAME@ACCOUNT. */
  custom_model_name?: string | undefined;
  /** Other accounts may use the model. */
  is_public?: boolean | undefined;
}

/** Answer of `importTunedModel`. */
export type ImportTunedModelAnswer = TunedModel;

/** Arguments of `listModelFacts`. */
export interface ListModelFactsArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listModelFacts`. */
export interface ListModelFactsAnswer {
  facts: {
    row: number;
    input: string;
    output: string;
    dataset_id: string | null;
    /** One that is not recalled is never said. */
    recalled: boolean;
    /** A date, or a time in UTC; a fact without it always was. */
    valid_from?: string | undefined;
    /** A date, whose day is the last, or a time in UTC; absent without end. */
    valid_until?: string | undefined;
    /** The origin of the fact, as whoever added it said. */
    source?: KnownSource | undefined;
  }[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listTunedModels`. */
export interface ListTunedModelsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listTunedModels`. */
export interface ListTunedModelsAnswer {
  models: TunedModel[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
  object: "list";
  /** The list that OpenAI's clients read, as at /inf/models; on a page that is asked for with `after`, empty. */
  data: OpenAIModel[];
}

/** Arguments of `moveTunedModel`. */
export interface MoveTunedModelArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
  /** The base to move to: the same model in another precision, under this name. Without it, the base of the model, which was brought again in another precision. */
  base_model?: string | null | undefined;
  /** Without it, the custom name of the model, which moves. */
  custom_model_name?: string | null | undefined;
}

/** Answer of `moveTunedModel`. */
export interface MoveTunedModelAnswer {
  job_id: number;
  status: "CREATED";
  base_model: string;
  facts: number;
}

/** Arguments of `showTunedModel`. */
export interface ShowTunedModelArgs {
  /** The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F. */
  model: string;
}

/** Answer of `showTunedModel`. */
export type ShowTunedModelAnswer = {
  model_name: string;
  /** The name that points to it now. Of another account's model: its qualified name. */
  custom_model_name: string | null;
  /** NAME@ACCOUNT: what other accounts ask for while the model is public. Null without a custom name. */
  qualified_name: string | null;
  base_model: string;
  job_id: number;
  dataset_id: string | null;
  is_public: boolean;
  facts: number;
  facts_recalled: number;
  experts: number;
  bytes: number;
  /** Sources of answers where a request does not say. */
  answer_from: "all" | "facts" | "recital";
  /** Behaviour where no fact about a known name answers and a request does not say. */
  unknown: "say" | "base";
  /** The sentence that says so; null for the usual one. */
  unknown_answer: string | null;
  /** The document index that answers what no fact answers. */
  index_id: number | null;
  created_at: string;
  /** Measurements from when the model was made. `recall`: all facts, and those recited word for word. `job`: shares of right answers, in which facts that were not learnt are wrong: `exact` (the questions as they were taught), `in conversation`, and `reworded by rule` (changed by fixed rules, not by people; for English it predicts, to about 0.1, the share that is right of questions that other people word much alike; of questions that keep hardly a word, fewer are right); and what was left to the base. */
  report: { [key: string]: unknown } | null;
  id: string;
  object: "model";
  created: number;
  owned_by: string;
} | OpenAIModel;

/** Arguments of `changeMemory`. */
export interface ChangeMemoryArgs {
  name: string;
  add?: {
    input: string;
    output: string;
    subject?: string | null | undefined;
    /** The first day or moment at which the fact is valid; before it the fact is never said. */
    valid_from?: string | null | undefined;
    /** The last day, or the moment at which it ends; from then on the fact is never said. */
    valid_until?: string | null | undefined;
    /** The origin of the fact, as whoever adds it says. */
    source?: {
      kind: "dataset";
      /** The id or the name of the dataset. */
      name: string;
      row?: number | null | undefined;
    } | {
      kind: "document";
      /** The file, or its address. */
      name: string;
      page?: number | null | undefined;
      /** The words that say so. */
      quote?: string | null | undefined;
    } | {
      kind: "person";
      name: string;
    } | {
      kind: "feedback";
      /** The answer that it is about. */
      name?: string | null | undefined;
      /** The words that say so. */
      quote?: string | null | undefined;
    } | null | undefined;
  }[] | null | undefined;
  /** Facts with these questions get other answers, times or sources. */
  change?: {
    input: string;
    output: string;
    /** The first day or moment at which the fact is valid; before it the fact is never said. `none`: always was. Left out, it stays. */
    valid_from?: string | "none" | null | undefined;
    /** The last day, or the moment at which it ends; from then on the fact is never said. `none`: without end. Left out, it stays. */
    valid_until?: string | "none" | null | undefined;
    /** The origin of the fact. Left out, that of the fact stays if its answer does. */
    source?: {
      kind: "dataset";
      /** The id or the name of the dataset. */
      name: string;
      row?: number | null | undefined;
    } | {
      kind: "document";
      /** The file, or its address. */
      name: string;
      page?: number | null | undefined;
      /** The words that say so. */
      quote?: string | null | undefined;
    } | {
      kind: "person";
      name: string;
    } | {
      kind: "feedback";
      /** The answer that it is about. */
      name?: string | null | undefined;
      /** The words that say so. */
      quote?: string | null | undefined;
    } | null | undefined;
  }[] | null | undefined;
  /** The questions of facts that go. */
  withdraw?: string[] | null | undefined;
  /** Kept with the change. */
  reason?: string | null | undefined;
  /** The published version that the caller has seen. Refused where it is another by now, or where a change is not over. */
  expected_version?: number | null | undefined;
}

/** Answer of `changeMemory`. */
export type ChangeMemoryAnswer = MemoryChange;

/** Arguments of `compareMemoryVersions`. */
export interface CompareMemoryVersionsArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  /** The one before `to` without it. */
  from?: number | undefined;
  /** The published one without it. */
  to?: number | undefined;
}

/** Answer of `compareMemoryVersions`. */
export interface CompareMemoryVersionsAnswer {
  added: number;
  changed: number;
  withdrawn: number;
  differences: {
    input: string;
    /** Null of a fact that was added. */
    before: string | null;
    /** Null of a fact that was withdrawn. */
    after: string | null;
    /** Its time there; null where there is no fact. */
    times_before: {
      valid_from: string | null;
      valid_until: string | null;
    } | null;
    /** Its time there; null where there is no fact. */
    times_after: {
      valid_from: string | null;
      valid_until: string | null;
    } | null;
  }[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `createMemory`. */
export interface CreateMemoryArgs {
  /** Usable as `model_name` by this account. It moves to the newest model that is tuned under it. Other accounts ask a public model as NAME@ACCOUNT. */
  name: string;
  /** A tuned model of the account; or */
  model_name?: string | null | undefined;
  /** a tuning job of the account. */
  job_id?: number | string | null | undefined;
  /** Kept with the change. */
  reason?: string | null | undefined;
}

/** Answer of `createMemory`. */
export type CreateMemoryAnswer = NamedMemory;

/** Arguments of `deleteMemory`. */
export interface DeleteMemoryArgs {
  name: string;
}

/** Answer of `deleteMemory`. */
export interface DeleteMemoryAnswer {
  deleted: string;
}

/** Arguments of `listMemories`. */
export interface ListMemoriesArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listMemories`. */
export interface ListMemoriesAnswer {
  memories: NamedMemory[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listMemoryChanges`. */
export interface ListMemoryChangesArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listMemoryChanges`. */
export interface ListMemoryChangesAnswer {
  changes: MemoryChange[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listMemoryFacts`. */
export interface ListMemoryFactsArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  /** Words that the question, the answer, the subject, or the name or quote of the source holds. */
  text?: string | undefined;
  /** The subject, whole. */
  subject?: string | undefined;
  /** Facts of this dataset. */
  dataset_id?: string | undefined;
  /** The published one without it. */
  version?: number | undefined;
  /** `current`: facts of the version. */
  state?: "current" | "withdrawn" | "all" | undefined;
  recalled?: "true" | "false" | undefined;
  /** Facts that are valid at this time. */
  valid_at?: string | undefined;
  /** Facts whose source is of this kind; `dataset` also finds facts of tuned datasets. */
  source_kind?: "dataset" | "document" | "person" | "feedback" | undefined;
  /** The name of the source, whole. */
  source_name?: string | undefined;
}

/** Answer of `listMemoryFacts`. */
export interface ListMemoryFactsAnswer {
  facts: MemoryFact[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listMemoryVersions`. */
export interface ListMemoryVersionsArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listMemoryVersions`. */
export interface ListMemoryVersionsAnswer {
  versions: MemoryVersion[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `moveMemory`. */
export interface MoveMemoryArgs {
  name: string;
  /** The base to move to: the same model in another precision, under this name. Without it, the base of the model, which was brought again in another precision. */
  base_model?: string | null | undefined;
  /** Kept with the change. */
  reason?: string | null | undefined;
  /** The published version that the caller has seen. Refused where it is another by now, or where a change is not over. */
  expected_version?: number | null | undefined;
}

/** Answer of `moveMemory`. */
export type MoveMemoryAnswer = MemoryChange;

/** Arguments of `publishMemoryVersion`. */
export interface PublishMemoryVersionArgs {
  name: string;
  version: number;
  /** Kept with the change. */
  reason?: string | null | undefined;
  /** The published version that the caller has seen. Refused where it is another by now, or where a change is not over. */
  expected_version?: number | null | undefined;
  /** Publish a version that the gate of the memory does not let through. Needs a reason. */
  force?: boolean | null | undefined;
}

/** Answer of `publishMemoryVersion`. */
export type PublishMemoryVersionAnswer = NamedMemory;

/** Arguments of `showMemory`. */
export interface ShowMemoryArgs {
  name: string;
}

/** Answer of `showMemory`. */
export type ShowMemoryAnswer = NamedMemory;

/** Arguments of `showMemoryChange`. */
export interface ShowMemoryChangeArgs {
  name: string;
  number: number | string;
}

/** Answer of `showMemoryChange`. */
export type ShowMemoryChangeAnswer = MemoryChange;

/** Arguments of `listAnswerDifferences`. */
export interface ListAnswerDifferencesArgs {
  name: string;
  id: number | string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  /** Only rows where this version is right: `before` are regressions. */
  right?: "before" | "after" | "neither" | undefined;
}

/** Answer of `listAnswerDifferences`. */
export interface ListAnswerDifferencesAnswer {
  differences: AnswerDifference[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `showComparison`. */
export interface ShowComparisonArgs {
  name: string;
  id: number | string;
}

/** Answer of `showComparison`. */
export type ShowComparisonAnswer = Comparison;

/** Arguments of `startComparison`. */
export interface StartComparisonArgs {
  name: string;
  /** The one before `to` without it. */
  from?: number | null | undefined;
  /** The published one without it. */
  to?: number | null | undefined;
  /** The evaluation set; that of the gate without it. */
  dataset_id?: string | null | undefined;
}

/** Answer of `startComparison`. */
export type StartComparisonAnswer = Comparison;

/** Arguments of `listRegressions`. */
export interface ListRegressionsArgs {
  name: string;
  version: number;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listRegressions`. */
export interface ListRegressionsAnswer {
  regressions: Regression[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `removeMemoryGate`. */
export interface RemoveMemoryGateArgs {
  name: string;
}

/** Answer of `removeMemoryGate`. */
export interface RemoveMemoryGateAnswer {
  removed: string;
}

/** Arguments of `setMemoryGate`. */
export interface SetMemoryGateArgs {
  name: string;
  /** The hash of the content. */
  dataset_id: string;
  /** Share of the rows that ask a fact of the version in its taught words, answered word for word. */
  exact?: number | null | undefined;
  /** The same of all other rows: facts asked in other words, other questions. */
  reworded?: number | null | undefined;
  /** Rows that the version before answers right and the new one does not. */
  max_regressions?: number | null | undefined;
}

/** Answer of `setMemoryGate`. */
export type SetMemoryGateAnswer = MemoryGate;

/** Arguments of `showGateResult`. */
export interface ShowGateResultArgs {
  name: string;
  version: number;
}

/** Answer of `showGateResult`. */
export type ShowGateResultAnswer = GateResult;

/** Arguments of `showMemoryGate`. */
export interface ShowMemoryGateArgs {
  name: string;
}

/** Answer of `showMemoryGate`. */
export type ShowMemoryGateAnswer = MemoryGate;

/** Arguments of `eraseFacts`. */
export interface EraseFactsArgs {
  name: string;
  /** The questions of the facts, in whichever version they are; or */
  inputs?: string[] | null | undefined;
  /** a name: every fact whose question, answer or subject holds it as a word of its own, upper or lower case. */
  about?: string | null | undefined;
  /** The digest of the listed set; `about` needs it. */
  digest?: string | null | undefined;
  /** Kept with the change. No text of the facts belongs here. */
  reason?: string | null | undefined;
}

/** Answer of `eraseFacts`. */
export type EraseFactsAnswer = Erasure;

/** Arguments of `listErasures`. */
export interface ListErasuresArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listErasures`. */
export interface ListErasuresAnswer {
  erasures: Erasure[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listReceipts`. */
export interface ListReceiptsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listReceipts`. */
export interface ListReceiptsAnswer {
  receipts: {
    number: number;
    memory: string;
    erasure: number;
    facts: number;
    gone: boolean;
    created_at: string;
  }[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `planErasure`. */
export interface PlanErasureArgs {
  name: string;
  /** The questions of the facts, in whichever version they are; or */
  inputs?: string[] | null | undefined;
  /** a name: every fact whose question, answer or subject holds it as a word of its own, upper or lower case. */
  about?: string | null | undefined;
}

/** Answer of `planErasure`. */
export interface PlanErasureAnswer {
  facts: {
    input: string;
    output: string;
    subject: string | null;
    since_version: number;
    /** The first version without it; null while the latest has it. */
    until_version: number | null;
  }[];
  versions: {
    version: number;
    /** Facts that it loses. */
    facts: number;
    /** `ended`: no fact of it would be left. */
    becomes: "rebuilt" | "ended";
  }[];
  /** Facts that stay, whose source holds such a fact or the name: its name or quote is overwritten. */
  sources: {
    input: string;
    since_version: number;
    until_version: number | null;
  }[];
  datasets: {
    dataset_id: string;
    name: string | null;
    rows: number;
  }[];
  /** Other models of the account that hold such a fact, and datasets with other rows that hold the name. They stay. */
  still_held: string[];
  /** The listed set: send it with the erasure, which is refused where the set is another by then. */
  digest: string;
}

/** Arguments of `retryErasure`. */
export interface RetryErasureArgs {
  name: string;
  number: number | string;
}

/** Answer of `retryErasure`. */
export type RetryErasureAnswer = Erasure;

/** Arguments of `showErasure`. */
export interface ShowErasureArgs {
  name: string;
  number: number | string;
}

/** Answer of `showErasure`. */
export type ShowErasureAnswer = Erasure;

/** Arguments of `showReceipt`. */
export interface ShowReceiptArgs {
  number: number | string;
}

/** Answer of `showReceipt`. */
export type ShowReceiptAnswer = Receipt;

/** Answer of `showReceiptKey`. */
export interface ShowReceiptKeyAnswer {
  /** PEM. */
  public_key: string;
  fingerprint: string;
}

/** Arguments of `verifyMemoryVersion`. */
export interface VerifyMemoryVersionArgs {
  name: string;
  version: number;
  experts?: number | undefined;
  seed?: number | null | undefined;
}

/** Answer of `verifyMemoryVersion`. */
export interface VerifyMemoryVersionAnswer {
  /** All that were compared are the same; false where none could be compared. */
  sound: boolean;
  /** The number of experts of the version. */
  experts: number;
  /** The same seed chooses the same experts. */
  seed: number;
  compared: {
    expert: string;
    facts: number;
    same: boolean;
    /** Checksum of its weights as they are stored. */
    sum: string | null;
  }[];
  /** A reason for which experts can differ that nobody changed: another engine version or machine; or the number of those that were taught on another precision, which is gone, and are not compared. */
  note: string | null;
}

/** Arguments of `verifyReceipt`. */
export interface VerifyReceiptArgs {
  number: number | string;
}

/** Answer of `verifyReceipt`. */
export interface VerifyReceiptAnswer {
  sound: boolean;
  signature: boolean;
  versions: {
    version: number;
    /** `gone`: the model was removed since. `erased_again`: a later receipt has rebuilt it. */
    state: "same" | "gone" | "erased_again" | "different";
  }[];
}

/** Arguments of `acceptProposals`. */
export interface AcceptProposalsArgs {
  name: string;
  /** Proposals to accept; with `input` or `output`, in these words. */
  proposals: {
    number: number;
    input?: string | null | undefined;
    output?: string | null | undefined;
    /** The question of another fact that it takes the place of, such as one that it contradicts in other words: that fact is withdrawn in the same change. */
    replaces?: string | null | undefined;
  }[];
  reason?: string | null | undefined;
}

/** Answer of `acceptProposals`. */
export type AcceptProposalsAnswer = MemoryChange;

/** Arguments of `assignProposals`. */
export interface AssignProposalsArgs {
  name: string;
  numbers: number[];
  assignee: string | null;
}

/** Answer of `assignProposals`. */
export interface AssignProposalsAnswer {
  proposals: number[];
}

/** Arguments of `createProposals`. */
export interface CreateProposalsArgs {
  name: string;
  proposals: {
    kind?: "document" | "feedback" | "conflict" | "stale" | "person" | undefined;
    input: string;
    /** Left out: the fact with this question is to be withdrawn. */
    output?: string | null | undefined;
    subject?: string | null | undefined;
    /** The question of another fact that this one is to take the place of. */
    withdraws?: string | null | undefined;
    /** The answer has to stand in it, in the same words. */
    quote?: string | null | undefined;
    source?: {
      document?: string | null | undefined;
      index_id?: number | string | null | undefined;
      file_id?: number | string | null | undefined;
      page?: number | null | undefined;
      conversation?: string | null | undefined;
    } | null | undefined;
    confidence?: number | null | undefined;
    assignee?: string | null | undefined;
  }[];
}

/** Answer of `createProposals`. */
export interface CreateProposalsAnswer {
  created: number;
  proposals: {
    /** `known`: the memory holds this fact. */
    outcome: "created" | "known" | "open" | "rejected";
    /** The number of the new proposal, or of the one that was there. */
    number: number | null;
  }[];
}

/** Arguments of `listProposals`. */
export interface ListProposalsArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  state?: "open" | "accepted" | "edited" | "rejected" | "withdrawn" | "all" | undefined;
  kind?: "document" | "feedback" | "conflict" | "stale" | "person" | undefined;
  /** Nobody where it is empty. */
  assignee?: string | undefined;
  /** Words that the question, the answer or the quote holds. */
  text?: string | undefined;
  index_id?: number | string | undefined;
  file_id?: number | string | undefined;
  /** Those that went into this change. */
  change?: number | string | undefined;
  min_confidence?: number | undefined;
}

/** Answer of `listProposals`. */
export interface ListProposalsAnswer {
  proposals: Proposal[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `rejectProposals`. */
export interface RejectProposalsArgs {
  name: string;
  numbers: number[];
  reason: string;
}

/** Answer of `rejectProposals`. */
export interface RejectProposalsAnswer {
  proposals: number[];
}

/** Arguments of `showProposal`. */
export interface ShowProposalArgs {
  name: string;
  number: number | string;
}

/** Answer of `showProposal`. */
export type ShowProposalAnswer = Proposal;

/** Arguments of `withdrawProposals`. */
export interface WithdrawProposalsArgs {
  name: string;
  numbers: number[];
  reason?: string | null | undefined;
}

/** Answer of `withdrawProposals`. */
export interface WithdrawProposalsAnswer {
  proposals: number[];
}

/** Arguments of `findConflicts`. */
export interface FindConflictsArgs {
  name: string;
  facts: {
    input: string;
    output: string;
    subject?: string | null | undefined;
  }[];
  propose?: boolean | undefined;
}

/** Answer of `findConflicts`. */
export interface FindConflictsAnswer {
  conflicts: {
    /** The place in the request, from 0. */
    at: number;
    /** Null where only another fact of the request contradicts it. */
    stands: {
      id: number;
      input: string;
      output: string;
      subject: string | null;
      /** The dataset and the row, or the change of this memory; and the origin that the change named. */
      source: {
        dataset_id: string | null;
        row: number | null;
        change: number | null;
        kind: "dataset" | "document" | "person" | "feedback" | null;
        name: string | null;
        page: number | null;
        quote: string | null;
      };
      /** A date, or a time in UTC; null of a fact that always was. */
      valid_from: string | null;
      /** A date, whose day is the last, or a time in UTC; null without end. */
      valid_until: string | null;
      /** Since when the document that it was accepted from is gone or says something else. */
      stale_since: string | null;
      /** One that is not recalled is never said. */
      recalled: boolean;
      since_version: number;
      /** The first version without it; null while the latest has it. */
      until_version: number | null;
      /** The time of the version that brought it. */
      since: string;
    } | null;
    /** Places of facts of the request that contradict it. */
    others: number[];
    proposal: number | null;
  }[];
  /** Facts that the memory has, in the same words. */
  known: number[];
  /** Facts that contradict nothing. */
  fresh: number[];
}

/** Arguments of `findRewordedConflicts`. */
export interface FindRewordedConflictsArgs {
  name: string;
  facts?: {
    input: string;
    output: string;
  }[] | null | undefined;
  /** Numbers, instead of facts. */
  proposals?: number[] | null | undefined;
}

/** Answer of `findRewordedConflicts`. */
export interface FindRewordedConflictsAnswer {
  /** The version that they were held against. */
  version: number;
  reworded: {
    /** The place in the request, from 0. */
    at: number;
    /** The fact of the memory; null where it is one of the request. */
    stands: {
      id: number;
      input: string;
      output: string;
      subject: string | null;
      /** The dataset and the row, or the change of this memory; and the origin that the change named. */
      source: {
        dataset_id: string | null;
        row: number | null;
        change: number | null;
        kind: "dataset" | "document" | "person" | "feedback" | null;
        name: string | null;
        page: number | null;
        quote: string | null;
      };
      /** A date, or a time in UTC; null of a fact that always was. */
      valid_from: string | null;
      /** A date, whose day is the last, or a time in UTC; null without end. */
      valid_until: string | null;
      /** Since when the document that it was accepted from is gone or says something else. */
      stale_since: string | null;
      /** One that is not recalled is never said. */
      recalled: boolean;
      since_version: number;
      /** The first version without it; null while the latest has it. */
      until_version: number | null;
      /** The time of the version that brought it. */
      since: string;
    } | null;
    /** The place of the other one of the request. */
    other: number | null;
    /** Likeness of the questions, as the search scores it; about 1 is the same. */
    likeness: number;
  }[];
}

/** Arguments of `createReading`. */
export interface CreateReadingArgs {
  name: string;
  index_id: number | string;
  /** Ids of files; all of the index without it. */
  files?: (number | string)[] | null | undefined;
  min_confidence?: number | undefined;
  assignee?: string | null | undefined;
  /** False: no model is asked. */
  ask_base?: boolean | undefined;
}

/** Answer of `createReading`. */
export type CreateReadingAnswer = Reading;

/** Arguments of `listReadings`. */
export interface ListReadingsArgs {
  name: string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listReadings`. */
export interface ListReadingsAnswer {
  readings: Reading[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `showReading`. */
export interface ShowReadingArgs {
  name: string;
  id: number | string;
}

/** Answer of `showReading`. */
export type ShowReadingAnswer = Reading;

/** Arguments of `changeFeedbackSettings`. */
export interface ChangeFeedbackSettingsArgs {
  /** Days for which question, answer and decision of each answer are kept; null: nothing is kept. */
  decision_days: number | null;
}

/** Answer of `changeFeedbackSettings`. */
export interface ChangeFeedbackSettingsAnswer {
  /** Days for which question, answer and decision of each answer are kept; null: nothing is kept. */
  decision_days: number | null;
}

/** Arguments of `giveFeedback`. */
export interface GiveFeedbackArgs {
  answer_id: string;
  rating: "up" | "down";
  /** The answer as it should have been, word for word. */
  expected?: string | null | undefined;
  comment?: string | null | undefined;
  /** The model that was asked, where no record is kept. */
  model?: string | null | undefined;
  /** The question, where no record is kept. */
  input?: string | null | undefined;
}

/** Answer of `giveFeedback`. */
export type GiveFeedbackAnswer = Feedback;

/** Arguments of `listFeedback`. */
export interface ListFeedbackArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  rating?: "up" | "down" | undefined;
}

/** Answer of `listFeedback`. */
export interface ListFeedbackAnswer {
  feedback: Feedback[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Answer of `showFeedbackSettings`. */
export interface ShowFeedbackSettingsAnswer {
  /** Days for which question, answer and decision of each answer are kept; null: nothing is kept. */
  decision_days: number | null;
}

/** Arguments of `createWebhook`. */
export interface CreateWebhookArgs {
  url: string;
}

/** Answer of `createWebhook`. */
export interface CreateWebhookAnswer {
  id: number;
  url: string;
  created_at: string;
  secret: string;
}

/** Arguments of `deleteWebhook`. */
export interface DeleteWebhookArgs {
  id: number | string;
}

/** Answer of `deleteWebhook`. */
export interface DeleteWebhookAnswer {
  deleted: number;
}

/** Arguments of `listDeliveries`. */
export interface ListDeliveriesArgs {
  id: number | string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listDeliveries`. */
export interface ListDeliveriesAnswer {
  deliveries: {
    id: number;
    job_id: number;
    status: "waiting" | "delivered" | "given up";
    attempts: number;
    /** The status that came back, or `no answer`. */
    last_answer: string | null;
    next_attempt_at: string | null;
    created_at: string;
  }[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Answer of `listWebhooks`. */
export interface ListWebhooksAnswer {
  webhooks: Webhook[];
}

/** Arguments of `completeInArrays`. */
export interface CompleteInArraysArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** Maximum number of tokens generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
}

/** Answer of `completeInArrays`. */
export interface CompleteInArraysAnswer {
  outputs: (string | { [key: string]: unknown })[];
  finish_reason: ("stop" | "length" | "timeout" | "error")[];
  /** Present with `explain`. */
  memory?: (Memory | null)[] | undefined;
}

/** Arguments of `completeInSession`. */
export interface CompleteInSessionArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** Maximum number of tokens generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
}

/** Answer of `completeInSession`. */
export type CompleteInSessionAnswer = {
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown } | ({
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown })[];

/** Arguments of `deleteRun`. */
export interface DeleteRunArgs {
  /** As the call that started it answered. */
  id: string;
}

/** Answer of `deleteRun`. */
export interface DeleteRunAnswer {
  /** As the call that started it answered. */
  deleted: string;
}

/** Arguments of `embed`. */
export interface EmbedArgs {
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  /** sentence-transformers/all-MiniLM-L6-v2 without it. */
  model_name?: string | null | undefined;
}

/** Answer of `embed`. */
export interface EmbedAnswer {
  embedding: number[] | number[][];
}

/** Arguments of `embedForPipelines`. */
export interface EmbedForPipelinesArgs {
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  /** sentence-transformers/all-MiniLM-L6-v2 without it. */
  model_name?: string | null | undefined;
}

/** Answer of `embedForPipelines`. */
export interface EmbedForPipelinesAnswer {
  embedding: number[] | number[][];
}

/** Arguments of `listRuns`. */
export interface ListRunsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listRuns`. */
export interface ListRunsAnswer {
  runs: Run[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `showBatch`. */
export interface ShowBatchArgs {
  /** As the call that started it answered. */
  id: string;
}

/** Answer of `showBatch`. */
export type ShowBatchAnswer = {
  outputs: (string | { [key: string]: unknown } | null)[];
  finish_reason: ("stop" | "length" | "timeout" | "error" | null)[];
  /** Present with `explain`, once an answer is complete: how a tuned model answered each; null for other models, and where there is no complete answer yet. */
  memory?: (Memory | null)[] | undefined;
  /** Reason for each prompt that had to be given up. Left out when there is none. */
  errors?: (string | null)[] | undefined;
} | Record<string, never>;

/** Arguments of `showEmbeddings`. */
export interface ShowEmbeddingsArgs {
  /** As the call that started it answered. */
  id: string;
}

/** Answer of `showEmbeddings`. */
export type ShowEmbeddingsAnswer = {
  embedding: number[][];
} | Record<string, never>;

/** Arguments of `showRun`. */
export interface ShowRunArgs {
  /** As the call that started it answered. */
  id: string;
}

/** Answer of `showRun`. */
export type ShowRunAnswer = Run;

/** Arguments of `showStream`. */
export interface ShowStreamArgs {
  /** As the call that started it answered. */
  id: string;
}

/** Answer of `showStream`. */
export type ShowStreamAnswer = {
  outputs: (string | { [key: string]: unknown } | null)[];
  finish_reason: ("stop" | "length" | "timeout" | "error" | null)[];
  /** Present with `explain`, once an answer is complete: how a tuned model answered each; null for other models, and where there is no complete answer yet. */
  memory?: (Memory | null)[] | undefined;
  /** Reason for each prompt that had to be given up. Left out when there is none. */
  errors?: (string | null)[] | undefined;
} | Record<string, never>;

/** Arguments of `startBatch`. */
export interface StartBatchArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** Maximum number of tokens generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
}

/** Answer of `startBatch`. */
export interface StartBatchAnswer {
  /** As the call that started it answered. */
  id: string;
}

/** Arguments of `startEmbeddings`. */
export interface StartEmbeddingsArgs {
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  /** sentence-transformers/all-MiniLM-L6-v2 without it. */
  model_name?: string | null | undefined;
}

/** Answer of `startEmbeddings`. */
export interface StartEmbeddingsAnswer {
  /** As the call that started it answered. */
  id: string;
}

/** Arguments of `startStream`. */
export interface StartStreamArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** Maximum number of tokens generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
}

/** Answer of `startStream`. */
export interface StartStreamAnswer {
  /** As the call that started it answered. */
  id: string;
}

/** Arguments of `openaiChat`. */
export interface OpenaiChatArgs {
  model: string;
  messages: {
    role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
    content?: string | {
      type: string;
      text?: string | null | undefined;
      refusal?: string | null | undefined;
    }[] | null | undefined;
  }[];
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  response_format?: {
    type: "text";
  } | {
    type: "json_object";
  } | {
    type: "json_schema";
    json_schema: {
      name?: string | null | undefined;
      schema: { [key: string]: unknown } | boolean;
      strict?: boolean | null | undefined;
    };
  } | null | undefined;
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
  /** 0 without it: the likeliest token each time. */
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  /** 0 and -1: all. */
  top_k?: number | null | undefined;
  seed?: number | null | undefined;
  n?: number | null | undefined;
  /** Texts that end the answer; they are no part of it. They do not apply to answers of a given shape, which they would cut, and to quotations of a document index. */
  stop?: string | string[] | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  stream?: boolean | null | undefined;
  stream_options?: {
    include_usage?: boolean | null | undefined;
  } | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
  /** Not supported, and refused: no token can be favoured or forbidden. Leave it out. */
  logit_bias?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_json?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_regex?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_choice?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_grammar?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  structured_outputs?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  grammar?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  frequency_penalty?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  presence_penalty?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  min_p?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  best_of?: unknown | undefined;
  /** Taken where `tool_choice` is "none"; else not supported, and refused: models here call no tools or functions. Send "none" as tool_choice or leave it out; for an answer in a given shape, send response_format with a json_schema. */
  tools?: unknown | undefined;
  /** Taken where `function_call` is "none"; else as `tools`. */
  functions?: unknown | undefined;
  /** Not supported, and refused: models here call no tools or functions. Send "none" as tool_choice or leave it out; for an answer in a given shape, send response_format with a json_schema. */
  tool_choice?: unknown | undefined;
  /** Not supported, and refused: models here call no tools or functions. Send "none" as tool_choice or leave it out; for an answer in a given shape, send response_format with a json_schema. */
  function_call?: unknown | undefined;
  /** Not supported, and refused: answers are text. Leave it out. */
  audio?: unknown | undefined;
  /** Not supported, and refused: answers are text. Leave it out, or send ["text"]. */
  modalities?: unknown | undefined;
  /** Not supported, and refused: nothing is looked up on the web. Leave it out. */
  web_search_options?: unknown | undefined;
  /** Passages of a document index to answer from; 3 by default. */
  rag_query_size?: number | null | undefined;
  /** Only passages of these files. */
  filter?: {
    file_ids?: (number | string)[] | null | undefined;
    /** Names of files; * stands for anything. */
    files?: string[] | null | undefined;
    /** Files whose metadata has these values. */
    metadata?: { [key: string]: string | number | boolean } | null | undefined;
  } | null | undefined;
  /** Whether a document index ranks its passages again. */
  rerank?: boolean | null | undefined;
  /** Source of the answer: a quotation of the documents, or the model. Without it the stored measurement of the base decides: one that cannot read prose quotes. An answer of a given shape is always generated: from the words that would be quoted. */
  answer?: "quote" | "generate" | null | undefined;
}

/** Answer of `openaiChat`. */
export type OpenaiChatAnswer = ChatCompletion;

/** An event of `openaiChat` as a stream. */
export type OpenaiChatEvent = ChatCompletionChunk;

/** Arguments of `openaiComplete`. */
export interface OpenaiCompleteArgs {
  model: string;
  prompt: string | string[];
  max_tokens?: number | null | undefined;
  echo?: boolean | null | undefined;
  logprobs?: number | null | undefined;
  /** 0 without it: the likeliest token each time. */
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  /** 0 and -1: all. */
  top_k?: number | null | undefined;
  seed?: number | null | undefined;
  n?: number | null | undefined;
  /** Texts that end the answer; they are no part of it. They do not apply to answers of a given shape, which they would cut, and to quotations of a document index. */
  stop?: string | string[] | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  stream?: boolean | null | undefined;
  stream_options?: {
    include_usage?: boolean | null | undefined;
  } | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
  /** Not supported, and refused: no token can be favoured or forbidden. Leave it out. */
  logit_bias?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_json?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_regex?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_choice?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  guided_grammar?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  structured_outputs?: unknown | undefined;
  /** Not supported, and refused: send the shape of the answer as response_format. */
  grammar?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  frequency_penalty?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  presence_penalty?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  min_p?: unknown | undefined;
  /** Ignored; `X-Warning` says so. */
  best_of?: unknown | undefined;
  /** Not supported, and refused: models here go on from a text and fill no gap. Leave it out. */
  suffix?: unknown | undefined;
}

/** Answer of `openaiComplete`. */
export type OpenaiCompleteAnswer = TextCompletion;

/** An event of `openaiComplete` as a stream. */
export type OpenaiCompleteEvent = TextCompletion;

/** Arguments of `openaiEmbed`. */
export interface OpenaiEmbedArgs {
  model: string;
  input: string | string[];
  encoding_format?: "float" | "base64" | null | undefined;
  /** Only the model's own number is taken. */
  dimensions?: number | null | undefined;
}

/** Answer of `openaiEmbed`. */
export interface OpenaiEmbedAnswer {
  object: "list";
  model: string;
  data: {
    object: "embedding";
    index: number;
    embedding: number[] | string;
  }[];
  usage: {
    prompt_tokens: number;
    total_tokens: number;
  };
}

/** Answer of `openaiListModels`. */
export interface OpenaiListModelsAnswer {
  object: "list";
  data: OpenAIModel[];
}

/** Arguments of `openaiShowModel`. */
export interface OpenaiShowModelArgs {
  model: string;
}

/** Answer of `openaiShowModel`. */
export type OpenaiShowModelAnswer = OpenAIModel;

/** Arguments of `openaiShowModelByParts`. */
export interface OpenaiShowModelByPartsArgs {
  organisation: string;
  model: string;
}

/** Answer of `openaiShowModelByParts`. */
export type OpenaiShowModelByPartsAnswer = OpenAIModel;

/** Arguments of `complete`. */
export interface CompleteArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** Maximum number of tokens generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Above 1: tokens that were there already, in the prompt or in the answer, become less likely. */
  repetition_penalty?: number | null | undefined;
  /** No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles. */
  no_repeat_ngram_size?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base. */
  answer_from?: "all" | "facts" | "recital" | null | undefined;
  /** The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used. */
  as_of?: string | null | undefined;
  /** Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set. */
  unknown?: "say" | "base" | null | undefined;
  /** The sentence that says so; without it as the model is set, which usually is "The documents do not say." */
  unknown_answer?: string | null | undefined;
  /** Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none. */
  index?: number | string | null | undefined;
}

/** Answer of `complete`. */
export type CompleteAnswer = {
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown } | ({
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown })[];

/** Arguments of `cancelEvaluation`. */
export interface CancelEvaluationArgs {
  id: number | string;
}

/** Answer of `cancelEvaluation`. */
export type CancelEvaluationAnswer = Evaluation;

/** Arguments of `deleteEvaluation`. */
export interface DeleteEvaluationArgs {
  id: number | string;
}

/** Answer of `deleteEvaluation`. */
export interface DeleteEvaluationAnswer {
  /** As the call that started it answered. */
  deleted: number;
}

/** Arguments of `downloadEvaluation`. */
export interface DownloadEvaluationArgs {
  id: number | string;
  /** `safe` for spreadsheets: no cell begins like a formula. `plain` is usual. */
  cells?: "plain" | "safe" | undefined;
}

/** Arguments of `evaluateJob`. */
export interface EvaluateJobArgs {
  id: number | string;
}

/** Answer of `evaluateJob`. */
export interface EvaluateJobAnswer {
  job_id: number;
  /** As the call that started it answered. */
  evaluation_id: number;
  status: "running" | "completed" | "failed" | "cancelled";
  base_model: string;
  model_name: string;
  rows: number;
  targets: {
    name: string;
    model_name: string | null;
    prompt: string | null;
    job_id: number | null;
    /** Rows that are done, those that could not be asked among them. */
    answered: number;
    /** Rows that could not be asked. They count as wrong. */
    failed: number;
    /** The share of the rows done whose answer is the right one word for word; null before any is. */
    exact: number | null;
    /** The same, forgiving case, white space, articles and punctuation around words. */
    normalised: number | null;
    /** Rows of a tuned model by outcome: how many were answered so, and how many of them right. Null for others. */
    outcomes: { [key: string]: {
      answered: number;
      exact: number;
      normalised: number;
    } } | null;
    /** Time from the question to the end of its answer, with others asked at the same time. */
    latency_ms: {
      mean: number;
      longest: number;
    } | null;
    prompt_tokens: number;
    completion_tokens: number;
  }[];
  eval_results: {
    input: string;
    expected: string;
    /** Answers of the model, then of the base. */
    outputs: {
      model_name: string;
      output: string;
    }[];
  }[];
}

/** Arguments of `listEvaluations`. */
export interface ListEvaluationsArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listEvaluations`. */
export interface ListEvaluationsAnswer {
  evaluations: Evaluation[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `showEvaluation`. */
export interface ShowEvaluationArgs {
  id: number | string;
}

/** Answer of `showEvaluation`. */
export type ShowEvaluationAnswer = Evaluation;

/** Arguments of `showEvaluationResults`. */
export interface ShowEvaluationResultsArgs {
  id: number | string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
  /** Only rows that a target answered so. */
  outcome?: "recite" | "ground" | "documents" | "unknown" | "base" | undefined;
}

/** Answer of `showEvaluationResults`. */
export interface ShowEvaluationResultsAnswer {
  targets: string[];
  rows: EvaluationRow[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `startEvaluation`. */
export interface StartEvaluationArgs {
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** The rows themselves, instead of a dataset. */
  data?: {
    /** The question. */
    input: string | number | boolean;
    /** The right answer. */
    output: string | number | boolean;
    [field: string]: unknown;
  }[] | null | undefined;
  targets: ({
    /** A base or a tuned model. */
    model_name: string;
    /** Put before each question, with an empty line between. */
    prompt?: string | null | undefined;
    /** Name of the target in the results; derived from the target without it. */
    name?: string | null | undefined;
  } | {
    /** A document index. */
    job_id: number | string;
    /** Name of the target in the results; derived from the target without it. */
    name?: string | null | undefined;
  })[];
  name?: string | null | undefined;
  /** Ask only the first so many rows. */
  max_rows?: number | null | undefined;
  /** Maximum number of tokens generated for each question; without it as many as the right answer has bytes, and 32. */
  max_tokens?: number | null | undefined;
  /** `chat`: in the model's chat template, where it has one. `raw`: as it is. */
  form?: "chat" | "raw" | null | undefined;
}

/** Answer of `startEvaluation`. */
export type StartEvaluationAnswer = Evaluation;

/** Arguments of `addText`. */
export interface AddTextArgs {
  prompt: string;
  job_id: number | string;
}

/** Answer of `addText`. */
export interface AddTextAnswer {
  job_id: number;
  status: "success";
}

/** Arguments of `askIndex`. */
export interface AskIndexArgs {
  prompt: string;
  job_id: number | string;
  /** Passages to answer from; 3 without it. */
  rag_query_size?: number | null | undefined;
  /** The model of the index without it. */
  model_name?: string | null | undefined;
  output_type?: OutputType | null | undefined;
  max_tokens?: number | null | undefined;
  max_new_tokens?: number | null | undefined;
  /** Only passages of these files. */
  filter?: {
    file_ids?: (number | string)[] | null | undefined;
    /** Names of files; * stands for anything. */
    files?: string[] | null | undefined;
    /** Files whose metadata has these values. */
    metadata?: { [key: string]: string | number | boolean } | null | undefined;
  } | null | undefined;
  rerank?: boolean | null | undefined;
  /** Source of the answer: a quotation of the documents, or the model. Without it the stored measurement of the base decides: one that cannot read prose quotes. An answer of a given shape is always generated: from the words that would be quoted. */
  answer?: "quote" | "generate" | null | undefined;
  stream?: boolean | null | undefined;
}

/** Answer of `askIndex`. */
export interface AskIndexAnswer {
  outputs: (string | { [key: string]: unknown })[];
  finish_reason: ("stop" | "length")[];
  citations: Citation[];
  retrieval: {
    /** The query of the search: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Reason for fewer passages than asked for, or for parts of them. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  };
  /** `generated` by the model; a `quote`: words of the documents; `none`: nothing in the documents answers the question. */
  answer_kind: "generated" | "quote" | "none";
}

/** An event of `askIndex` as a stream. */
export type AskIndexEvent = {
  citations: Citation[];
  retrieval: {
    /** The query of the search: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Reason for fewer passages than asked for, or for parts of them. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  };
  /** `generated` by the model; a `quote`: words of the documents; `none`: nothing in the documents answers the question. */
  answer_kind: "generated" | "quote" | "none";
} | {
  delta: string;
} | {
  output: unknown;
  finish_reason: string;
};

/** Arguments of `buildIndex`. */
export interface BuildIndexArgs {
  /** The model that answers. */
  model_name: string;
  /** One part "files" for each, up to 5,000. Its file name may be a path, which tells files of different folders apart. */
  files: Upload | Upload[];
  name?: string | undefined;
  /** JSON of an object: the metadata of all these files. Without it a file that replaces another one keeps that of the other. */
  metadata?: string | undefined;
}

/** Answer of `buildIndex`. */
export interface BuildIndexAnswer {
  job_id: number;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED";
}

/** Arguments of `indexLog`. */
export interface IndexLogArgs {
  id: number | string;
}

/** Answer of `indexLog`. */
export type IndexLogAnswer = string[];

/** Arguments of `indexStatus`. */
export interface IndexStatusArgs {
  job_id: number | string;
}

/** Answer of `indexStatus`. */
export type IndexStatusAnswer = Index;

/** Arguments of `indexStatusByQuery`. */
export interface IndexStatusByQueryArgs {
  job_id: number | string;
}

/** Answer of `indexStatusByQuery`. */
export type IndexStatusByQueryAnswer = Index;

/** Arguments of `suggestQuestions`. */
export interface SuggestQuestionsArgs {
  job_id: number | string;
}

/** Answer of `suggestQuestions`. */
export type SuggestQuestionsAnswer = { [key: string]: string }[];

/** Arguments of `addFiles`. */
export interface AddFilesArgs {
  id: number | string;
  /** One part "files" for each, up to 5,000. Its file name may be a path, which tells files of different folders apart. */
  files: Upload | Upload[];
  /** JSON of an object: the metadata of all these files. Without it a file that replaces another one keeps that of the other. */
  metadata?: string | undefined;
}

/** Answer of `addFiles`. */
export interface AddFilesAnswer {
  files: IndexFile[];
  /** Names of files that the index has with the same content. */
  unchanged: string[];
  /** Names of files that replace earlier ones, which stay until the new ones are read. */
  replaces: string[];
}

/** Arguments of `cancelIndex`. */
export interface CancelIndexArgs {
  id: number | string;
}

/** Answer of `cancelIndex`. */
export type CancelIndexAnswer = Index;

/** Arguments of `changeIndexFile`. */
export interface ChangeIndexFileArgs {
  id: number | string;
  file: number | string;
  /** Your own fields of a file, to show and to filter by. */
  metadata: { [key: string]: string | number | boolean };
}

/** Answer of `changeIndexFile`. */
export type ChangeIndexFileAnswer = IndexFile;

/** Arguments of `createIndex`. */
export interface CreateIndexArgs {
  model_name: string;
  name?: string | null | undefined;
}

/** Answer of `createIndex`. */
export type CreateIndexAnswer = Index;

/** Arguments of `deleteIndexFile`. */
export interface DeleteIndexFileArgs {
  id: number | string;
  file: number | string;
}

/** Answer of `deleteIndexFile`. */
export interface DeleteIndexFileAnswer {
  deleted: number;
}

/** Arguments of `deleteIndex`. */
export interface DeleteIndexArgs {
  id: number | string;
}

/** Answer of `deleteIndex`. */
export interface DeleteIndexAnswer {
  deleted: number;
}

/** Arguments of `downloadIndexFile`. */
export interface DownloadIndexFileArgs {
  id: number | string;
  file: number | string;
}

/** Arguments of `followIndex`. */
export interface FollowIndexArgs {
  id: number | string;
  after?: number | string | undefined;
}

/** Arguments of `listFiles`. */
export interface ListFilesArgs {
  id: number | string;
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listFiles`. */
export interface ListFilesAnswer {
  files: IndexFile[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listIndexes`. */
export interface ListIndexesArgs {
  /** Maximum number of entries. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** Answer of `listIndexes`. */
export interface ListIndexesAnswer {
  indexes: Index[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `listIndexPassages`. */
export interface ListIndexPassagesArgs {
  id: number | string;
  file: number | string;
  /** The number of the first. */
  from?: number | undefined;
  /** Maximum number of entries. */
  limit?: number | undefined;
}

/** Answer of `listIndexPassages`. */
export interface ListIndexPassagesAnswer {
  passages: {
    /** The file inside the file: of an archive, of a mail. */
    part?: string | undefined;
    page: number | null;
    last_page: number | null;
    line: number | null;
    title: string | null;
    headings: string[];
    /** The innermost of the headings. */
    heading: string | null;
    /** Its number in the file, from 0. */
    passage: number;
    /** Offset in the text of its file, or of the file inside it, in UTF-16 units: the place of a passage without page and line. */
    start: number;
    end: number;
    text: string;
    /** Places on its pages, in points from the top left. */
    boxes?: {
      page: number;
      x: number;
      y: number;
      width: number;
      height: number;
    }[] | undefined;
    /** The words of it that the answer quotes, and where they stand in the text of its file, as `start` and `end` of the passage. */
    quoted?: {
      text: string;
      start: number;
      end: number;
    } | undefined;
  }[];
  /** Send it as `from` for the next page; null at the end. */
  next: number | null;
}

/** Arguments of `renameIndex`. */
export interface RenameIndexArgs {
  id: number | string;
  name: string | null;
}

/** Answer of `renameIndex`. */
export type RenameIndexAnswer = Index;

/** Arguments of `searchIndex`. */
export interface SearchIndexArgs {
  id: number | string;
  query: string;
  /** 10 without it. */
  limit?: number | null | undefined;
  /** Method of the search: both ways together without it. By words alone the engine is not asked. */
  mode?: "hybrid" | "vectors" | "text" | null | undefined;
  /** Only passages of these files. */
  filter?: {
    file_ids?: (number | string)[] | null | undefined;
    /** Names of files; * stands for anything. */
    files?: string[] | null | undefined;
    /** Files whose metadata has these values. */
    metadata?: { [key: string]: string | number | boolean } | null | undefined;
  } | null | undefined;
  /** Order all that was found by what it says, not only the first twenty: rare words of the question, and words that stand together in it. */
  rerank?: boolean | null | undefined;
}

/** Answer of `searchIndex`. */
export interface SearchIndexAnswer {
  passages: Citation[];
  retrieval: {
    /** The query of the search: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Reason for fewer passages than asked for, or for parts of them. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  };
}

/** Arguments of `showIndexFile`. */
export interface ShowIndexFileArgs {
  id: number | string;
  file: number | string;
}

/** Answer of `showIndexFile`. */
export type ShowIndexFileAnswer = IndexFile;

/** Arguments of `showIndex`. */
export interface ShowIndexArgs {
  id: number | string;
}

/** Answer of `showIndex`. */
export type ShowIndexAnswer = Index;
