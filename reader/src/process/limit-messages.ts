// The last words of a process that exceeded a limit, for the server to understand.

export const exceeded = (limit: 'memory' | 'silence' | 'time') => `lorekeep: over the limit of ${limit}`;

/** Seconds of the processor that the last file took, said behind the limit. */
export const workedFor = (seconds: number) => `after ${seconds.toFixed(2)} s`;
export const secondsSaid = (text: string): number | undefined => {
  const found = /lorekeep: over the limit of \w+ after ([\d.]+) s/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};
