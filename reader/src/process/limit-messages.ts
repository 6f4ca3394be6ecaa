// Last message of a process that exceeded a limit, on standard error for the server.

export const exceeded = (limit: 'memory' | 'silence' | 'time') => `lorekeep: over the limit of ${limit}`;

/** CPU seconds of the last file, appended to the message. */
export const workedFor = (seconds: number) => `after ${seconds.toFixed(2)} s`;
export const secondsSaid = (text: string): number | undefined => {
  const found = /lorekeep: over the limit of \w+ after ([\d.]+) s/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};
