// ./lorekeep bench changes: the cost of teaching a memory a hundred more facts, and of forgetting one, beside teaching all; and two workers
// beside one. `--facts 10000`.
import { runPython } from './memory/python.ts';

runPython('memory/changes.py');
