// ./lorekeep bench scripts: two hundred answers in seven scripts, of code, addresses and hex: how many a tuned model says word for word.
// `--each 20` facts of each kind, `--seed 0`.
import { runPython } from './memory/python.ts';

runPython('memory/scripts.py');
