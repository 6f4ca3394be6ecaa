// ./lorekeep bench serve-tuned: tokens a second of 32 prompts on 32 experts, and of one, beside the same prompts on the base.
import { runPython } from './memory/python.ts';

runPython('memory/serve.py');
