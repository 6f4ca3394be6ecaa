// Made from contract/ by `./lorekeep check --write`; not edited by hand.
/** Similarity thresholds above which the memory answers, and the share of questions that each gate lets through. */
export const gates = {
  strict: {"unknown_asks":0.1,"near_misses":0.02,"means":"rather silent than wrong"},
  balanced: {"unknown_asks":0.35,"near_misses":0.05},
  generous: {"unknown_asks":0.6,"near_misses":0.1,"means":"also when a question is worded quite differently"},
} as const;

export type Gate = keyof typeof gates;

/** The gate of a model that was tuned without one. */
export const defaultGate = "balanced" as const;

/** Facts that one change of a memory may hold. */
export const maxOperations = 10000 as const;

/** Sources of answers that a tuned model may use. */
export const answersFrom = {
  all: "its facts, as they are or put together, else its base",
  facts: "only its facts; else it says that it does not know",
  recital: "its facts word for word, else its base",
} as const;

export type AnswerFrom = keyof typeof answersFrom;

/** Behaviour where no fact about a known name answers: the model says so, or its base answers. */
export const unknowns = {
  say: "the model says so",
  base: "the base answers",
} as const;

export type Unknown = keyof typeof unknowns;

/** Outcome of an answer of a tuned model. */
export const outcomes = {
  recite: "a fact, word for word",
  ground: "put together or written from the facts named",
  documents: "from passages of the index that stands beside the facts",
  unknown: "nothing taught answers it, and the model says so",
  base: "the base alone",
} as const;

export type Outcome = keyof typeof outcomes;

/** The states of tuning jobs and of document indexes, in the order in which a job passes through them. */
export const jobStates = {
  CREATED: {"phase":"waiting"},
  QUEUED: {"phase":"waiting"},
  "LOADING DATA": {"phase":"running"},
  "TRAINING MODEL": {"phase":"running"},
  "EVALUATING MODEL": {"phase":"running"},
  "SAVING MODEL": {"phase":"running"},
  COMPLETED: {"phase":"over","hasResult":true},
  "PARTIALLY COMPLETED": {"phase":"over","hasResult":true},
  FAILED: {"phase":"over"},
  CANCELLED: {"phase":"over"},
  "TIMED OUT": {"phase":"passed"},
} as const;

export type JobStatus = keyof typeof jobStates;

