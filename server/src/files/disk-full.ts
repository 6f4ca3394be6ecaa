// Detects a full disk from its different forms: a system error, a database error, or the output of a process.

/** No space is left, or the quota is used up. SQLite reports number 13, PostgreSQL the code 53100. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || code === '53100' || errcode === 13;
}

/** The same for the output of a process that ended. */
export const reportsDiskFull = (printed: string): boolean =>
  /No space left on device|Disk quota exceeded/.test(printed);
