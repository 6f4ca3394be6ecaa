// Real base models that are known to load, for people who have tried the tiny one that ships: their sizes, their licences, what they need.
import { z } from 'zod';
import { type Precision, precisions } from './models.ts';
import { route } from './route.ts';

interface KnownModel {
  model_name: string;
  parameters: number;
  licence: string;
  /** The hub asks for an account that has accepted the licence, and a token of it. */
  gated: boolean;
  good_for: string;
}

export const knownModels: readonly KnownModel[] = [
  {
    model_name: 'Qwen/Qwen3-0.6B',
    parameters: 0.6e9,
    licence: 'Apache-2.0',
    gated: false,
    good_for: 'a laptop; a first real model',
  },
  {
    model_name: 'meta-llama/Llama-3.2-1B-Instruct',
    parameters: 1.24e9,
    licence: 'Llama 3.2 Community License',
    gated: true,
    good_for: 'a laptop with 16 GB',
  },
  {
    model_name: 'HuggingFaceTB/SmolLM2-1.7B-Instruct',
    parameters: 1.71e9,
    licence: 'Apache-2.0',
    gated: false,
    good_for: 'English on a workstation',
  },
  {
    model_name: 'Qwen/Qwen3-1.7B',
    parameters: 1.72e9,
    licence: 'Apache-2.0',
    gated: false,
    good_for: 'many languages on a workstation',
  },
  {
    model_name: 'meta-llama/Llama-3.2-3B-Instruct',
    parameters: 3.21e9,
    licence: 'Llama 3.2 Community License',
    gated: true,
    good_for: 'one GPU with 12 GB',
  },
  {
    model_name: 'microsoft/Phi-3.5-mini-instruct',
    parameters: 3.82e9,
    licence: 'MIT',
    gated: false,
    good_for: 'one GPU with 16 GB',
  },
  {
    model_name: 'Qwen/Qwen3-4B',
    parameters: 4.02e9,
    licence: 'Apache-2.0',
    gated: false,
    good_for: 'one GPU with 16 GB; many languages',
  },
  {
    model_name: 'mistralai/Mistral-7B-Instruct-v0.3',
    parameters: 7.25e9,
    licence: 'Apache-2.0',
    gated: false,
    good_for: 'one GPU with 24 GB',
  },
  {
    model_name: 'meta-llama/Llama-3.1-8B-Instruct',
    parameters: 8.03e9,
    licence: 'Llama 3.1 Community License',
    gated: true,
    good_for: 'one GPU with 24 GB',
  },
  {
    model_name: 'Qwen/Qwen3-8B',
    parameters: 8.19e9,
    licence: 'Apache-2.0',
    gated: false,
    good_for: 'one GPU with 24 GB; many languages',
  },
];

/** Weights are stored in two bytes a parameter. */
export const downloadBytes = ({ parameters }: KnownModel) => parameters * 2;

/** Bytes of a parameter in a precision, with its share of the scales. */
export const bytesInPrecision = { none: 2, int8: 1.1, int4: 0.7 };

/**
 * Main memory on a CPU with instructions for 16 bits, beside the weights: libraries, and states of prompts. Serving and tuning are two
 * processes that share the weights (`./lorekeep bench real`).
 */
export const servingBesideWeights = 900_000_000;
export const bothBesideWeights = 1_300_000_000;

export const servingBytes = ({ parameters }: KnownModel) => servingBesideWeights + parameters * bytesInPrecision.none;
export const tuningBytes = ({ parameters }: KnownModel) => bothBesideWeights + parameters * bytesInPrecision.none;

export const fits = ['serve and tune', 'serve', 'too large'] as const;
export type Fit = (typeof fits)[number];

/** A fifth of the memory is left to everything else. */
export function fitOf(model: KnownModel, memoryBytes: number): Fit {
  const free = memoryBytes * 0.8;
  return tuningBytes(model) <= free ? 'serve and tune' : servingBytes(model) <= free ? 'serve' : 'too large';
}

/** The quantization that `auto` takes (`choose` in engine/lorekeep/precision.py): the most exact with which serving and tuning fit;
 * undefined where none does. */
export const automaticPrecision = ({ parameters }: KnownModel, memoryBytes: number): Precision | undefined =>
  precisions.find((precision) => bothBesideWeights + parameters * bytesInPrecision[precision] <= memoryBytes * 0.8);

export const listKnownModels = route({
  name: 'listKnownModels',
  method: 'GET',
  path: '/v1/known_models',
  tag: 'Models',
  summary: 'Real base models that are known to load, and whether each fits this machine',
  access: 'read',
  answer: z.object({
    memory_bytes: z.int().describe('Main memory of the machine that the server runs on, or of its container.'),
    gpus: z.int().nullable().describe('Null until the engine has started.'),
    models: z.array(
      z.object({
        model_name: z.string(),
        parameters: z.number(),
        licence: z.string(),
        gated: z.boolean().describe('The hub wants a token of an account that has accepted the licence.'),
        good_for: z.string(),
        download_bytes: z.number(),
        memory_bytes: z.number().describe('Main memory that serving and tuning it on a CPU take together.'),
        fits: z
          .enum(fits)
          .nullable()
          .describe(
            'Memory needed on the CPU of this machine. Null where it computes on GPUs: compare `download_bytes` with their memory.',
          ),
        auto: z
          .enum(precisions)
          .nullable()
          .describe('Precision that a download with `auto` takes here. Null where the model is too large in any.'),
        is_here: z.boolean(),
      }),
    ),
  }),
});
