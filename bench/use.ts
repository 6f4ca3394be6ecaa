// ./lorekeep bench use: how far taught facts are used: asked in other words, on from earlier messages, turned around, several at
// once, in a form. Each question is asked of the base, of the base with facts in the prompt, of a model that only recites, and of
// the product. `--side develop`, `--seed 3`, `--each 20`, `--base FOLDER`.
import { runPython } from './memory/python.ts';

runPython('memory/use.py');
