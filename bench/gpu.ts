// ./lorekeep bench gpu: the engine on a CUDA device beside transformers: one stream and many, prompts read, memory, distance of the
// logits, answers alone and in a batch, facts taught, in each precision, on random weights of a real shape.
// `--shape llama-1b`, `--precisions none,int4,int8`, `--seconds 75` (parts that do not fit are named).
// `--device cpu --shape tiny` runs it without a GPU.
import { runPython } from './memory/python.ts';

runPython('real/gpu.py');
