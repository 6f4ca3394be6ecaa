// ./lorekeep bench reworded: whether the report's rewordings by rule predict what rewordings by people get, for facts with names and without. `--seed 2`,
// `--sets ordinary` (only some), `--most 1` (of each fact),
// `--show 10` (examples).
import { runPython } from './memory/python.ts';

runPython('memory/reworded.py');
