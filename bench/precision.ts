// ./lorekeep bench precision: what each precision of a base changes: its exam, its likeliest tokens, and how far its probabilities move
// from those of the stored weights. `--model models/quill`, `--precisions none,int8,int4`, `--questions 100`,
// `--torch` without the kernels of the engine.
import { runPython } from './memory/python.ts';

runPython('real/precision.py');
