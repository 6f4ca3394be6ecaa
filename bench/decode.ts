// ./lorekeep bench decode: tokens a second of one stream and of several in 4 bits, asked in turn with llama.cpp on the same random
// weights, so that other work on the machine disturbs both alike; and the parts of a token's time.
// `--shape llama-1b`, `--precision int4`, `--kind Q4_K`, `--tokens 24`, `--streams 1,8`, `--rounds 7`, `--model FOLDER` instead of
// random weights; `--torch` also asks our engine without kernels of its own.
import { runPython } from './memory/python.ts';

runPython('real/decode.py');
