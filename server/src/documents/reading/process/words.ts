// What a process says on its way out when it is over a limit, for the server to understand.

export const exceeded = (limit: 'memory' | 'silence' | 'time') => `lorekeep: over the limit of ${limit}`;
