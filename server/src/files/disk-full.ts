// Detects a full disk from its different forms: a system error, a database error, or the output of a process.

/** No space is left, or the quota is used up. SQLite tells it by number 13, PostgreSQL by its code 53100. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || code === '53100' || errcode === 13;
}

/** The same of what a process printed before it ended. */
export const reportsDiskFull = (printed: string): boolean =>
  /No space left on device|Disk quota exceeded/.test(printed);
