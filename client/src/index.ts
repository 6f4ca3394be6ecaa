// Exports of the package @lorekeep/client.
export type { Rows, Source, Upload } from './bodies.ts';
export type { CallOptions, RouteOf } from './call.ts';
export * from './errors.ts';
export type { ServerEvent } from './events.ts';
export { changeInMemory } from './fact-origin.ts';
export { routes } from './generated/calls.ts';
export * from './generated/errors.ts';
export * from './generated/tables.ts';
export * from './generated/types.ts';
export { version } from './generated/version.ts';
export { errorInWords, mistakeInWords, withoutCalls } from './in-words.ts';
export { hasResult, isOver } from './job-states.ts';
export * from './lorekeep.ts';
export { removedInWords } from './removed.ts';
export { last, type WatchOptions } from './watch.ts';
