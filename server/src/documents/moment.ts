// Times as they are told.

export const moment = (time: number | null) => (time === null ? null : new Date(time).toISOString());
