// ./lorekeep bench changes: what it costs to teach a memory a hundred facts more, and to have it forget one, beside teaching all; and two workers
// beside one. `--facts 10000`.
import { runPython } from './memory/python.ts';

runPython('memory/changes.py');
