// ./lorekeep bench recite: facts recited by llama.cpp with the exported adapters, beside our engine: how many are word for word in each of
// its precisions, and the processor's time of an answer, asked in turn. `--facts 32`, `--kinds BF16,Q8_0,Q4_K`, `--rounds 5`.
import { runPython } from './memory/python.ts';

runPython('memory/recite.py');
