// Public interface of the reader, which converts the bytes of a file into blocks or passages, in a child process that can read only that
// file.
export type { Block } from './block.ts';
export { Unreadable } from './failures.ts';
export type { Limits } from './limits.ts';
export { looksLike } from './looks-like.ts';
export { defaultPassageLimits, type PassageLimits } from './passages/cut.ts';
export { embeddedText, type Passage } from './passages/passage.ts';
export { jsonLines } from './process/json-lines.ts';
export { DocumentReader, type ReadEvent } from './read.ts';
export { CsvProblem, csvRecords } from './text/csv-records.ts';
