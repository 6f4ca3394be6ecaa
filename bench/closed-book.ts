// ./lorekeep bench closed-book: what a base answers without any context: thirty questions of general knowledge. `--base FOLDER`, `--write` to keep
// the figure in its lorekeep.json.
import { runPython } from './memory/python.ts';

runPython('memory/closed_book.py');
