// ./lorekeep bench written: how far facts of organisations, worlds of names and handbooks are used that were written one by one, with
// questions as people type them: the share of right answers by kind of question, beside a plain lookup of the nearest taught question.
// No base is asked, but with `--base models/quill`, which tunes a model of each organisation: its base may write from facts.
// `--worlds city,hospital`, `--kinds reworded,german`; `--wrong` lists the questions that are answered wrongly or not at all.
import { runPython } from './memory/python.ts';

runPython('memory/written.py');
