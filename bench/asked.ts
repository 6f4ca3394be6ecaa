// ./lorekeep bench asked: questions in people's own words about organisations that were written one by one
// (engine/quill/text/organisations), each a memory of its own: the share of right, wrong and missing answers by kind of question, beside a
// plain lookup of the nearest taught question. No base is asked. Nothing of the product was fitted on these organisations, one in ten of
// all. `--every 6 --first 1` takes some of them, `--kinds hop,json` some kinds; `--wrong` lists what is not answered right.
import { runPython } from './memory/python.ts';

runPython('memory/organisation_questions.py');
