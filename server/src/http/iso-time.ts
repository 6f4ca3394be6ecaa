// Times of the store as the wire has them.

export const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
