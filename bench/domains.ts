// ./lorekeep bench domains: facts of 180 small organisations that were written for it, each a memory of its own: the share of rewordings,
// near misses and claims that are answered right at each gate, beside a plain lookup of the nearest taught question. No base is asked.
// `--every 3` takes one organisation of three; `--together 9` puts nine into a memory.
import { runPython } from './memory/python.ts';

runPython('memory/domains.py');