/** Every argument of a tuning job: what it takes, what counts without it, what it does. */
export const finetuneArgs = {
  learning_rate: {"takes":{"kind":"number","from":1e-8,"to":1},"allowed":"a number from 1e-8 to 1","without":"3e-4","does":"Size of a step. Read for a model of width 4096, and scaled for others."},
  max_steps: {"takes":{"kind":"whole","from":1,"to":10000000},"allowed":"a whole number from 1 to 10000000","without":"400","does":"Steps of an expert at most: each stops as soon as it knows its facts."},
  r_value: {"takes":{"kind":"whole","from":1,"to":512},"allowed":"a whole number from 1 to 512","without":"8, up to 64 for an expert of many facts","does":"The rank of an expert: how much it can hold."},
  lora_alpha: {"takes":{"kind":"number","from":0.001,"to":1000000},"allowed":"a number from 0.001 to 1000000","without":"as r_value","does":"Scales what an expert starts with."},
  num_train_epochs: {"takes":{"kind":"number","from":0.000001,"to":10000000},"allowed":"a number from 0.000001 to 10000000","without":"none","does":"Lowers max_steps: a step sees all facts of its expert."},
  max_length: {"takes":{"kind":"whole","from":16,"to":8192,"powerOfTwo":true},"allowed":"a power of two from 16 to 8192","without":"2048","does":"Tokens of a question in its template with its answer, at most. Longer rows are refused."},
  max_finetuning_examples: {"takes":{"kind":"whole","from":1,"to":1000000000},"allowed":"a whole number from 1 to 1000000000","without":"all","does":"Only the first so many facts are taught."},
  index_max_size: {"takes":{"kind":"whole","from":1,"to":1000000000},"allowed":"a whole number from 1 to 1000000000","without":"65536","does":"Experts at most; 1 is one for all facts."},
  index_k: {"takes":{"kind":"whole","from":1,"to":1000},"allowed":"a whole number from 1 to 1000","without":"2","does":"Nothing: one expert answers."},
  index_method: {"takes":{"kind":"choice","of":["IndexIVFPQ","IndexHNSWPQ","IndexHNSWFlat","IndexFlatL2","IndexPQ"]},"allowed":"one of IndexIVFPQ, IndexHNSWPQ, IndexHNSWFlat, IndexFlatL2, IndexPQ","without":"IndexIVFPQ","does":"The index of the router above 10,000 facts without names; what it finds is ranked again."},
  index_ivf_nlist: {"takes":{"kind":"whole","from":1,"to":10000000},"allowed":"a whole number from 1 to 10000000","without":"2048","does":"Cells of an IVF index."},
  index_ivf_nprobe: {"takes":{"kind":"whole","from":1,"to":10000000},"allowed":"a whole number from 1 to 10000000","without":"48","does":"Cells of an IVF index that are searched."},
  index_pq_m: {"takes":{"kind":"whole","from":1,"to":384},"allowed":"a whole number from 1 to 384","without":"8","does":"Parts of a vector in a PQ index."},
  index_pq_nbits: {"takes":{"kind":"whole","from":1,"to":16},"allowed":"a whole number from 1 to 16","without":"8","does":"Bits of a part in a PQ index."},
  index_hnsw_m: {"takes":{"kind":"whole","from":2,"to":512},"allowed":"a whole number from 2 to 512","without":"32","does":"Links of a point in an HNSW index."},
  index_hnsw_efConstruction: {"takes":{"kind":"whole","from":1,"to":100000},"allowed":"a whole number from 1 to 100000","without":"16","does":"Candidates while an HNSW index is built."},
  index_hnsw_efSearch: {"takes":{"kind":"whole","from":1,"to":100000},"allowed":"a whole number from 1 to 100000","without":"8","does":"Candidates while an HNSW index is searched."},
  facts_per_expert: {"takes":{"kind":"whole","from":1,"to":1024},"allowed":"a whole number from 1 to 1024","without":"4","does":"Facts of one subject in an expert."},
  gradient_accumulation_steps: {"takes":{"kind":"whole","from":1,"to":1000000},"allowed":"a whole number from 1 to 1000000","without":"1","does":"Nothing: a step sees all facts of its expert."},
  batch_size: {"takes":{"kind":"whole","from":1,"to":1000000},"allowed":"a whole number from 1 to 1000000","without":"all","does":"Nothing: a step sees all facts of its expert."},
  save_steps: {"takes":{"kind":"whole","from":1,"to":1000000000},"allowed":"a whole number from 1 to 1000000000","without":"60","does":"Nothing: every finished wave of experts is a checkpoint."},
  optim: {"takes":{"kind":"choice","of":["adam","adamw","adamw_hf","adamw_torch","adamw_torch_fused","adamw_torch_xla","adamw_torch_npu_fused","adamw_apex_fused","adamw_anyprecision","adamw_torch_4bit","adamw_torch_8bit","adamw_bnb_8bit","adamw_8bit","paged_adamw","paged_adamw_8bit","paged_adamw_32bit","ademamix","ademamix_8bit","adafactor","adagrad","lion","lion_8bit","lion_32bit","paged_lion","paged_lion_8bit","paged_lion_32bit","rmsprop","sgd"]},"allowed":"one of adam, adamw, adamw_hf, adamw_torch, adamw_torch_fused, adamw_torch_xla, adamw_torch_npu_fused, adamw_apex_fused, adamw_anyprecision, adamw_torch_4bit, adamw_torch_8bit, adamw_bnb_8bit, adamw_8bit, paged_adamw, paged_adamw_8bit, paged_adamw_32bit, ademamix, ademamix_8bit, adafactor, adagrad, lion, lion_8bit, lion_32bit, paged_lion, paged_lion_8bit, paged_lion_32bit, rmsprop, sgd","without":"adam","does":"Nothing: experts are trained with Adam."},
  early_stopping: {"takes":{"kind":"flag"},"allowed":"true or false","without":"true","does":"Nothing: every expert stops when its facts are recalled."},
} as const;

/** The sweep where a request does not say what to compare. */
export const defaultSweep = {
  argument: "learning_rate",
  values: [0.0001,0.0003,0.0009],
  facts: 100,
} as const;
