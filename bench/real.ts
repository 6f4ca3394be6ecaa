// ./lorekeep bench real --shape llama-1b: a model of a real shape with random weights, written here: time to load, memory, speed and
// facts taught in each precision, beside transformers and llama.cpp on the same weights.
// `--precisions none,int8,int4`, `--llama-cpp Q8_0,Q4_K`, `--tokens 32`, `--streams 8`, `--prefill 1000`, `--facts 8`; `--alone` without
// the others; shapes: qwen-0.5b, llama-1b, llama-8b.
import { runPython } from './memory/python.ts';

runPython('real/real.py');
