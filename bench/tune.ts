// ./lorekeep bench tune: cost and recall of a memory, beside LoRA, a lookup and retrieval on the same facts in the same run. `--facts 100,1000,10000`,
// `--seeds 3`, `--peers 1000` (up to so many facts), `--ordinary` for facts without names.
import { runPython } from './memory/python.ts';

runPython('memory/tune.py');
