/** Sanitizes the name of a file or column from the client for an error message. */
import { withoutInvisible } from '@lorekeep/contract';

export const quotedName = (name: string): string => `"${withoutInvisible(name, '?').slice(0, 100) || '(no name)'}"`;
