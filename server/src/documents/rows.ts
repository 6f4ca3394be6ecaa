// Types of the rows of an index and of its files.
import type { Selectable } from 'kysely';
import type { IndexFileRow, IndexRow } from '../store/schema.ts';

export type OwnIndex = Selectable<IndexRow>;
export type OwnFile = Selectable<IndexFileRow>;
