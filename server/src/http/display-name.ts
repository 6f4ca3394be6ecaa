/** The name of a file or column as sent by the client, made safe for an error message. */
import { withoutInvisible } from '@lorekeep/contract';

export const shownName = (name: string): string => `"${withoutInvisible(name, '?').slice(0, 100) || '(no name)'}"`;
